import { sql } from "drizzle-orm";
import { baseDecode } from "near-api-js";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { ledgerOf, template } from "../../db/ledger.ts";
import { entriesOf, insertEntry, postToD1 } from "../../db/outbox.ts";
import { isNotAsRead, raiseShown, tokensBy } from "../../db/queries/collection-effects.ts";
import { insertEndEvents, notifyOperator } from "../../db/queries/events.ts";
import { mintTransactionToPost } from "../../db/queries/mint-transactions.ts";
import { countEnd } from "../../db/queries/operation-counts.ts";
import { findOperationWhole, insertTransactions } from "../../db/queries/operation-transactions.ts";
import { type EndedState, endOperation, isOpen, type OperationRow } from "../../db/queries/operations.ts";
import { firstInTurn } from "../../db/queries/turns.ts";
import { meta } from "../../db/schema/ledger.ts";
import type { Statement } from "../../db/statements.ts";
import { withoutResults } from "../../domain/answer-results.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { type EventReport, eventsOfOutcome } from "../../domain/events.ts";
import { type Failure, failureStatus } from "../../domain/failures.ts";
import { uuidToBytes } from "../../domain/ids.ts";
import type { Mint } from "../../domain/mint-notes.ts";
import { KINDS } from "../../domain/operations.ts";
import { wakeEndpoints } from "../../events/webhooks/interface.ts";
import { keepText, textKey } from "../../files/storage/large-texts.ts";
import type { EndedRow, TransactionRecord } from "../../wallet/interface.ts";
import type { Consequences, Effects } from "../kind.ts";
import { heightOf } from "../records.ts";

/**
 * Ends an operation with its effects, in one batch. A second call changes nothing: all respond from the row that the
 * first wrote.
 * @returns null if the data behind the response has changed; nothing is written then
 */
export const succeed = async (
  context: ServiceContext,
  operation: OperationRow,
  effects: Effects,
  records: readonly TransactionRecord[],
): Promise<EndedRow | null> => {
  try {
    return await end(context, operation, { state: "succeeded", ...effects, records });
  } catch (error) {
    if (effects.asRead && isNotAsRead(error)) return null;
    throw error;
  }
};

/** Ends an operation that can't continue, with the effects of the part that is done. */
export const endInPart = (
  context: ServiceContext,
  operation: OperationRow,
  { status, body, statements, indexed }: Effects,
  rest: Pick<FailedEnd, "records" | "height">,
): Promise<EndedRow> =>
  end(context, operation, { state: "succeeded", status, body, statements, indexed, ...rest });

/** The failure of an operation and its consequences. */
interface FailedEnd extends Consequences {
  readonly failure: Failure;
  readonly records: readonly TransactionRecord[];
  /** Height from which all its effects are visible, if the records don't have it. */
  readonly height?: number;
}

/** Ends an operation with a failure, or marks it `unknown` for the operator if nothing can be proven. */
export const fail = (
  context: ServiceContext,
  operation: OperationRow,
  { failure, ...rest }: FailedEnd,
): Promise<EndedRow> => {
  const state = failure.code === "outcome_unknown" ? "unknown" : "failed";
  return end(context, operation, { state, status: failureStatus(failure), body: failure, ...rest });
};

interface End extends Consequences {
  readonly state: "succeeded" | "failed" | "unknown";
  /** HTTP status of the response. */
  readonly status: number;
  readonly body: unknown;
  readonly records: readonly TransactionRecord[];
  readonly mint?: Mint;
  readonly height?: number;
  /** As in the effects of its kind. */
  readonly asRead?: Statement;
}

const end = async (
  context: ServiceContext,
  operation: OperationRow,
  { state, status: answerStatus, body, asRead, ...rest }: End,
): Promise<EndedRow> => {
  const { env } = context;
  const now = context.now();
  const finals = finalsOf(rest.records);
  const kept = await keepText(env.BUCKET, `answer/${operation.id}`, JSON.stringify(body));
  // A body in R2 is stored in full.
  const answerBody =
    kept.bytes === null
      ? JSON.stringify(
          withoutResults(
            body,
            finals.map(({ result }) => result),
          ),
        )
      : kept.text;
  // The operator is waited for, and each look would be another version and another record.
  if (state === "unknown" && operation.state === "unknown" && operation.answerBody === answerBody)
    return { ...operation, results: finals };
  checkpoint("operation.before_effects");
  const answer = { state, answerStatus, answerBody };
  const ledger = ledgerOf(context, operation.integrationId);
  const batch = endingStatements(context, operation, answer, {
    ...rest,
    report: eventsOfOutcome(operation.kind, state, body),
    at: now,
  });
  if (state === "unknown" && operation.state === "pending") await notifyOfUnknown(context, operation, now);
  const own = [requireNoOtherStep(operation, rest.records), ...(asRead ? [asRead] : []), ...batch];
  const isInTurn = KINDS[operation.kind].isInTurn && state !== "unknown";
  const after = isInTurn ? [firstInTurn(ledger, operation, operation.kind)] : [];
  const results = await runBatch(ledger, [...own, ...after]);
  checkpoint("operation.after_effects");
  const [ended] = results[own.length - 1] as OperationRow[];
  const [next] = (results[own.length] ?? []) as Pick<OperationRow, "id">[];
  if (ended) {
    wakeEndpoints(context, operation.integrationId);
    context.log("operation.end", {
      operation_uuid: operation.id,
      kind: operation.kind,
      state,
      status: answerStatus,
    });
    return { ...ended, next, results: finals };
  }
  const found = await findOperationWhole(ledger, operation.id);
  if (!found) throw new Error(`operation ${operation.id} has no row`);
  if (found.answerBody !== answerBody) dropText(context, answerBody);
  return { ...found, next };
};

/** Another call ended the operation with another text, so this one is unreferenced. */
const dropText = ({ env, log, waitUntil }: ServiceContext, kept: string): void => {
  const key = textKey(kept);
  if (key === null) return;
  waitUntil(env.BUCKET.delete(key).catch((error: unknown) => log("operation.text_left", { key, error })));
};

/** Transactions that ended or may have ended. An intent that couldn't be signed has no hash and isn't one. */
const finalsOf = (records: readonly TransactionRecord[]) =>
  records.flatMap(({ step, result }) => (result?.transaction_hash ? [{ step, result }] : []));

/** How long an operation stays pending where the operator's ledger takes no event. Milliseconds. */
const NOTIFIED_WITHIN_MS = 600_000;

/**
 * Notifies the operator, who must settle the operation whoever owns it. An interruption repeats it. An operator whose own ledger takes
 * nothing for ten minutes isn't waited for: the operator's page lists the operation.
 */
const notifyOfUnknown = async (context: ServiceContext, operation: OperationRow, at: Date): Promise<void> => {
  const data = {
    integration_uuid: operation.integrationId,
    operation_uuid: operation.id,
    kind: operation.kind,
    state: "unknown",
    subject_uuid: operation.subjectId,
    created_at: operation.createdAt.toISOString(),
  };
  const event = { type: "operation.unknown", data, at } as const;
  try {
    await notifyOperator(context, context.settings.OPERATOR_INTEGRATION, event);
  } catch (error) {
    if (at.getTime() - operation.createdAt.getTime() < NOTIFIED_WITHIN_MS) throw error;
    context.log("operation.operator_not_notified", { operation_uuid: operation.id, error });
  }
};

/** What is written with the end of an operation. */
interface Aftermath extends Consequences {
  readonly records: readonly TransactionRecord[];
  /** The event for the integration. */
  readonly report: EventReport;
  /** As in the effects of its kind. */
  readonly mint?: Mint;
  readonly at: Date;
  /** Height from which all its effects are visible, if the records don't have it. */
  readonly height?: number;
}

/** The batch that ends an operation. Its own row comes last, because the other statements require it to be open. */
const endingStatements = (
  context: ServiceContext,
  operation: Pick<OperationRow, "id" | "kind" | "integrationId" | "subjectId" | "createdAt">,
  answer: Omit<EndedState, "height" | "actualCost">,
  { records, statements = [], indexed = [], report, mint, at, height = heightOf(records) }: Aftermath,
): Statement[] => {
  const finals = finalsOf(records).map((final) => ({
    hash: baseDecode(final.result.transaction_hash),
    ...final,
  }));
  const { id, integrationId, subjectId } = operation;
  const ledger = ledgerOf(context, integrationId);
  const sold = mint && { collectionId: subjectId, tokens: tokensBy(mint) };
  return [
    ...insertTransactions(operation, finals, at),
    // Before the writes it reports, because it compares with the previous state. An unknown operation may be checked
    // repeatedly.
    insertEndEvents(
      {
        integrationId,
        ...report,
        collectionId: report.numbers && subjectId,
        operationId: id,
        minted: sold,
        at,
      },
      answer.state,
    ),
    ...statements,
    ...postToD1(ledger, indexed, isOpen(id), at),
    ...(mint === undefined ? [] : noteMint(operation, { mint, at })),
    // Only collections have such a row.
    raiseShown(subjectId, { height, mint, at }),
    ...(answer.state === "unknown" ? [] : [countEnd(operation, answer.state, at)]),
    endOperation(operation.id, { ...answer, height: height || null, actualCost: actualCost(records) }, at),
  ];
};

const failIfOtherStep = template(["isOwn", "id", "text", "steps"], (ledger, { isOwn, id, text, steps }) =>
  ledger
    .update(meta)
    .set({ version: sql`NULL` })
    .where(
      sql`${isOwn} AND ${isOpen(id)} AND (SELECT count(*) FROM intents WHERE operation = ${text}) > ${steps}`,
    ),
);

/**
 * Makes the batch fail if a step was journaled since the records were read: another drive of the operation has gone on, and what
 * was decided doesn't hold. The steps of the platform's wallet are in its own object.
 */
const requireNoOtherStep = (
  { id, kind }: Pick<OperationRow, "id" | "kind">,
  records: readonly TransactionRecord[],
): Statement =>
  failIfOtherStep({
    isOwn: KINDS[kind].wallet === "integration" ? 1 : 0,
    id: uuidToBytes(id),
    text: id,
    steps: records.length,
  });

const postIfPage = template(["entry", "at", "id", "subject"], (ledger, { entry, at, id, subject }) =>
  insertEntry(
    ledger,
    { entry, at },
    sql`${isOpen(id)} AND EXISTS (SELECT 1 FROM collections WHERE id = ${subject} AND has_page)`,
  ),
);

/** Has the transaction of a mint recorded for the collection's page, if it has one. */
const noteMint = (
  { id, subjectId }: Pick<OperationRow, "id" | "subjectId">,
  { mint, at }: { readonly mint: Mint; readonly at: Date },
): Statement[] =>
  entriesOf([mintTransactionToPost(subjectId, mint)]).map((entry) =>
    postIfPage({ entry, at: at.getTime(), id: uuidToBytes(id), subject: uuidToBytes(subjectId) }),
  );

/** Total cost of transactions to their wallet, yoctoNEAR; null while unknown. */
const actualCost = (records: readonly TransactionRecord[]): string | null => {
  let sum = 0n;
  for (const { state, cost } of records) {
    if (state === "queued" || state === "open" || state === "unknown" || typeof cost !== "string")
      return null;
    sum += BigInt(cost);
  }
  return sum.toString();
};
