import type { ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { HAS_WALLET, integrationIds } from "../../db/queries/integrations.ts";
import type { WalletName } from "../../db/queries/recovery.ts";
import { forgetBehind, hasOperation, isBehind, noteBehind } from "../../db/queries/rollback.ts";
import { readSweep, sweptSince, writeSweep } from "../../db/queries/sweeps.ts";
import type { Uuid } from "../../domain/ids.ts";
import { walletOf } from "../../wallet/client.ts";

/** The sweep over all wallets, and the time of the last one that found no journal ahead of the database. */
const ROUND = "database_age";
const SOUND = "database_sound";
/** Wallets of one run, and how many are asked at once. */
const MOST_WALLETS = 120;
const AT_ONCE = 6;
/** How long a sound sweep is valid. Milliseconds. */
const SOUND_FOR = 12 * 3_600_000;

interface Cursor {
  readonly after: Uuid | null;
  /** No wallet so far was ahead of the database, and all answered. */
  readonly sound: boolean;
}

/** Finds idle wallets with journaled operations that the database lacks; busy ones notice. Clean-up depends on it. */
export const watchDatabase = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const cursor = await readSweep(db, ROUND);
  const place: Cursor = cursor === null ? { after: null, sound: true } : (JSON.parse(cursor) as Cursor);
  const page = await integrationIds(db, { which: HAS_WALLET, after: place.after }, MOST_WALLETS);
  const first: WalletName[] = cursor === null ? ["platform"] : [];
  const sound = (await areSound(context, [...first, ...page])) && place.sound;
  const last = page.at(-1);
  if (page.length === MOST_WALLETS && last !== undefined) {
    await writeSweep(db, ROUND, JSON.stringify({ after: last, sound } satisfies Cursor), now());
    return;
  }
  await writeSweep(db, ROUND, null, now());
  if (sound) await writeSweep(db, SOUND, null, now());
};

const areSound = async (context: ServiceContext, names: readonly WalletName[]): Promise<boolean> => {
  const sound: WalletName[] = [];
  const rest = names.values();
  const worker = async () => {
    for (const name of rest) {
      try {
        if (await isSound(context, name)) sound.push(name);
      } catch (error) {
        context.log("database.wallet_unavailable", { wallet: name, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await forgetBehind(context.db, sound);
  return sound.length === names.length;
};

/** Whether the database has a wallet's latest operation. If not, this is reported to the wallet. */
const isSound = async ({ db, env, log, now }: ServiceContext, name: WalletName): Promise<boolean> => {
  const wallet = walletOf(env, name);
  const { state, latest, generation } = await wallet.rollbackCheck();
  if (latest === null) return true;
  if (state !== "behind") {
    if (await hasOperation(db, latest)) return true;
    await wallet.databaseLacks(latest, generation);
  }
  log("database.behind", { wallet: name, latest });
  await noteBehind(db, name, latest, now());
  return false;
};

/** Whether the database is known not to be rolled back. Otherwise a file without a row may belong to a lost row, and stays. */
export const isSoundLately = async ({ db, now }: ServiceContext): Promise<boolean> =>
  !(await isBehind(db)) && (await holds(db, sweptSince(SOUND, new Date(now().getTime() - SOUND_FOR))));
