import { migrateCollection, upgradeContract } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import { allCollections } from "../../collections/on-chain.ts";
import type { ServiceContext } from "../../context.ts";
import { keepPlan } from "../../db/queries/collection-effects.ts";
import { setContractCode } from "../../db/queries/contracts.ts";
import { publicationOf } from "../../db/queries/provisioning.ts";
import { type MigrationStep, migrationSteps, withContinuations } from "../../domain/contract-upgrades.ts";
import { type Publication, SPREAD_MS, stepName, topUpRemedy, upgradeRemedy } from "../../domain/steps.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { type KindResults, kindOf, type Operation } from "../kind.ts";
import { hasSucceeded, heightOf } from "../records.ts";
import { transferTo } from "../top-up.ts";

/** An upgrade of a contract, as stored with its operation. */
export interface ContractUpgradeOperation {
  /** The contract's account. */
  readonly contract: string;
  /** Hexadecimal SHA-256 of the new code. */
  readonly codeHash: string;
  /** Paid to the contract before its code is switched, so that minting continues after it. yoctoNEAR. */
  readonly topUp: string;
  /** The account already runs the code: an earlier upgrade was interrupted, or the contract's owner switched it. */
  readonly switched: boolean;
  /** Whether its collections may have pages of layout 2. */
  readonly migrates: boolean;
  /** Assets of each collection when the code was switched, stored from then on. */
  readonly plan?: readonly number[];
}

/** Facts that an upgrade's next step depends on. */
interface UpgradeFacts {
  readonly publication: Publication;
  /** Migrations of the collections, as known from the contract's results; empty until the code is switched. */
  readonly migrations: readonly MigrationStep[];
  /** Amount that the contract lacks after the switch, yoctoNEAR. */
  readonly missing: bigint;
  /** Whether the payment of the missing amount was submitted. */
  readonly isSettled: boolean;
}

/** Storage of a `collection_migrate` call beyond what the contract reports as missing. */
const MIGRATION_BYTES = 2_000;

/**
 * Pays the contract's new storage requirement, switches its code, pays what is still missing, and migrates the
 * collections. Mints continue throughout: before the switch with the old code, after it with the new.
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
    if (!isSwitched(request, records)) return { publication, migrations: [], missing: 0n, isSettled };
    const assets = request.migrates ? await planOf(context, operation, records) : [];
    const migrations = withContinuations(migrationSteps(assets), leftBehind(records));
    return { publication, migrations, missing: await missingOf(context, operation, records), isSettled };
  },

  pause: ({ switched }, { publication }) =>
    !switched && publication === "elsewhere_pending" ? SPREAD_MS : 0,

  steps: (request, { migrations, missing, isSettled }) => [
    ...(BigInt(request.topUp) > 0n ? ["prepay"] : []),
    ...(request.switched ? [] : ["upgrade"]),
    ...(missing > 0n || isSettled ? ["settle"] : []),
    ...migrations.map(({ name }) => name),
  ],

  remedy:
    (_request, { publication }) =>
    (name, outcome, attempt) =>
      name === "upgrade"
        ? upgradeRemedy(publication)(name, outcome, attempt)
        : topUpRemedy(name, outcome, attempt),

  storage: ({ contract }) => ({ contract, bytes: MIGRATION_BYTES }),

  transaction: async (_context, { request }, step, { facts: { migrations, missing } }) => {
    const { contract, codeHash, topUp } = request;
    if (step === "prepay") return transferTo(contract, BigInt(topUp));
    if (step === "settle") return transferTo(contract, missing);
    if (step === "upgrade") {
      return { receiverId: contract, actions: [upgradeContract(Buffer.from(codeHash, "hex"))] };
    }
    const found = migrations.find(({ name }) => name === stepName(step));
    if (!found) throw new Error(`an upgrade has no step ${step}`);
    return {
      receiverId: contract,
      actions: found.calls.map(({ collectionId, assets: count }) => migrateCollection(collectionId, count)),
    };
  },

  effects: async (context, { id, request, subjectId }, { records }) => ({
    status: 200,
    body: {
      contract_uuid: subjectId,
      account_id: request.contract,
      code_hash: request.codeHash,
      tx_results: records.filter(hasSucceeded).map(({ result }) => result),
    },
    statements: [
      setContractCode(context.db, subjectId, Buffer.from(request.codeHash, "hex"), {
        operationId: id,
        now: context.now(),
      }),
    ],
  }),

  // After a payment or the switch the upgrade must be completed: it waits if the wallet can't pay now.
  isCommitted: (records) => records.some(({ state }) => state === "succeeded"),
});

const isSwitched = ({ switched }: ContractUpgradeOperation, records: readonly TransactionRecord[]): boolean =>
  switched || records.some(({ step, state }) => stepName(step) === "upgrade" && state === "succeeded");

/** Assets that each successful migration step left on pages of layout 2, from its call's result. */
const leftBehind = (records: readonly TransactionRecord[]): ReadonlyMap<string, number> =>
  new Map(
    records
      .filter(({ step, state }) => step.startsWith("migrate") && state === "succeeded")
      .map(({ step, value }) => [stepName(step), Number(new TextDecoder().decode(value ?? undefined))]),
  );

/** The contract's views after the switch of its code. */
const viewsOf = (
  { settings }: ServiceContext,
  { request }: Operation<ContractUpgradeOperation>,
  records: readonly TransactionRecord[],
) => contractViews(connect(settings), request.contract, heightOf(records));

/** The amount that the contract lacks; read until migrations start, which have their own remedies. */
const missingOf = async (
  context: ServiceContext,
  operation: Operation<ContractUpgradeOperation>,
  records: readonly TransactionRecord[],
): Promise<bigint> => {
  const isBehind = records.some(({ step }) => step.startsWith("migrate") || stepName(step) === "settle");
  if (isBehind) return 0n;
  const { missing } = await viewsOf(context, operation, records).balance();
  return BigInt(missing ?? "0");
};

/** Assets of each collection after the switch; later collections need no migration. */
const planOf = async (
  context: ServiceContext,
  operation: Operation<ContractUpgradeOperation>,
  records: readonly TransactionRecord[],
): Promise<readonly number[]> => {
  const { id, request } = operation;
  if (request.plan) return request.plan;
  const collections = await allCollections(viewsOf(context, operation, records));
  const plan = await keepPlan(
    context.db,
    id,
    collections.map(({ assets }) => assets),
  );
  // Update the row in memory too.
  Object.assign(request, { plan });
  return plan;
};
