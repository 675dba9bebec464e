import { withOldOperations } from "../db/queries/integrations.ts";
import { isUuid, type Uuid } from "../domain/ids.ts";
import { walletOf } from "../wallet/client.ts";
import type { StuckRecord } from "../wallet/interface.ts";
import type { ServiceContext } from "./context.ts";
import { type Stretch, unknownCursor } from "./cursors.ts";
import { type StuckView, stuckView } from "./wallets.ts";

/** A transaction that needs the operator's eyes, with the wallet that it is of; null is the platform's own. */
export interface StuckTransaction extends StuckView {
  readonly integration_uuid: Uuid | null;
}

/** An operation that began this long ago and is not over has something to look at. Milliseconds. */
const OLD_AFTER_MS = 120_000;
/** Wallets that one stretch of the list asks, all at once. */
const ASKED_AT_ONCE = 20;

/** A place in the list: behind a record of a wallet's journal. The platform's wallet comes first. */
interface Place {
  readonly wallet: Uuid | null;
  readonly record: number;
}

/**
 * Transactions that have not landed for long, or whose outcome can't be proven, over all wallets. A stretch asks a
 * bounded number of wallets, so that it may be shorter than `size`, or empty, and yet have a next.
 * @throws ServiceError invalid_request (cursor), wallet_busy
 */
export const listStuck = async (
  { db, env, now }: ServiceContext,
  cursor: string | null,
  size: number,
): Promise<Stretch<StuckTransaction>> => {
  const start = placeOf(cursor);
  const since = new Date(now().getTime() - OLD_AFTER_MS);
  const others = await withOldOperations(db, since, start.wallet, ASKED_AT_ONCE);
  const asked = await Promise.all(
    [start.wallet, ...others].map(async (wallet) => {
      const after = wallet === start.wallet ? start.record : 0;
      return { wallet, found: await walletOf(env, wallet ?? "platform").stuck(after, size + 1) };
    }),
  );
  const entries = asked.flatMap(({ wallet, found }) => found.map((entry) => ({ wallet, ...entry })));
  const shown = entries.slice(0, size);
  const items = shown.map(({ wallet, record }) => ({ integration_uuid: wallet, ...stuckView(record) }));
  const last = shown.at(-1);
  if (entries.length > size && last) return { items, next: cursorOf(last.wallet, last.place) };
  const lastAsked = others.at(-1);
  if (others.length < ASKED_AT_ONCE || lastAsked === undefined) return { items, next: null };
  return { items, next: cursorOf(lastAsked, asked.at(-1)?.found.at(-1)?.place ?? 0) };
};

const cursorOf = (wallet: Uuid | null, record: StuckRecord["place"]): string =>
  `${wallet ?? "platform"}.${record}`;

const placeOf = (cursor: string | null): Place => {
  if (cursor === null) return { wallet: null, record: 0 };
  const [wallet = "", record = ""] = cursor.split(".", 2);
  if (!/^\d{1,15}$/.test(record)) throw unknownCursor();
  if (wallet === "platform") return { wallet: null, record: Number(record) };
  if (!isUuid(wallet)) throw unknownCursor();
  return { wallet, record: Number(record) };
};
