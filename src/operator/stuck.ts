import type { StuckTransaction } from "../api/resources/wallet.ts";
import type { ServiceContext } from "../context.ts";
import { isForgotten, ledgerOf } from "../db/ledger.ts";
import { withSomethingStuck } from "../db/queries/integrations.ts";
import { openOperations } from "../db/queries/operations.ts";
import { type Page, unknownCursor } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import { isUuid, type Uuid } from "../domain/ids.ts";
import { walletOf } from "../wallet/client.ts";
import type { StuckRecord } from "../wallet/interface.ts";
import { type Stuck, toStuck } from "./wallets.ts";

/** After this time an open operation is listed; an unknown one at once. Milliseconds. */
const OLD_AFTER_MS = 120_000;
/** Wallets that one page of the list reads concurrently. */
const ASKED_AT_ONCE = 20;

/** The position before all records of a wallet, which begin at 0. */
const BEFORE_ALL = -1;

/** After a record of a wallet's journal, or an operation's row if it is inactive. The platform's is first. */
interface Cursor {
  readonly wallet: Uuid | null;
  readonly record: number;
}

interface Found {
  readonly position: number;
  readonly stuck: Stuck;
}

/**
 * Late and unprovable transactions, and operations of inactive wallets. A page reads
 * a bounded number of wallets, so it may be short or empty and still have a next one.
 * @throws ServiceError invalid_request (cursor), wallet_busy
 */
export const listStuck = async (
  context: ServiceContext,
  cursor: string | null,
  size: number,
): Promise<Page<StuckTransaction>> => {
  const start = parseCursor(cursor);
  const others = await walletsAfter(context, start.wallet);
  const asked = await Promise.all(
    [start.wallet, ...others].map(async (wallet) => {
      const after = wallet === start.wallet ? start.record : BEFORE_ALL;
      return { wallet, found: await stuckOf(context, wallet, after, size + 1) };
    }),
  );
  const entries = asked.flatMap(({ wallet, found }) => found.map((entry) => ({ wallet, ...entry })));
  const shown = entries.slice(0, size);
  const items = shown.map(({ wallet, stuck }) => ({ integration_uuid: wallet, ...stuck }));
  const last = shown.at(-1);
  if (entries.length > size && last) return { items, next: cursorOf(last.wallet, last.position) };
  const lastAsked = others.at(-1);
  if (others.length < ASKED_AT_ONCE || lastAsked === undefined) return { items, next: null };
  return { items, next: cursorOf(lastAsked, asked.at(-1)?.found.at(-1)?.position ?? 0) };
};

/** The next integrations that have something stuck, by their ids. */
const walletsAfter = ({ db, now }: ServiceContext, after: Uuid | null): Promise<Uuid[]> =>
  withSomethingStuck(db, new Date(now().getTime() - OLD_AFTER_MS), after, ASKED_AT_ONCE);

/** What is stuck in one wallet: from its journal or, if it is inactive, its open operations. */
const stuckOf = async (
  context: ServiceContext,
  wallet: Uuid | null,
  after: number,
  limit: number,
): Promise<Found[]> => {
  const from = Math.max(after, 0);
  const waits = { state: "wallet_inactive", transaction: null } as const;
  let found: StuckRecord[] | null;
  try {
    found = await walletOf(context.env, wallet ?? "platform").stuck(from, limit);
  } catch (error) {
    if (wallet === null || error instanceof ServiceError) throw error;
    context.log("stuck.ledger_unavailable", { integration_uuid: wallet, error });
    return after > BEFORE_ALL ? [] : [{ position: 0, stuck: { operation_uuid: null, step: null, ...waits } }];
  }
  if (found !== null) return found.map(({ place, record }) => ({ position: place, stuck: toStuck(record) }));
  if (wallet === null) return [];
  try {
    const rows = await openOperations(ledgerOf(context, wallet), from, limit);
    return rows.map(({ rowNumber, id, kind }) => ({
      position: rowNumber,
      stuck: { operation_uuid: id, step: kind, ...waits },
    }));
  } catch (error) {
    // No ledger keeps another from being listed.
    context.log("stuck.ledger_unavailable", { integration_uuid: wallet, error });
    // One that was lost doesn't know its operations until it is activated.
    if (!isForgotten(error) || after > BEFORE_ALL) return [];
    return [{ position: 0, stuck: { operation_uuid: null, step: null, ...waits } }];
  }
};

const cursorOf = (wallet: Uuid | null, record: number): string => `${wallet ?? "platform"}.${record}`;

const parseCursor = (cursor: string | null): Cursor => {
  if (cursor === null) return { wallet: null, record: BEFORE_ALL };
  const [wallet = "", record = ""] = cursor.toLowerCase().split(".", 2);
  if (!/^\d{1,15}$/.test(record)) throw unknownCursor();
  if (wallet === "platform") return { wallet: null, record: Number(record) };
  if (!isUuid(wallet)) throw unknownCursor();
  return { wallet, record: Number(record) };
};
