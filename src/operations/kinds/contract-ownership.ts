import { acceptOwner, proposeOwner, setAdmin } from "../../chain/contract/calls.ts";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { indexContractLeft, setContractLeft } from "../../db/queries/contracts.ts";
import type { Uuid } from "../../domain/ids.ts";
import { type KindResults, kindOf } from "../kind.ts";
import { succeeded } from "../records.ts";

/** The proposal of a new owner. */
export interface ContractHandOverOperation {
  /** The contract's account. */
  readonly contract: string;
  /** The proposed owner; null withdraws the proposal. */
  readonly accountId: string | null;
  /** The integration's wallet. */
  readonly walletId: string;
  /** Whether the wallet becomes an admin, so that the service can still mint. */
  readonly staysAdmin: boolean;
}

/** Records whether the wallet has a role in a contract. @param leftAt null: it has */
const leaving = (context: ServiceContext, integrationId: Uuid, contract: string, leftAt: Date | null) => ({
  statements: [setContractLeft(ledgerOf(context, integrationId), contract, leftAt)],
  indexed: [indexContractLeft(context.db, contract, leftAt)],
});

/** Maximum bytes of an admin and a proposed owner in a contract's roles. */
const ROLES_BYTES = 200;

/** Changes the wallet's role and the proposal in one transaction. */
export const contractHandOverKind = kindOf<
  ContractHandOverOperation,
  null,
  KindResults["contract_hand_over"]
>({
  facts: () => null,
  steps: () => ["propose"],
  storage: ({ contract }) => ({ contract, bytes: ROLES_BYTES }),
  transaction: async (_context, { request: { contract, accountId, walletId, staysAdmin } }) => ({
    receiverId: contract,
    actions: [setAdmin(walletId, staysAdmin), proposeOwner(accountId)],
  }),
  effects: async (context, { request, subjectId, integrationId }, { records }) => ({
    status: 200,
    body: {
      contract_uuid: subjectId,
      account_id: request.contract,
      owner_id: request.walletId,
      proposed_owner_id: request.accountId,
      wallet_is_admin: request.staysAdmin,
      tx_results: succeeded(records, "propose").result,
    },
    ...leaving(context, integrationId, request.contract, request.staysAdmin ? null : context.now()),
  }),
});

/** The acceptance of a contract's ownership by the integration's wallet. */
export interface ContractAcceptOperation {
  /** The contract's account. */
  readonly contract: string;
  /** The integration's wallet. */
  readonly walletId: string;
}

/** Makes the integration's wallet the owner of a contract. */
export const contractAcceptKind = kindOf<ContractAcceptOperation, null, KindResults["contract_accept"]>({
  facts: () => null,
  steps: () => ["accept"],
  storage: null,
  transaction: async (_context, { request }) => ({ receiverId: request.contract, actions: [acceptOwner()] }),
  effects: async (context, { request, integrationId }, { records }) => ({
    status: 200,
    body: {
      account_id: request.contract,
      owner_id: request.walletId,
      tx_results: [succeeded(records, "accept").result],
    },
    ...leaving(context, integrationId, request.contract, null),
  }),
});
