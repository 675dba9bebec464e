import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Quote } from "../api/resources/operation.ts";
import { QUOTED_RISE } from "../chain/cost.ts";
import { readGasPrices } from "../chain/protocol.ts";
import { connectFor } from "../chain/rpc.ts";
import type { Caller, EndpointResponse, ServiceContext } from "../context.ts";
import { type Ledger, ledgerOf } from "../db/ledger.ts";
import {
  type KeyWithResponse,
  keepInLedger,
  refuseFailed,
  runKeyedBatch,
  WAS_REFUSED,
} from "../db/queries/idempotency.ts";
import { quotes } from "../db/schema/ledger.ts";
import { yoctoProblem } from "../domain/amounts.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { invalidField, ServiceError, unsentConflict } from "../domain/errors.ts";
import { isUuid, newUuid, toHex, type Uuid, uuidAt } from "../domain/ids.ts";
import { canonicalJson } from "../domain/json-text.ts";
import type { CostLimit } from "../domain/spending.ts";
import { walletOf } from "../wallet/client.ts";
import { NO_PLAN, type Plan, planOf } from "./engine/plan.ts";
import type { Proposal } from "./kind.ts";

/** Validity of a quote, milliseconds. */
const VALID_MS = 10 * 60_000;

/** A row of quotes. */
type QuoteRow = typeof quotes.$inferSelect;

/** Keeps a quote with the answer. @throws ServiceError idempotency_key_in_flight */
const insertQuote = async (
  ledger: Ledger,
  quote: QuoteRow,
  answered: KeyWithResponse | null,
): Promise<void> => {
  await runKeyedBatch(ledger, [
    ledger.insert(quotes).values(quote),
    ...keepInLedger(ledger, answered, sql`true`),
  ]);
};

/** A quote of an integration's. */
export const findQuote = (db: Ledger, integrationId: Uuid, id: Uuid): Promise<QuoteRow | undefined> =>
  db
    .select()
    .from(quotes)
    .where(and(eq(quotes.id, id), eq(quotes.integrationId, integrationId)))
    .get();

/** A write to quote. */
export interface QuotedWrite {
  readonly method: string;
  /** Path without the API's prefix. */
  readonly path: string;
  /** Parsed; undefined is equivalent to `{}`. */
  readonly body: unknown;
  /** Whether the quote can be executed; default: no. */
  readonly keep?: boolean;
}

/**
 * Quotes a write and stores the quote for its validity.
 * @param planned what the write would submit; null: nothing
 * @throws ServiceError chain_unavailable, idempotency_key_in_flight
 */
export const quoteWrite = async (
  context: ServiceContext,
  { integrationId, requestKey }: Pick<Caller, "integrationId" | "requestKey">,
  write: QuotedWrite,
  planned: Proposal | null,
): Promise<EndpointResponse<Quote>> => {
  const { env, now } = context;
  const { burnt, leastBought } = await readGasPrices(connectFor(context));
  const most = { burnt: burnt * QUOTED_RISE, leastBought };
  const prices = { likely: { burnt, leastBought }, most };
  const plan = planned === null ? NO_PLAN : await planOf(context, integrationId, planned, prices);
  const { available } = await walletOf(env, integrationId).status();
  if (available === null) throw unread();
  const createdAt = now();
  const row: QuoteRow = {
    ...{ id: newUuid(), integrationId, method: write.method, path: write.path, createdAt },
    bodyDigest: await digestOf(write.body),
    expiresAt: new Date(createdAt.getTime() + VALID_MS),
    expected: plan.cost.expected.toString(),
    most: plan.cost.most.toString(),
    state: (write.keep && planned?.quotedState) || null,
    body: write.keep ? canonicalJson(write.body ?? {}) : null,
    executedBy: null,
  };
  const quote = toQuote(plan, row, BigInt(available), planned?.permanent);
  const answered = requestKey && (await requestKey.keeps(201, JSON.stringify(quote)));
  await insertQuote(ledgerOf(context, integrationId), row, answered);
  return { status: 201, body: quote };
};

const unread = (): ServiceError =>
  new ServiceError("chain_unavailable", "The wallet's balance can't be read. Request the quote again.", {
    outcome: "not_submitted",
    retryable: true,
    retryAfter: 5,
  });

const toQuote = (
  plan: Plan,
  row: QuoteRow,
  available: bigint,
  permanent: Proposal["permanent"] = [],
): Quote => {
  const { gas, cost, topUp, storageBytes, transactions, held } = plan;
  const missing = cost.most + held - available;
  return {
    quote_uuid: row.id,
    transactions,
    gas: { expected: gas.expected.toString(), at_most: gas.most.toString() },
    storage_bytes: storageBytes,
    cost: { expected: cost.expected.toString(), at_most: cost.most.toString() },
    top_up: topUp.toString(),
    wallet: { available: available.toString(), missing: (missing > 0n ? missing : 0n).toString() },
    permanent,
    valid_until: row.expiresAt.toISOString(),
    body_digest: toHex(row.bodyDigest),
  };
};

/** SHA-256 of a body's canonical JSON (RFC 8785). */
const digestOf = async (body: unknown): Promise<Uint8Array> => {
  const bytes = new TextEncoder().encode(canonicalJson(body ?? {}));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
};

/** Cost headers of a write. */
export interface CostHeaders {
  /** `Mintage-Quote`. */
  readonly quote: string | undefined;
  /** `Mintage-Max-Cost`. */
  readonly most: string | undefined;
}

/**
 * The maximum cost of a write from its headers, the lower if it has both; null if it has neither.
 * @throws ServiceError invalid_request (a malformed header), quote_mismatch, quote_expired; conflict if another key has
 *   executed the quote
 */
export const costLimitOf = async (
  context: ServiceContext,
  { integrationId, requestKey }: Pick<Caller, "integrationId" | "requestKey">,
  { quote, most }: CostHeaders,
  write: QuotedWrite,
): Promise<CostLimit | null> => {
  const problem = most === undefined ? null : yoctoProblem(most);
  if (problem !== null) throw invalidField(["Mintage-Max-Cost"], problem);
  const own = most === undefined ? null : BigInt(most);
  if (quote === undefined) return own === null ? null : { quoted: null, most: own.toString() };
  if (!isUuid(quote)) throw invalidField(["Mintage-Quote"], "Send the quote_uuid of a quote.");
  const row = await requireQuote(context, integrationId, quote.toLowerCase() as Uuid, write);
  const quoted = BigInt(row.most);
  const limit = own !== null && own < quoted ? own : quoted;
  const key = row.executedBy;
  // Of an execution that was refused, and whose quote another key has bound since.
  if (key !== null && key !== requestKey?.key) throw boundTo(key);
  return {
    ...{ quoted: row.expected, most: limit.toString(), quotedState: row.state },
    execution: key !== null ? { integrationId, quoteId: row.id, key, since: row.createdAt } : null,
  };
};

/**
 * The quote that a write refers to, which must be for exactly this write. Another integration's quote is treated like
 * an unknown one; a deleted quote is recognized as expired by the time in its uuid.
 */
const requireQuote = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
  write: QuotedWrite,
): Promise<QuoteRow> => {
  const row = await findQuote(ledgerOf(context, integrationId), integrationId, id);
  const time = context.now();
  if (row ? row.expiresAt <= time : isForgotten(id, time)) throw quoteExpired();
  if (row && (await isFor(row, write))) return row;
  throw new ServiceError(
    "quote_mismatch",
    "Send the write that was quoted, with the same method, path and body: there is no such quote for this one.",
    { outcome: "not_submitted" },
  );
};

/** Whether a quote with this uuid would have expired, so that its row may be deleted. */
const isForgotten = (id: Uuid, now: Date): boolean => id < uuidAt(new Date(now.getTime() - VALID_MS));

/** The refusal of a quote that was made too long ago. */
export const quoteExpired = (): ServiceError =>
  new ServiceError("quote_expired", "Request a new quote: this one has expired.", {
    outcome: "not_submitted",
  });

/** The refusal of a quote that was executed under another key. */
export const boundTo = (key: string | null): ServiceError => {
  const message = `This quote is bound to the idempotency key "${key}". Use that key for its outcome, or request another quote.`;
  return unsentConflict(message);
};

/**
 * Binds a kept quote to the Idempotency-Key of its execution, so that no other key executes it, unless that execution was
 * refused before anything was sent. The write that it returns
 * has to be sent under this key and quote: they refuse what expired, and carry it out once. A write that failed on the chain
 * has freed its key; it needs another quote, also where it fails only after this (`CostLimit.execution`).
 * @throws ServiceError quote_expired, not_found; conflict if another key executes it, or if it failed on the chain
 */
export const bindQuote = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
  key: string,
): Promise<QuotedWrite> => {
  const ledger = ledgerOf(context, integrationId);
  const [row] = await ledger
    .update(quotes)
    .set({ executedBy: sql`iif(${WAS_REFUSED}, ${key}, coalesce(${quotes.executedBy}, ${key}))` })
    .where(and(eq(quotes.id, id), eq(quotes.integrationId, integrationId), isNotNull(quotes.body)))
    .returning();
  checkpoint("quote.bound");
  if (!row) {
    if (isForgotten(id, context.now())) throw quoteExpired();
    throw new ServiceError("not_found", "There is no such quote that can be executed.", {
      outcome: "not_submitted",
    });
  }
  if (row.executedBy !== key) throw boundTo(row.executedBy);
  await refuseFailed(ledger, {
    integrationId,
    quoteId: id,
    key,
    since: row.createdAt,
  });
  return { method: row.method, path: row.path, body: JSON.parse(row.body!) };
};

const isFor = async ({ method, path, bodyDigest }: QuoteRow, write: QuotedWrite): Promise<boolean> =>
  method === write.method && path === write.path && toHex(bodyDigest) === toHex(await digestOf(write.body));
