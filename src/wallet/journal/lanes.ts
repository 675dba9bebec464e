import { and, count, eq, getTableColumns, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { among, JournalPart, required } from "./database.ts";
import { lanes, signed } from "./schema.ts";

/** A lane as the journal stores it. */
export interface Lane
  extends Readonly<Omit<typeof lanes.$inferSelect, "state" | "addedBy" | "missingHeight">> {
  /** `adding`: its key is being added; `ready`: its nonce is known and it may sign. */
  readonly state: "adding" | "ready";
  /** Signed rows not known to be included in a block. */
  readonly onTheWay: number;
  /** Signed rows whose outcome isn't final. */
  readonly open: number;
}

/** A lane as the rules see it. */
export type LaneView = Pick<Lane, "id" | "kind" | "receiverId" | "methods" | "state" | "onTheWay" | "open">;

const { state: _state, addedBy: _addedBy, missingHeight: _missing, ...FIELDS } = getTableColumns(lanes);
const KEY = { id: lanes.id, publicKey: lanes.publicKey, nonceGap: lanes.nonceGap };

/** The part of the journal that holds lanes. A lane that is `gone` is kept, so that its key is never added again. */
export class LaneJournal extends JournalPart {
  /** Adds a lane. `addedBy`: the intent that adds its key; null for the wallet's first key. */
  readonly add = this.run(
    (
      lane: Omit<typeof lanes.$inferSelect, "state" | "nonce" | "endpoint" | "seenHeight" | "missingHeight">,
    ) =>
      this.db.insert(lanes).values({
        ...required(lanes, lane),
        state: sql`iif(${lane.addedBy} IS NULL, 'unread', 'adding')`,
        receiverId: lane.receiverId,
        addedBy: lane.addedBy,
      }),
  );

  /** All lanes whose key is on the chain or being added. `unread` lanes are returned as `adding`. */
  readonly all = this.rows(() =>
    this.db
      .select({
        ...FIELDS,
        state: sql<Lane["state"]>`iif(${lanes.state} = 'ready', 'ready', 'adding')`,
        open: count(signed.id),
        onTheWay: sql<number>`count(${signed.id}) - coalesce(sum(${signed.included}), 0)`,
      })
      .from(lanes)
      .leftJoin(signed, and(eq(signed.laneId, lanes.id), sql`${signed.state} = 'open'`))
      .where(sql`${lanes.state} IN ('adding', 'unread', 'ready')`)
      .groupBy(lanes.id)
      .orderBy(sql`${lanes}.rowid`),
  );

  /** One lane by id, in any state. */
  readonly get = this.one((id: string) => this.db.select(FIELDS).from(lanes).where(eq(lanes.id, id)));

  /** Lanes whose key is on the chain and whose nonce must be read. */
  readonly unread = this.rows(() =>
    this.db
      .select({ ...KEY, isMissing: isNotNull(lanes.missingHeight).mapWith(Boolean) })
      .from(lanes)
      .where(eq(lanes.state, "unread")),
  );

  /** Lanes being added whose transaction could be final by now. */
  readonly adding = this.rows((height: number, now: number) =>
    this.db
      .select(KEY)
      .from(lanes)
      .where(
        sql`${lanes.state} = 'adding' AND EXISTS (SELECT 1 FROM ${signed} WHERE ${signed.intentId} = ${lanes.addedBy}
          AND ${signed.state} = 'open' AND ${signed.dueHeight} <= ${height} AND ${signed.askAt} <= ${now})`,
      ),
  );

  /**
   * Marks a lane as ready after its nonce was read from a final block. The nonce never goes down, even if the key was
   * deleted and added again.
   */
  readonly adopt = this.run((id: string, nonce: number, seenHeight: number) =>
    this.db
      .update(lanes)
      .set({ state: "ready", nonce: sql`max(coalesce(nonce, 0), ${nonce})`, seenHeight, missingHeight: null })
      .where(eq(lanes.id, id)),
  );

  /**
   * Records that the lanes' keys are no longer on the account. The wallet's own key is looked up again, the other lanes
   * end.
   */
  readonly gone = this.run((missingHeight: number, ids: readonly string[]) =>
    this.db
      .update(lanes)
      .set({ missingHeight, state: sql`iif(added_by IS NULL, 'unread', 'gone')` })
      .where(among(lanes.id, ids)),
  );

  /** Lanes that may sign, with what is needed to check that their keys still exist. */
  readonly ready = this.rows(() =>
    this.db
      .select({ id: lanes.id, publicKey: lanes.publicKey, seenHeight: lanes.seenHeight })
      .from(lanes)
      .where(eq(lanes.state, "ready")),
  );

  /** Public key of the wallet's own lane if that key isn't on the account; null otherwise or if not known yet. */
  readonly missing = this.first(
    () =>
      this.db
        .select({ publicKey: lanes.publicKey })
        .from(lanes)
        .where(and(eq(lanes.state, "unread"), isNotNull(lanes.missingHeight))),
    ({ publicKey }) => publicKey,
  );

  /** Raises the highest nonce used or seen; never lowers it. */
  readonly raiseNonce = this.run((id: string, nonce: number) =>
    this.db
      .update(lanes)
      .set({ nonce })
      .where(and(eq(lanes.id, id), or(isNull(lanes.nonce), lt(lanes.nonce, nonce)))),
  );

  readonly setEndpoint = this.run((id: string, endpoint: string) =>
    this.db.update(lanes).set({ endpoint }).where(eq(lanes.id, id)),
  );

  /** Restores a replaced key of the operator: its nonce is read again. False if the key was never used here. */
  readonly returned = this.exists((publicKey: string) =>
    this.db
      .update(lanes)
      .set({ state: "unread", missingHeight: null })
      .where(and(eq(lanes.publicKey, publicKey), isNull(lanes.addedBy)))
      .returning({ id: lanes.id }),
  );

  /** Ends a lane without open rows; its key is never used or added again. */
  readonly retire = this.run((id: string) =>
    this.db.update(lanes).set({ state: "gone" }).where(eq(lanes.id, id)),
  );

  /** Handles the end of an intent that adds keys: its lanes' nonces are read next, or the lanes are gone. */
  readonly added = this.run((addedBy: number, state: "unread" | "gone") =>
    this.db
      .update(lanes)
      .set({ state })
      .where(and(eq(lanes.addedBy, addedBy), eq(lanes.state, "adding"))),
  );
}
