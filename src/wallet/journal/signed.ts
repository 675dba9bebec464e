import { and, desc, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import { among, JournalPart, required } from "./database.ts";
import type { RowState } from "./machine.ts";
import { carried, intents, operations, signed } from "./schema.ts";

const {
  bytes: _bytes,
  noopHash,
  noopBytes: _noop,
  included: _included,
  ...COLUMNS
} = getTableColumns(signed);
const FIELDS = { ...COLUMNS, raced: sql<boolean>`${noopHash} IS NOT NULL`.mapWith(Boolean) };

/** A signed transaction as the journal stores it. */
export interface SignedTransactionRow
  extends Readonly<Omit<typeof signed.$inferSelect, "bytes" | "noopHash" | "noopBytes" | "included">> {
  /** A no-op with the same nonce is journaled. */
  readonly raced: boolean;
}

/** A signed transaction as the rules see it. */
export type SignedRow = Omit<
  SignedTransactionRow,
  "id" | "intentId" | "laneId" | "hash" | "state" | "tries" | "dueHeight" | "askAt"
>;

/** New signed bytes for the journal. */
export interface NewSignedRow
  extends Pick<SignedTransactionRow, "intentId" | "laneId" | "nonce" | "hash" | "baseHeight" | "dueHeight"> {
  readonly bytes: Uint8Array;
  readonly now: number;
}

/** The part of the journal that holds signed bytes. */
export class SignedJournal extends JournalPart {
  /** Adds signed bytes and returns the row's id. */
  readonly add = this.one(
    (row: NewSignedRow) =>
      this.db
        .insert(signed)
        .values({ ...required(signed, row), signedAt: row.now, state: "open", askAt: row.now })
        .returning({ id: signed.id }),
    ({ id }) => id,
  );

  /** Adds the no-op that races a row. Both have the same nonce, so at most one of them lands. */
  readonly race = this.run((id: number, noopHash: string, noopBytes: Uint8Array) =>
    this.db.update(signed).set({ noopHash, noopBytes }).where(eq(signed.id, id)),
  );

  /** All open rows, oldest first. */
  readonly open = this.rows(() =>
    this.db.select(FIELDS).from(signed).where(sql`${signed.state} = 'open'`).orderBy(signed.id),
  );

  /** The distinct due heights and times of open rows. @param asked rows being polled, which are left out */
  readonly due = this.rows((asked: readonly number[]) =>
    this.db
      .selectDistinct({ dueHeight: signed.dueHeight, askAt: signed.askAt })
      .from(signed)
      .where(sql`${signed.state} = 'open' AND NOT ${among(signed.id, asked)}`),
  );

  /** One row if it is open or was given up. */
  readonly find = this.first((id: number) =>
    this.db
      .select(FIELDS)
      .from(signed)
      .where(and(eq(signed.id, id), UNDECIDED)),
  );

  /** Some rows that were given up and whose operation isn't settled, in random order. */
  readonly givenUp = this.rows((most: number) =>
    this.db
      .select(FIELDS)
      .from(signed)
      .where(
        sql`${signed.state} = 'unknown' AND ${ofIntents(
          sql`SELECT intents.id FROM ${intents} LEFT JOIN ${operations} ON operations.operation = intents.operation
            WHERE intents.state = 'unknown' AND operations.acknowledged_at IS NULL`,
        )}`,
      )
      .orderBy(sql`random()`)
      .limit(most),
  );

  /** The last signed row of an intent, open or over. */
  readonly lastOf = this.first((intentId: number) =>
    this.db
      .select({ hash: signed.hash, nonce: signed.nonce })
      .from(signed)
      .where(eq(signed.intentId, intentId))
      .orderBy(desc(signed.id))
      .limit(1),
  );

  /** Rows that belong to an operation, directly or shared, and are proven neither landed nor dead. */
  readonly undecided = this.rows((operation: Uuid) =>
    this.db
      .select({ laneId: signed.laneId, nonce: signed.nonce, baseHeight: signed.baseHeight })
      .from(signed)
      .where(and(UNDECIDED, ofIntents(sql`SELECT id FROM ${intents} WHERE operation = ${operation}`))),
  );

  /** Bytes to send for a row: its own, and the no-op's if there is one. */
  readonly bytesOf = this.one((id: number) =>
    this.db.select({ own: signed.bytes, noop: signed.noopBytes }).from(signed).where(eq(signed.id, id)),
  );

  /** Records that the rows are in blocks up to a height. An earlier recorded height is kept. */
  readonly markIncluded = this.run((height: number, ids: readonly number[]) =>
    this.db
      .update(signed)
      .set({ included: true, includedBy: sql`coalesce(included_by, ${height})` })
      .where(among(signed.id, ids)),
  );

  /** Records that a fork dropped the rows' blocks. */
  readonly markDropped = this.run((ids: readonly number[]) =>
    this.db.update(signed).set({ included: false, includedBy: null }).where(among(signed.id, ids)),
  );

  /** Records the proof that the row's transaction is in a final block; its outcome isn't known yet. */
  readonly markLanded = this.run((id: number) =>
    this.db.update(signed).set({ landed: true, included: true }).where(eq(signed.id, id)),
  );

  readonly markRefused = this.run((id: number, refusal: string) =>
    this.db
      .update(signed)
      .set({ refusal })
      .where(and(eq(signed.id, id), isNull(signed.refusal))),
  );

  readonly markUnproven = this.run((id: number) =>
    this.db.update(signed).set({ unproven: sql`unproven + 1` }).where(eq(signed.id, id)),
  );

  /** Postpones the next poll of the row to a final height and a time. */
  readonly putOff = this.run((id: number, dueHeight: number, askAt: number) =>
    this.db.update(signed).set({ tries: sql`tries + 1`, dueHeight, askAt }).where(eq(signed.id, id)),
  );

  /** Sets the state of a row that a move ends, and deletes its bytes. */
  readonly close = this.run((id: number, state: RowState) =>
    this.db
      .update(signed)
      .set({ state, bytes: sql`x''`, noopBytes: null })
      .where(and(eq(signed.id, id), UNDECIDED)),
  );
}

/** Proven neither landed nor dead. */
const UNDECIDED = sql`${signed.state} IN ('open', 'unknown')`;

/** Rows of these intents, and of shared transactions that carry them. */
const ofIntents = (ids: SQL): SQL =>
  sql`${signed.intentId} IN (WITH own (id) AS (${ids})
    SELECT id FROM own UNION SELECT shared FROM ${carried} WHERE intent IN (SELECT id FROM own))`;
