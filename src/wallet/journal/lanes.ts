/** A lane as the rules see it. */
export interface LaneView {
  readonly id: string;
  readonly kind: "full_access" | "function_call";
  /** The only contract that a function-call key may call. */
  readonly receiverId: string | null;
  readonly methods: readonly string[];
  /** `adding`: its key is being added; `ready`: its nonce is known and it may sign. */
  readonly state: "adding" | "ready";
  /** Signed rows not known to be included in a block. */
  readonly onTheWay: number;
  /** Signed rows whose outcome isn't final. */
  readonly open: number;
}

/** A lane as the journal stores it. Its key is derived from the wallet's seed and its id (keys.ts). */
export interface Lane extends LaneView {
  /** `ed25519:<base58>`. */
  readonly publicKey: string;
  /** The highest nonce used or seen; null until read from a final block. */
  readonly nonce: number | null;
  /** Distance to the chain's nonce when it is first read. */
  readonly nonceGap: number;
  /** The endpoint used for its open rows. */
  readonly endpoint: string | null;
  /** Height of a final block in which its key was on the account; 0 if none is known. */
  readonly seenHeight: number;
}

/** A lane as SQLite returns it. */
type Row = Omit<Lane, "methods" | "state"> & { methods: string; state: string };

const FIELDS = `lanes.id, public_key AS publicKey, kind, receiver_id AS receiverId, methods, lanes.state,
  lanes.nonce, nonce_gap AS nonceGap, endpoint, seen_height AS seenHeight`;

/** The part of the journal that holds lanes. A lane that is `gone` is kept, so that its key is never added again. */
export class LaneJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds a lane. `addedBy`: the intent that adds its key; null for the wallet's first key. */
  add(lane: {
    readonly id: string;
    readonly publicKey: string;
    readonly kind: LaneView["kind"];
    readonly receiverId: string | null;
    readonly methods: readonly string[];
    readonly addedBy: number | null;
    readonly nonceGap: number;
  }): void {
    this.#sql.exec(
      `INSERT INTO lanes (id, public_key, kind, receiver_id, methods, state, nonce_gap, added_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      lane.id,
      lane.publicKey,
      lane.kind,
      lane.receiverId,
      JSON.stringify(lane.methods),
      lane.addedBy === null ? "unread" : "adding",
      lane.nonceGap,
      lane.addedBy,
    );
  }

  /** All lanes whose key is on the chain or being added. `unread` lanes are returned as `adding`. */
  all(): Lane[] {
    return this.#sql
      .exec<Row>(
        `SELECT ${FIELDS}, count(signed.id) AS open, count(signed.id) - coalesce(sum(signed.included), 0) AS onTheWay
         FROM lanes LEFT JOIN signed ON signed.lane_id = lanes.id AND signed.state = 'open'
         WHERE lanes.state IN ('adding', 'unread', 'ready') GROUP BY lanes.id ORDER BY lanes.rowid`,
      )
      .toArray()
      .map((row) => ({
        ...row,
        methods: JSON.parse(row.methods) as string[],
        state: row.state === "ready" ? ("ready" as const) : ("adding" as const),
      }));
  }

  /** One lane by id, in any state. */
  get(id: string): Omit<Lane, "state" | "open" | "onTheWay"> {
    const row = this.#sql
      .exec<Omit<Row, "open" | "onTheWay">>(`SELECT ${FIELDS} FROM lanes WHERE id = ?`, id)
      .one();
    return { ...row, methods: JSON.parse(row.methods) as string[] };
  }

  /** Lanes whose key is on the chain and whose nonce must be read. */
  unread(): { id: string; publicKey: string; nonceGap: number; isMissing: boolean }[] {
    return this.#sql
      .exec<Pick<Row, "id" | "publicKey" | "nonceGap"> & { isMissing: number }>(
        `SELECT id, public_key AS publicKey, nonce_gap AS nonceGap, missing_height IS NOT NULL AS isMissing
         FROM lanes WHERE state = 'unread'`,
      )
      .toArray()
      .map((row) => ({ ...row, isMissing: row.isMissing === 1 }));
  }

  /** Lanes being added whose transaction could be final by now. */
  adding(height: number, now: number): Pick<Lane, "id" | "publicKey" | "nonceGap">[] {
    return this.#sql
      .exec<Pick<Row, "id" | "publicKey" | "nonceGap">>(
        `SELECT id, public_key AS publicKey, nonce_gap AS nonceGap FROM lanes
         WHERE state = 'adding' AND EXISTS (SELECT 1 FROM signed
           WHERE intent_id = added_by AND state = 'open' AND due_height <= ? AND ask_at <= ?)`,
        height,
        now,
      )
      .toArray();
  }

  /**
   * Marks a lane as ready after its nonce was read from a final block. The nonce never goes down, even if the key was
   * deleted and added again.
   */
  adopt(id: string, nonce: number, height: number): void {
    this.#sql.exec(
      `UPDATE lanes SET state = 'ready', nonce = max(coalesce(nonce, 0), ?), seen_height = ?, missing_height = NULL
       WHERE id = ?`,
      nonce,
      height,
      id,
    );
  }

  /**
   * Records that the lanes' keys are no longer on the account. The wallet's own key is looked up again, the other lanes
   * end.
   */
  gone(height: number, ...ids: readonly string[]): void {
    this.#sql.exec(
      `UPDATE lanes SET missing_height = ?1, state = CASE WHEN added_by IS NULL THEN 'unread' ELSE 'gone' END
       WHERE id IN (SELECT value FROM json_each(?2))`,
      height,
      JSON.stringify(ids),
    );
  }

  /** Lanes that may sign, with what is needed to check that their keys still exist. */
  ready(): Pick<Lane, "id" | "publicKey" | "seenHeight">[] {
    return this.#sql
      .exec<Pick<Row, "id" | "publicKey" | "seenHeight">>(
        "SELECT id, public_key AS publicKey, seen_height AS seenHeight FROM lanes WHERE state = 'ready'",
      )
      .toArray();
  }

  /** Public key of the wallet's own lane if that key isn't on the account; null otherwise or if not known yet. */
  missing(): string | null {
    const sql = "SELECT public_key FROM lanes WHERE state = 'unread' AND missing_height IS NOT NULL";
    return this.#sql.exec<{ public_key: string }>(sql).toArray()[0]?.public_key ?? null;
  }

  /** Raises the highest nonce used or seen; never lowers it. */
  raiseNonce(id: string, nonce: number): void {
    this.#sql.exec(
      "UPDATE lanes SET nonce = ? WHERE id = ? AND (nonce IS NULL OR nonce < ?)",
      nonce,
      id,
      nonce,
    );
  }

  setEndpoint(id: string, endpoint: string): void {
    this.#sql.exec("UPDATE lanes SET endpoint = ? WHERE id = ?", endpoint, id);
  }

  /** Restores a replaced key of the operator: its nonce is read again. False if the key was never used here. */
  returned(publicKey: string): boolean {
    const found = this.#sql.exec(
      "UPDATE lanes SET state = 'unread', missing_height = NULL WHERE public_key = ? AND added_by IS NULL RETURNING id",
      publicKey,
    );
    return found.toArray().length > 0;
  }

  /** Ends a lane without open rows; its key is never used or added again. */
  retire(id: string): void {
    this.#sql.exec("UPDATE lanes SET state = 'gone' WHERE id = ?", id);
  }

  /** Handles the end of an intent that adds keys: its lanes' nonces are read next, or the lanes are gone. */
  added(intentId: number, succeeded: boolean): void {
    this.#sql.exec(
      "UPDATE lanes SET state = ? WHERE added_by = ? AND state = 'adding'",
      succeeded ? "unread" : "gone",
      intentId,
    );
  }
}
