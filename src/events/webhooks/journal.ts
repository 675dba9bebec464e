import type { Delivery } from "../../api/resources/event.ts";
import { type Page, pageOf } from "../../domain/cursors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Attempt } from "./attempt.ts";
import type { KeyedRequest, Replay } from "./interface.ts";

const KEPT = 1_000;

/** Most simultaneous replays of an endpoint. */
export const MOST_REPLAYS = 10;

export interface Retry {
  readonly seq: number;
  /** Failed attempts so far. */
  readonly attempts: number;
}

export interface ReplayRound {
  readonly id: number;
  /** Number of the last replayed event. */
  readonly place: number;
  readonly before: number | null;
}

export interface Noted {
  readonly seq: number;
  readonly eventUuid: string;
  readonly type: string;
  /** From 1. */
  readonly number: number;
  readonly attempt: Attempt;
  /** Milliseconds since the epoch; null: none follows. */
  readonly nextAt: number | null;
}

/** Single values of an endpoint's object. */
interface State {
  webhook: Uuid;
  /** Number of the last event that was attempted, or skipped because of its type. */
  cursor: number;
  /** Time of the first failure since the last success or change, milliseconds since the epoch. */
  failingSince: number | null;
  /** Why, and since when, the endpoint is to be disabled; null: it isn't. */
  disabling: { readonly reason: string; readonly at: number } | null;
}

export class DeliveryJournal {
  readonly #sql: SqlStorage;
  readonly #kv: SyncKvStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#kv = storage.kv;
    this.begin();
  }

  begin(): void {
    for (const table of TABLES) this.#sql.exec(table);
  }

  /** A value; null: there is none. */
  get<Name extends keyof State>(name: Name): State[Name] | null {
    return this.#kv.get<State[Name]>(name) ?? null;
  }

  set<Name extends keyof State>(name: Name, value: State[Name]): void {
    this.#kv.put(name, value);
  }

  /** Stores an attempt at an event, with its retry. */
  note(noted: Noted, isFailure: boolean): void {
    const { seq, number, nextAt } = noted;
    this.#sql.exec("DELETE FROM retries WHERE seq = ?", seq);
    this.#sql.exec("DELETE FROM failed WHERE seq = ?", seq);
    if (nextAt !== null) this.#sql.exec("INSERT INTO retries VALUES (?, ?, ?)", seq, number, nextAt);
    else if (isFailure) this.#sql.exec("INSERT INTO failed VALUES (?)", seq);
    this.record(noted);
  }

  record({ seq, eventUuid, type, number, attempt, nextAt }: Noted): void {
    const { at, status, ms, excerpt } = attempt;
    const values = [eventUuid, seq, type, number, at, status, ms, excerpt, nextAt];
    this.#sql.exec(
      "INSERT INTO attempts (event_uuid, seq, type, number, at, status, ms, excerpt, next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...values,
    );
    this.#sql.exec("DELETE FROM attempts WHERE id <= (SELECT max(id) FROM attempts) - ?", KEPT);
  }

  /** Gives up a retry whose event can't be read any more. */
  drop(seq: number): void {
    this.#sql.exec("DELETE FROM retries WHERE seq = ?", seq);
  }

  /** The retry with the earliest due time. */
  dueRetry(now: number): Retry | null {
    const [row] = this.#sql
      .exec<{ seq: number; attempts: number }>(
        "SELECT seq, attempts FROM retries WHERE due <= ? ORDER BY due, seq LIMIT 1",
        now,
      )
      .toArray();
    return row ?? null;
  }

  /** When the next retry is due; null: none. */
  nextDue(): number | null {
    const { due } = this.#sql.exec<{ due: number | null }>("SELECT min(due) AS due FROM retries").one();
    return due;
  }

  /** Replays events: failed ones as retries, or all in a round. False: the most rounds allowed are in progress. */
  replay({ after, before, onlyFailed }: Replay, now: number): boolean {
    const end = before ?? Number.MAX_SAFE_INTEGER;
    if (!onlyFailed) {
      const { rowsWritten } = this.#sql.exec(
        "INSERT INTO replays (place, before) SELECT ?, ? WHERE (SELECT count(*) FROM replays) < ?",
        after,
        before,
        MOST_REPLAYS,
      );
      return rowsWritten > 0;
    }
    this.#sql.exec(
      "INSERT OR REPLACE INTO retries SELECT seq, 0, ? FROM failed WHERE seq > ? AND seq < ?",
      now,
      after,
      end,
    );
    this.#sql.exec("DELETE FROM failed WHERE seq > ? AND seq < ?", after, end);
    return true;
  }

  /** Whether a request with a key has started its replay: its answer, which D1 keeps, may have been lost. */
  hasRequest({ id }: KeyedRequest, now: number): boolean {
    this.#sql.exec("DELETE FROM requests WHERE until <= ?", now);
    return this.#sql.exec("SELECT 1 FROM requests WHERE id = ?", id).toArray().length > 0;
  }

  noteRequest({ id, until }: KeyedRequest): void {
    this.#sql.exec("INSERT OR IGNORE INTO requests VALUES (?, ?)", id, until);
  }

  /** The oldest round; null: none. */
  round(): ReplayRound | null {
    const [row] = this.#sql
      .exec<{ id: number; place: number; before: number | null }>("SELECT * FROM replays ORDER BY id LIMIT 1")
      .toArray();
    return row ?? null;
  }

  moveRound(id: number, place: number): void {
    this.#sql.exec("UPDATE replays SET place = ? WHERE id = ?", place, id);
  }

  endRound(id: number): void {
    this.#sql.exec("DELETE FROM replays WHERE id = ?", id);
  }

  deliveries(before: number | null, limit: number): Page<Delivery> {
    const rows = this.#sql
      .exec<AttemptRow>(
        `SELECT id, event_uuid, seq, type, number AS attempt, at, status, ms AS duration_ms, excerpt AS response,
           next_at AS next_attempt_at FROM attempts WHERE id < ? ORDER BY id DESC LIMIT ?`,
        before ?? Number.MAX_SAFE_INTEGER,
        limit + 1,
      )
      .toArray();
    const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
    return { items: items.map(toDelivery), next };
  }
}

type AttemptRow = Omit<Delivery, "at" | "next_attempt_at"> & {
  readonly id: number;
  readonly at: number;
  readonly next_attempt_at: number | null;
};

/** In the order of the columns, which is that of the view. */
const toDelivery = ({ id, ...row }: AttemptRow): Delivery => ({
  ...row,
  at: new Date(row.at).toISOString(),
  next_attempt_at: row.next_attempt_at === null ? null : new Date(row.next_attempt_at).toISOString(),
});

const TABLES = [
  "CREATE TABLE IF NOT EXISTS retries (seq INTEGER PRIMARY KEY, attempts INTEGER NOT NULL, due INTEGER NOT NULL)",
  "CREATE INDEX IF NOT EXISTS retries_due ON retries (due)",
  "CREATE TABLE IF NOT EXISTS failed (seq INTEGER PRIMARY KEY)",
  "CREATE TABLE IF NOT EXISTS replays (id INTEGER PRIMARY KEY AUTOINCREMENT, place INTEGER NOT NULL, before INTEGER)",
  "CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, until INTEGER NOT NULL)",
  "CREATE INDEX IF NOT EXISTS requests_until ON requests (until)",
  `CREATE TABLE IF NOT EXISTS attempts (id INTEGER PRIMARY KEY AUTOINCREMENT, event_uuid TEXT NOT NULL,
    seq INTEGER NOT NULL, type TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, status INTEGER,
    ms INTEGER NOT NULL, excerpt TEXT NOT NULL, next_at INTEGER)`,
];
