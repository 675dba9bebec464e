import type { OperationResource } from "../api/resources/operation.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import type { OperationRow } from "../db/queries/operations.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { type Failure, HAD_EFFECT } from "../domain/failures.ts";
import type { Uuid } from "../domain/ids.ts";
import { KINDS } from "../domain/operations.ts";
import { isPreparation } from "../domain/steps.ts";
import { endWith } from "../operations/engine/drive.ts";
import { endInPart, fail } from "../operations/engine/endings.ts";
import { foundRecord } from "../operations/engine/found-transaction.ts";
import { findAsOperator, readOperationAsOperator } from "../operations/engine/read.ts";
import type { FinalizeOperation } from "../operations/kinds/finalize-plan.ts";
import { kindNamed, walletFor } from "../operations/registry.ts";
import { walletOf } from "../wallet/client.ts";
import type { TransactionRecord } from "../wallet/interface.ts";

const NO_EFFECT: Failure = {
  code: "transaction_failed",
  message: "The operator settled the operation: it had no effect and never will. Send it as a new request.",
  outcome: "failed_on_chain",
  retryable: true,
};

/** How long a continued finalization runs before the operator gets a response. Milliseconds. */
const ADOPTION_MS = 15_000;
/** Retry-After where that wasn't enough, seconds. */
const ADOPTION_AGAIN_S = 15;

/** Blocks after which a transaction's receipts are executed, unless shards are congested. */
const BLOCKS_TO_EXECUTE = 5;

/** What the operator has found on the chain. */
interface Ruling {
  /** Whether the chain has the operation's effect. */
  readonly hadEffect: boolean;
  /** Of the transaction that had it, base58; absent: not known. */
  readonly hash?: string | undefined;
}

/**
 * Ends an operation whose outcome the nodes can't prove, by the decision of the operator, who has checked the chain. An effect is
 * read from the chain if the operation is a finalization, or if the operator names its transaction. Otherwise the operator's word is
 * taken, because later changes may hide what the operation did.
 * @param integrationId its owner; absent: it is looked for in the ledgers of all (`findAsOperator`)
 * @throws ServiceError not_found; conflict if its state isn't `unknown`, if its kind can't be settled so, if what was signed may
 *   still land, or if the chain shows otherwise
 */
export const settleOperation = async (
  context: ServiceContext,
  id: Uuid,
  integrationId: Uuid | undefined,
  { hadEffect, hash }: Ruling,
): Promise<EndpointResponse<OperationResource>> => {
  const row = await findAsOperator(context, id, integrationId);
  if (!row) throw new ServiceError("not_found", "There is no such operation. Check its operation_uuid.");
  const { kind, state } = row;
  if (state !== "unknown") {
    throw conflict(`Only an operation in the state \`unknown\` can be settled; this one is ${state}.`);
  }
  if (!hadEffect) await close(context, row, NO_EFFECT, await requireNoEffect(context, row));
  else if (kind === "finalize") await requireShown(context, row);
  else if (KINDS[kind].wallet === "platform") {
    // The next attempt finds a wallet or contract that exists, so nothing is adopted here.
    throw conflict(`Settle it as without effect, then repeat it: repeating a ${kind} does no harm.`);
  } else if (hash !== undefined) await succeedBy(context, row, hash);
  else await close(context, row, HAD_EFFECT);
  context.log("operation.settled", { operation_uuid: id, kind, had_effect: hadEffect });
  return readOperationAsOperator(context, id, row.integrationId);
};

const conflict = (message: string): ServiceError => new ServiceError("conflict", message);

/**
 * Withdraws the operation and ends it; one without effect leaves in D1 what a failure leaves. @param height from which
 * on the chain shows all that it did, where its records don't say
 */
const close = async (
  context: ServiceContext,
  row: OperationRow,
  failure: Failure,
  height?: number,
): Promise<void> => {
  const wallet = walletFor(context, row);
  const records = await wallet.transactions(row.id);
  const states = records.map(({ state }) => state);
  if (states.length > 0 && states.every((state) => state !== "unknown")) throw resumed();
  if (failure === HAD_EFFECT) requireSent(records);
  const kind = kindNamed(row.kind);
  const partial = kind.partial(context, row, records, failure);
  const writes = failure === HAD_EFFECT ? kind.onSettled : kind.onFailure;
  // Read first: an operation that is withdrawn while no node answers would neither continue nor end.
  const consequences = partial === null ? await writes(context, row, records) : {};
  await withdraw(context, row, records);
  await (partial === null
    ? fail(context, row, { failure, ...consequences, records, height })
    : endInPart(context, row, partial, { records, height }));
  await acknowledge(context, row);
};

/** @throws ServiceError conflict if its wallet has gone on with it */
const withdraw = async (
  context: ServiceContext,
  row: OperationRow,
  records: readonly TransactionRecord[],
): Promise<void> => {
  const states = records.map(({ state }) => state);
  if (!(await walletFor(context, row).withdraw(row.id, states.length, true, states))) throw resumed();
};

const acknowledge = async (context: ServiceContext, row: OperationRow): Promise<void> => {
  await walletFor(context, row).acknowledge(row.id);
  await walletOf(context.env, row.integrationId).acknowledge(row.id);
};

/**
 * Ends an operation with the results of the transaction that its last step was: its caller gets the response that it would have had.
 * @throws ServiceError conflict if it isn't the step's transaction, or the operation wouldn't be over with it
 */
const succeedBy = async (context: ServiceContext, row: OperationRow, hash: string): Promise<void> => {
  const kind = kindNamed(row.kind);
  const wallet = walletFor(context, row);
  const records = await wallet.transactions(row.id);
  const record = records.find(({ state }) => state === "unknown");
  if (record === undefined) throw resumed();
  const [before, { accountId: signerId }] = await Promise.all([
    kind.look(context, row, records),
    wallet.status(),
  ]);
  const sent = await before.transaction(record.step);
  if (sent === null) throw conflict("Settle it without the transaction: what it sent isn't known any more.");
  const operation = row;
  const { found, unshared } = await foundRecord(context, { operation, record, sent, signerId, hash });
  const known = records.map((one) => (one === record ? found : one));
  const outlook = await kind.look(context, row, known);
  if (outlook.next().do !== "finish")
    throw conflict("Settle it without the transaction: that isn't all that the operation does.");
  const effects = await outlook.effects();
  if (effects === null) throw notYet();
  await withdraw(context, row, records);
  const guarded =
    "failure" in effects
      ? effects
      : {
          ...effects,
          asRead: unshared,
          statements: [...(effects.asRead ? [effects.asRead] : []), ...effects.statements],
        };
  if ((await endWith(context, row, guarded, known)) === null) throw notYet();
  await acknowledge(context, row);
};

const notYet = (): ServiceError => {
  const message = `Try again in ${duration(ADOPTION_AGAIN_S)}: what the transaction did can't be read yet.`;
  return new ServiceError("conflict", message, { retryAfter: ADOPTION_AGAIN_S });
};

const resumed = (): ServiceError =>
  conflict("The wallet has resumed this operation. Read it until it is over.");

/**
 * Refuses to take an operation as effective that can only have been prepared: what a step prepares is sent after it.
 * @throws ServiceError conflict
 */
const requireSent = (records: readonly TransactionRecord[]): void => {
  const done = records.filter(({ state }) => state === "succeeded" || state === "unknown");
  // Without a hash its wallet's object was lost, which may have sent more.
  const isPrepared = done.every(({ step, result }) => isPreparation(step) && result?.transaction_hash);
  if (done.length === 0 || !isPrepared) return;
  const steps = done.flatMap(({ step, state }) => (state === "unknown" ? [step] : [])).join(", ");
  throw conflict(
    `Settle it as without effect: only ${steps} can't be proven, and what it prepares was never sent.`,
  );
};

/** Continues a finalization from what the chain shows of its collection. @throws ServiceError if that isn't enough */
const requireShown = async (context: ServiceContext, row: OperationRow): Promise<void> => {
  const landing = await walletFor(context, row).landing(row.id);
  if (await goesOn(context, row, landing.isOver ? landing.height : 0)) return;
  const { contract, collectionUuid } = row.request as FinalizeOperation;
  throw conflict(
    `Check ${contract} again: it shows no collection with the external id ${collectionUuid.replaceAll("-", "")} that has all that this finalization may have sent.`,
  );
};

/** Makes sure that nothing of it can land or is shown. @returns the height from which the chain shows all that it did */
const requireNoEffect = async (context: ServiceContext, row: OperationRow): Promise<number> => {
  const landing = await walletFor(context, row).landing(row.id);
  if (!landing.isOver) throw mayLand(landing.waitMs);
  if (row.kind === "finalize" && (await goesOn(context, row, landing.height))) {
    throw conflict("The chain shows its effect, so it continues. Read the operation.");
  }
  return landing.height + BLOCKS_TO_EXECUTE;
};

/** Whether a finalization continues, because a node at that height shows what was in doubt. */
const goesOn = async (context: ServiceContext, row: OperationRow, height: number): Promise<boolean> => {
  const least = Math.max(row.height ?? 0, height);
  const reached = await walletOf(context.env, row.integrationId).carryOut(row.id, ADOPTION_MS, least);
  if (reached === null) {
    const message = `Try again in ${duration(ADOPTION_AGAIN_S)}: what the chain shows of the collection isn't known yet.`;
    throw new ServiceError("conflict", message, { retryAfter: ADOPTION_AGAIN_S });
  }
  return reached.state !== "unknown";
};

const mayLand = (waitMs: number | null): ServiceError => {
  const why =
    "a transaction signed for this operation may still land, so a repetition could take effect twice";
  if (waitMs === null) return conflict(`Try again in a few minutes: ${why}.`);
  const seconds = Math.ceil(waitMs / 1000);
  return new ServiceError("conflict", `Wait for ${duration(seconds)}: ${why}.`, { retryAfter: seconds });
};
