import { type SQL, sql } from "drizzle-orm";
import { type Ledger, sentOf } from "./ledger.ts";
import { outbox } from "./schema/ledger.ts";
import type { SentStatement, Statement } from "./statements.ts";

/** Bytes in JSON. */
interface Bytes {
  readonly base64: string;
}

/** Notes writes to D1 in the ledger's batch that causes them, if `condition` holds; the outbox makes them once, in order. */
export const postToD1 = (
  ledger: Ledger,
  statements: readonly Statement[],
  condition: SQL,
  at: Date,
): Statement[] => {
  if (statements.length === 0) return [];
  const sent = statements.map(sentOf).map(({ sql: text, params }) => [text, params.map(toJson)]);
  return [
    ledger
      .insert(outbox)
      .select(sql`SELECT NULL, ${JSON.stringify(sent)}, ${at.getTime()}, NULL WHERE ${condition}`),
  ];
};

const toJson = (value: unknown): unknown =>
  value instanceof Uint8Array ? ({ base64: Buffer.from(value).toString("base64") } satisfies Bytes) : value;

const fromJson = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? new Uint8Array(Buffer.from((value as Bytes).base64, "base64"))
    : value;

/** The statements of an entry of the outbox. */
export const statementsOf = (text: string): SentStatement[] =>
  (JSON.parse(text) as [string, unknown[]][]).map(([statement, params]) => ({
    sql: statement,
    params: params.map(fromJson),
  }));
