import { announceUpgrade, upgradeContract } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { ServiceContext } from "../../context.ts";
import { setContractCode } from "../../db/queries/contracts.ts";
import { publicationOf } from "../../db/queries/provisioning.ts";
import { type Publication, SPREAD_MS, stepName, topUpRemedy, upgradeRemedy } from "../../domain/steps.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { type KindResults, kindOf, type Operation } from "../kind.ts";
import { hasSucceeded, heightOf, returned } from "../records.ts";
import { transferTo } from "../top-up.ts";

/** An upgrade of a contract, as stored with its operation. */
export interface ContractUpgradeOperation {
  /** The contract's account. */
  readonly contract: string;
  /** Hexadecimal SHA-256 of the new code. */
  readonly codeHash: string;
  /** Paid to the contract first, so that it has what it needs. yoctoNEAR. */
  readonly topUp: string;
  /** The account already runs the code: the contract's owner switched it. */
  readonly switched: boolean;
  /** The code was announced before, and may be used now. */
  readonly announced: boolean;
}

/** Bytes that an announcement takes on the contract until the upgrade. */
export const ANNOUNCEMENT_BYTES = 40;

/** Facts that an upgrade's next step depends on. */
interface UpgradeFacts {
  readonly publication: Publication;
  /** Height from which the announced code may be used; null: not announced by this operation. */
  readonly earliest: number | null;
  /** Whether the code may be used in the next block. */
  readonly isDue: boolean;
  /** Amount that the contract lacks after the switch, yoctoNEAR. */
  readonly missing: bigint;
  /** Whether the payment of the missing amount was submitted. */
  readonly isSettled: boolean;
}

/**
 * Pays what the contract lacks, announces its new code, and where the contract's delay is over switches to it. An operation
 * that only announces succeeds too; a later one switches. Mints continue throughout.
 */
export const contractUpgradeKind = kindOf<
  ContractUpgradeOperation,
  UpgradeFacts,
  KindResults["contract_upgrade"]
>({
  facts: async (context, operation, records) => {
    const { id, request } = operation;
    const publication = await publicationOf(context.db, Buffer.from(request.codeHash, "hex"), id);
    const isSettled = records.some(({ step }) => stepName(step) === "settle");
    const earliest = earliestOf(records);
    const isDue = request.announced || (earliest !== null && earliest <= heightOf(records) + 1);
    const missing = isSwitched(request, records) ? await missingOf(context, operation, records) : 0n;
    return { publication, earliest, isDue, missing, isSettled };
  },

  pause: ({ switched }, { publication }) =>
    !switched && publication === "elsewhere_pending" ? SPREAD_MS : 0,

  steps: ({ topUp, switched, announced }, { isDue, missing, isSettled }) => [
    ...(BigInt(topUp) > 0n ? ["prepay"] : []),
    ...(switched || announced ? [] : ["announce"]),
    ...(switched || !isDue ? [] : ["upgrade"]),
    ...(missing > 0n || isSettled ? ["settle"] : []),
  ],

  remedy:
    (_request, { publication }) =>
    (name, outcome, attempt) =>
      name === "upgrade"
        ? upgradeRemedy(publication)(name, outcome, attempt)
        : topUpRemedy(name, outcome, attempt),

  storage: ({ contract }) => ({ contract, bytes: ANNOUNCEMENT_BYTES }),

  transaction: async (_context, { request }, step, { facts: { missing } }) => {
    const { contract, codeHash, topUp } = request;
    const code = Buffer.from(codeHash, "hex");
    if (step === "prepay") return transferTo(contract, BigInt(topUp));
    if (step === "settle") return transferTo(contract, missing);
    if (step === "announce") return { receiverId: contract, actions: [announceUpgrade(code)] };
    return { receiverId: contract, actions: [upgradeContract(code)] };
  },

  effects: async (context, { request, subjectId }, { records, facts }) => {
    const done = isSwitched(request, records);
    const code = Buffer.from(request.codeHash, "hex");
    return {
      status: 200,
      body: {
        contract_uuid: subjectId,
        account_id: request.contract,
        code_hash: request.codeHash,
        earliest_height: done ? null : facts.earliest,
        tx_results: records.filter(hasSucceeded).map(({ result }) => result),
      },
      statements: [],
      indexed: done ? [setContractCode(context.db, subjectId, code, context.now())] : [],
    };
  },

  // After a payment or the switch the upgrade must be completed: it waits if the wallet can't pay now.
  isCommitted: (records) => records.some(({ state }) => state === "succeeded"),
});

const isSwitched = ({ switched }: ContractUpgradeOperation, records: readonly TransactionRecord[]): boolean =>
  switched || records.some(({ step, state }) => stepName(step) === "upgrade" && state === "succeeded");

/** The height that the contract's answer to the announcement names. */
const earliestOf = (records: readonly TransactionRecord[]): number | null => {
  const announced = records.filter(hasSucceeded).find(({ step }) => stepName(step) === "announce");
  return announced ? returned<number>(announced) : null;
};

/** The amount that the contract lacks; read until it is paid. */
const missingOf = async (
  context: ServiceContext,
  { request }: Operation<ContractUpgradeOperation>,
  records: readonly TransactionRecord[],
): Promise<bigint> => {
  if (records.some(({ step }) => stepName(step) === "settle")) return 0n;
  const { missing } = await contractViews(connectFor(context), request.contract, heightOf(records)).balance();
  return BigInt(missing ?? "0");
};
