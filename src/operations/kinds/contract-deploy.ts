import { initialise } from "../../chain/contract/calls.ts";
import { contractCode } from "../../chain/contract/code.ts";
import {
  claimPublication,
  endPublication,
  publicationOf,
  setContractState,
} from "../../db/queries/provisioning.ts";
import { deployRemedy, type Publication } from "../../domain/steps.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { type KindResults, kindOf } from "../kind.ts";
import { hasSucceeded, succeeded } from "../records.ts";

/** A deployment, as stored with its operation. */
export interface ContractDeployOperation {
  readonly accountId: string;
  readonly ownerId: string;
  readonly adminId: string | null;
  readonly platformId: string;
  /** Hexadecimal of the code's SHA-256. */
  readonly codeHash: string;
  /** Whether the chain supports global contracts (NEP-591); otherwise the code itself is deployed. */
  readonly global: boolean;
  /** yoctoNEAR initial balance of the contract. */
  readonly funding: string;
  readonly name: string;
  readonly symbol: string;
  /** Address of the gateway, the base of media paths. */
  readonly baseUri: string;
}

const hasPublished = (records: readonly TransactionRecord[]): boolean =>
  records.some((record) => record.step === "publish" && hasSucceeded(record));

/**
 * Creates, funds, deploys and initializes the contract's account in one batch, without access keys. The code is
 * published once as a global contract, when the first deployment finds it missing, and used by its hash.
 */
export const contractDeployKind = kindOf<
  ContractDeployOperation,
  Publication,
  KindResults["contract_deploy"]
>({
  facts: (context, { id, request }) => publicationOf(context.db, Buffer.from(request.codeHash, "hex"), id),

  steps: () => ["deploy"],
  storage: null,

  remedy: (_request, publication) => deployRemedy(publication),

  transaction: async (context, { id, request }, step) => {
    const code = await contractCode();
    if (step === "publish") {
      if (!(await claimPublication(context.db, code.hash, id, context.now()))) return null;
      return {
        receiverId: request.platformId,
        actions: [{ kind: "deploy_global_contract", code: code.bytes }],
      };
    }
    return {
      receiverId: request.accountId,
      actions: [
        { kind: "create_account" },
        { kind: "transfer", deposit: request.funding },
        request.global
          ? { kind: "use_global_contract", codeHash: Buffer.from(request.codeHash, "hex") }
          : { kind: "deploy_contract", code: code.bytes },
        initialise({
          network_id: context.settings.NEAR_NETWORK,
          owner_id: request.ownerId,
          ...(request.adminId !== null && { admin_id: request.adminId }),
          platform_id: request.platformId,
          metadata: {
            spec: "nft-1.0.0",
            name: request.name,
            symbol: request.symbol,
            icon: null,
            base_uri: request.baseUri,
            reference: null,
            reference_hash: null,
          },
        }),
      ],
    };
  },

  effects: async (context, { id, request, subjectId }, { records }) => ({
    status: 201,
    body: {
      contract_uuid: subjectId,
      account_id: request.accountId,
      code_hash: request.codeHash,
      state: "ready",
      tx_results: [succeeded(records, "deploy").result],
    },
    statements: [],
    indexed: [
      setContractState(context.db, subjectId, "ready", context.now()),
      endPublication(context.db, id, hasPublished(records)),
    ],
  }),

  onFailure: (context, { id, subjectId }, records) => ({
    indexed: [
      setContractState(context.db, subjectId, "failed", context.now()),
      endPublication(context.db, id, hasPublished(records)),
    ],
  }),
});
