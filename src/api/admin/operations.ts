import { z } from "@hono/zod-openapi";
import type { EndpointResponse, ServiceContext } from "../../context.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { duration } from "../../domain/counted.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type Failure, HAD_EFFECT } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { KINDS } from "../../domain/operations.ts";
import { isPreparation } from "../../domain/steps.ts";
import { endWith } from "../../operations/engine/drive.ts";
import { endInPart, fail } from "../../operations/engine/endings.ts";
import { foundRecord } from "../../operations/engine/found-transaction.ts";
import { findAsOperator, readOperationAsOperator } from "../../operations/engine/read.ts";
import type { FinalizeOperation } from "../../operations/kinds/finalize-plan.ts";
import { kindNamed, walletFor } from "../../operations/registry.ts";
import { requireIntegration } from "../../operator/integrations.ts";
import { walletOf } from "../../wallet/client.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { type OperationResource, operationView } from "../resources/operation.ts";
import { transactionHashField, uuidField } from "../schemas/fields.ts";
import { operationParam } from "../schemas/parameters.ts";

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

/**
 * Ends an operation whose outcome the nodes can't prove, by the decision of the operator, who has checked the chain. A
 * finalization that had an effect is looked up, and succeeds, as does what the operator has found the transaction of; of everything
 * else the operator's word is taken, because later changes may have covered what it did. @throws ServiceError not_found; conflict in another state or of another
 * kind, where what was signed may still land, or where the chain shows otherwise
 */
const settleOperation = async (
  context: ServiceContext,
  id: Uuid,
  integrationId: Uuid | undefined,
  { had_effect: hadEffect, transaction_hash: hash }: z.output<typeof settlementBody>,
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
  // Read first: an operation that is withdrawn while no node answers would neither go on nor end.
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

const ownerQuery = z.strictObject({
  integration_uuid: uuidField.optional().openapi({
    description:
      "The operation's integration. Absent: the ledgers with open operations are asked, and up to 500 others, but no archive.",
  }),
});

/** The integration that a request names. @throws ServiceError not_found: a ledger that no integration has answers nothing */
const ownerOf = async (
  context: ServiceContext,
  { integration_uuid: id }: z.output<typeof ownerQuery>,
): Promise<Uuid | undefined> => id && (await requireIntegration(context, id)).id;

const settlementBody = z
  .strictObject({
    had_effect: z.boolean().openapi({
      description:
        "Whether the chain has the operation's effect. For a finalization the service checks it. For the creation of a wallet or contract, send false and repeat the creation.",
    }),
    transaction_hash: transactionHashField.optional().openapi({
      description:
        "With `had_effect` true: the transaction that had it, as the chain shows it. The operation then succeeds with its results. A finalization needs none.",
    }),
  })
  .refine(({ had_effect: hadEffect, transaction_hash: hash }) => hadEffect || hash === undefined, {
    message: "Leave it out: a transaction shows an effect.",
    path: ["transaction_hash"],
  })
  .openapi("SettlementInput");

const COMMON = { tag: "Operator: operations", scope: "operator" } as const;

export const adminOperationEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/operation/{operation_uuid}",
      operationId: "adminGetOperation",
      summary: "Read an operation of any integration",
      description:
        "An operation that ended more than a month ago is in its integration's archive: give the integration's uuid to find it.",
      request: { params: operationParam, query: ownerQuery },
      success: { 200: json("The operation.", operationView) },
    },
    async ({ context, params, query }, c) =>
      reply(c, await readOperationAsOperator(context, params.operation_uuid, await ownerOf(context, query))),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/operation/{operation_uuid}/settle",
      operationId: "adminSettleOperation",
      summary: "Settle an operation whose outcome can't be proven",
      description:
        "Only for the state `unknown`; check the chain first. With `had_effect` false the operation ends as failed, nothing more of it is sent, and its caller can send the request again. While a signed transaction may still land, the response is 409 with Retry-After. With `had_effect` true its caller is told not to repeat the request, or gets the response that it would have had if you give the transaction's hash; 409 if that isn't a transaction of the operation's last step. A finalization then adopts the collection that the chain shows under its external id; 409 if it shows none. It is also 409 where it was only prepared, by a top-up or a registration that can't be proven.",
      request: {
        params: operationParam,
        query: ownerQuery,
        body: jsonBody(settlementBody, { had_effect: true }),
      },
      success: { 200: json("The operation as it is now.", operationView) },
      errors: ["conflict", "wallet_busy", "chain_unavailable"],
    },
    async ({ context, params, query, body }, c) =>
      reply(c, await settleOperation(context, params.operation_uuid, await ownerOf(context, query), body)),
  ),
];
