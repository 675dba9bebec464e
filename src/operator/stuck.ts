import type { StuckTransaction } from "../api/resources/wallet.ts";
import type { ServiceContext } from "../context.ts";
import { withOldOperations } from "../db/queries/integrations.ts";
import { openOperationsOf, type WalletName } from "../db/queries/recovery.ts";
import { behindFrom } from "../db/queries/rollback.ts";
import { type Page, unknownCursor } from "../domain/cursors.ts";
import { isUuid, type Uuid } from "../domain/ids.ts";
import { walletOf } from "../wallet/client.ts";
import { type Stuck, toStuck } from "./wallets.ts";

/** An open operation that began this long ago has something to look at; an unknown one has at once. Milliseconds. */
const OLD_AFTER_MS = 120_000;
/** Wallets that one page of the list asks, concurrently. */
const ASKED_AT_ONCE = 20;

/** The place before everything of a wallet; what it has begins at 0. */
const BEFORE_ALL = -1;

/**
 * A place in the list: behind a record of a wallet's journal, or an operation's row where the wallet is not active. The
 * platform's wallet comes first.
 */
interface Place {
  readonly wallet: Uuid | null;
  readonly record: number;
}

/** What is found of one wallet, with its place. */
interface Found {
  readonly place: number;
  readonly stuck: Stuck;
}

/**
 * Transactions that have not landed for long, or whose outcome can't be proven, operations that wait for a wallet to
 * be restored or activated, and those that a rolled-back database lacks, over all wallets. A page asks a bounded
 * number of wallets, so it may be shorter than `size`, or empty, and still have a next.
 * @throws ServiceError invalid_request (cursor), wallet_busy
 */
export const listStuck = async (
  context: ServiceContext,
  cursor: string | null,
  size: number,
): Promise<Page<StuckTransaction>> => {
  const start = placeOf(cursor);
  const behind = await behindFrom(context.db, start.wallet, ASKED_AT_ONCE);
  const others = await walletsAfter(context, start.wallet, Array.from(behind.keys()));
  const asked = await Promise.all(
    [start.wallet, ...others].map(async (wallet) => {
      const after = wallet === start.wallet ? start.record : BEFORE_ALL;
      const lacked = after === BEFORE_ALL ? lackedView(behind.get(wallet ?? "platform")) : [];
      const found = await stuckOf(context, wallet, Math.max(after, 0), size + 1);
      return { wallet, found: [...lacked, ...found] };
    }),
  );
  const entries = asked.flatMap(({ wallet, found }) => found.map((entry) => ({ wallet, ...entry })));
  const shown = entries.slice(0, size);
  const items = shown.map(({ wallet, stuck }) => ({ integration_uuid: wallet, ...stuck }));
  const last = shown.at(-1);
  if (entries.length > size && last) return { items, next: cursorOf(last.wallet, last.place) };
  const lastAsked = others.at(-1);
  if (others.length < ASKED_AT_ONCE || lastAsked === undefined) return { items, next: null };
  return { items, next: cursorOf(lastAsked, asked.at(-1)?.found.at(-1)?.place ?? 0) };
};

/** Integrations behind one that have something to look at, in the order of their ids. */
const walletsAfter = async (
  { db, now }: ServiceContext,
  after: Uuid | null,
  behind: readonly WalletName[],
): Promise<Uuid[]> => {
  const since = new Date(now().getTime() - OLD_AFTER_MS);
  const old = await withOldOperations(db, since, after, ASKED_AT_ONCE);
  const lacking = behind.filter((wallet): wallet is Uuid => wallet !== "platform" && wallet !== after);
  return Array.from(new Set([...old, ...lacking]))
    .toSorted()
    .slice(0, ASKED_AT_ONCE);
};

/** The operation that the database lacks of a wallet, and is to be recovered for. */
const lackedView = (missing: Uuid | undefined): Found[] =>
  missing === undefined
    ? []
    : [
        {
          place: 0,
          stuck: { operation_uuid: missing, step: "database", state: "behind", transaction: null },
        },
      ];

/** What is stuck in one wallet: by its journal or, where it is not active, what the database has open for it. */
const stuckOf = async (
  { db, env }: ServiceContext,
  wallet: Uuid | null,
  after: number,
  limit: number,
): Promise<Found[]> => {
  const found = await walletOf(env, wallet ?? "platform").stuck(after, limit);
  if (found !== null) return found.map(({ place, record }) => ({ place, stuck: toStuck(record) }));
  if (wallet === null) return [];
  const rows = await openOperationsOf(db, wallet, after, limit);
  return rows.map(({ rowNumber, id, kind }) => ({
    place: rowNumber,
    stuck: { operation_uuid: id, step: kind, state: "wallet_inactive", transaction: null },
  }));
};

const cursorOf = (wallet: Uuid | null, record: number): string => `${wallet ?? "platform"}.${record}`;

const placeOf = (cursor: string | null): Place => {
  if (cursor === null) return { wallet: null, record: BEFORE_ALL };
  const [wallet = "", record = ""] = cursor.split(".", 2);
  if (!/^\d{1,15}$/.test(record)) throw unknownCursor();
  if (wallet === "platform") return { wallet: null, record: Number(record) };
  if (!isUuid(wallet)) throw unknownCursor();
  return { wallet, record: Number(record) };
};
