import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { noteEvent, type OperatorEvent } from "../../db/queries/events.ts";
import { IS_INACTIVE, isThere, setInactive } from "../../db/queries/integrations.ts";
import { changeSweep, hasCursor, readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { integrations, type UntoldEvent } from "../../db/schema/index.ts";
import type { Statement } from "../../db/statements.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { LOW, type WalletSeen, walletEvents } from "../../domain/wallet-watch.ts";
import { tellEvent } from "../../events/webhooks/interface.ts";
import { walletOf } from "../../wallet/client.ts";

/** Shares of its limit at which an event reports that the database fills, percent, ascending. */
export const FILL_MARKS: readonly number[] = [50, 70, 80, 90, 95, 99];

/** The highest mark that so many bytes have reached; 0: none. */
export const fillMark = (bytes: number, limit: number): number =>
  FILL_MARKS.findLast((mark) => bytes * 100 >= mark * limit) ?? 0;

const SWEEP = "wallets";

/** Wallets of one run: each is a call to its object, which reads the chain. */
const WALLETS = 20;

/** Condition: the last look at a wallet is this one. */
const wasSeen = (id: Uuid, seen: WalletSeen | null): SQL => sql`EXISTS (
  SELECT 1 FROM integrations WHERE id = ${uuidToBytes(id)} AND wallet_seen IS ${seen && JSON.stringify(seen)})`;

/** Reports which of some wallets run low, were topped up, or are inactive, and of inactive ones, which work again. */
export const watchWallets = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const after = (await readSweep(db, SWEEP)) as Uuid | null;
  // As the index says it.
  const which = and(
    sql`wallet_state = 'ready' AND deleted_at IS NULL`,
    after ? gt(integrations.id, after) : undefined,
  );
  const wallets = (some: SQL | undefined) =>
    db
      .select({
        id: integrations.id,
        seen: integrations.walletSeen,
        inactiveSince: integrations.walletInactiveSince,
      })
      .from(integrations)
      .where(some)
      .orderBy(asc(integrations.id))
      .limit(WALLETS);
  const [found, inactive] = await db.batch([wallets(which), wallets(and(IS_INACTIVE, sql`id > x''`))]);
  const others = inactive.filter(({ id }) => !found.some((one) => one.id === id));
  await Promise.all(
    [...found, ...others].map((row) =>
      look(context, row).catch((error: unknown) =>
        context.log("wallets.look_failed", { integration_uuid: row.id, error }),
      ),
    ),
  );
  await writeSweep(db, SWEEP, found.length < WALLETS ? null : (found.at(-1)?.id ?? null), now());
};

const look = async (
  context: ServiceContext,
  {
    id,
    seen,
    inactiveSince,
  }: { readonly id: Uuid; readonly seen: WalletSeen | null; readonly inactiveSince: Date | null },
): Promise<void> => {
  const { db, env, now } = context;
  const wallet = await walletOf(env, id)
    .status()
    .catch(async (error: unknown) => {
      // An object that only has too much to do answers so.
      if (!(error instanceof ServiceError)) await setInactive(db, id, now());
      throw error;
    });
  const { accountId, state, balance, available, spentPerDay, queued, open } = wallet;
  if ((state === "active") !== (inactiveSince === null))
    await setInactive(db, id, state === "active" ? null : now());
  // Gas refunds of pending transactions aren't deposits.
  if (balance === null || available === null || queued + open > 0) return;
  const low = BigInt(available) < LOW;
  const current: WalletSeen = { balance, low, available, perDay: spentPerDay };
  if (JSON.stringify(seen) === JSON.stringify(current)) return;
  const data = { account_id: accountId, state, balance, available, queued };
  const at = now();
  const events = walletEvents(seen, current).flatMap((type) => [
    { id: newUuid(), integrationId: id, type, data, at },
    ...(type === "wallet.low"
      ? forOperator(context, { type, data: { integration_uuid: id, ...data }, at })
      : []),
  ]);
  const isAsSeen = wasSeen(id, seen);
  const change = db
    .update(integrations)
    .set({ walletSeen: current })
    .where(and(eq(integrations.id, id), isAsSeen));
  await changeAndTell(context, events, isAsSeen, change);
};

/** The event for the operator's integration; none without one. */
const forOperator = ({ settings }: ServiceContext, event: OperatorEvent): UntoldEvent[] => {
  const integrationId = settings.OPERATOR_INTEGRATION as Uuid | undefined;
  return integrationId === undefined ? [] : [{ id: newUuid(), integrationId, ...event }];
};

/**
 * Makes a change in one batch with notes of its events, then tells these. Of two concurrent runs, the second finds what the
 * first has stored. @param condition for the change, before it
 */
const changeAndTell = async (
  context: ServiceContext,
  events: readonly UntoldEvent[],
  condition: SQL,
  change: Statement,
): Promise<void> => {
  const { db } = context;
  // There may be no integration that the settings name as the operator's.
  const notes = events.map((event) =>
    noteEvent(db, event, sql`${condition} AND ${isThere(event.integrationId)}`),
  );
  const noted = (await runBatch(db, [...notes, change])) as readonly (readonly object[])[];
  for (const [index, event] of events.entries()) {
    if (noted[index]!.length > 0) await tellEvent(context, event);
  }
};

/** What the database's fill was at the last look, as its mark. */
const DATABASE = "operator_database";
/** What the platform's wallet was at the last look. */
const PLATFORM = "operator_platform";

/** Reports to the operator's integration when the database fills and when the platform's wallet runs low. */
export const watchForOperator = async (context: ServiceContext): Promise<void> => {
  if (context.settings.OPERATOR_INTEGRATION === undefined) return;
  await watchFill(context);
  await watchPlatform(context);
};

/** A database that shrank may fill again, which is another event. */
const watchFill = async (context: ServiceContext): Promise<void> => {
  const { db, settings, now } = context;
  const { meta } = await db.run(sql`SELECT 1`);
  const [size, limit] = [meta.size_after, settings.DATABASE_LIMIT];
  const mark = fillMark(size, limit);
  const before = await readSweep(db, DATABASE);
  const data = { size_bytes: size, limit_bytes: limit, percent: mark };
  const event = { type: "database.filling", data, at: now() } as const;
  await change(
    context,
    { name: DATABASE, before, after: String(mark) },
    mark > Number(before ?? 0) ? event : null,
  );
};

const watchPlatform = async (context: ServiceContext): Promise<void> => {
  const { db, env, settings, now } = context;
  const { accountId, state, balance, available, queued } = await walletOf(env, "platform").status();
  if (balance === null || available === null) return;
  const { WALLET_FUNDING, CONTRACT_FUNDING } = settings;
  const isLow = BigInt(available) < BigInt(WALLET_FUNDING) + BigInt(CONTRACT_FUNDING);
  const before = await readSweep(db, PLATFORM);
  const data = { integration_uuid: null, account_id: accountId, state, balance, available, queued };
  const event = { type: "wallet.low", data, at: now() } as const;
  await change(context, { name: PLATFORM, before, after: isLow ? "low" : "funded" }, isLow ? event : null);
};

const change = async (
  context: ServiceContext,
  { name, before, after }: { readonly name: string; readonly before: string | null; readonly after: string },
  event: OperatorEvent | null,
): Promise<void> => {
  if (before === after) return;
  const { db, now } = context;
  const events = event === null ? [] : forOperator(context, event);
  await changeAndTell(
    context,
    events,
    hasCursor(name, before),
    changeSweep(db, name, { before, after, now: now() }),
  );
};
