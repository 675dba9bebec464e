import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Uuid } from "../../src/domain/ids.ts";
import { Journal } from "../../src/wallet/journal/journal.ts";
import { journalRows } from "./own-wallets.ts";

const HOUR = 3_600_000;

const stubOf = (wallet: string) => env.WALLET.getByName(wallet);

/** Passes time for what a wallet's journal has that is over: as if all of it had ended earlier. */
export const passHours = (wallet: string, hours: number): Promise<void> =>
  runInDurableObject(stubOf(wallet), (_, { storage: { sql } }) => {
    sql.exec("UPDATE drives SET acknowledged_at = acknowledged_at - ?", hours * HOUR);
    sql.exec("UPDATE files SET written_at = written_at - ?", hours * HOUR);
  });

/** Has the wallet's alarm ring now. */
export const ringAlarm = async (wallet: string): Promise<void> => {
  await runInDurableObject(stubOf(wallet), (_, { storage }) => storage.setAlarm(Date.now() + HOUR));
  await runDurableObjectAlarm(stubOf(wallet));
};

/** Operations that the journal has, without those of the wallet itself. */
export const inJournal = async (wallet: string): Promise<Uuid[]> =>
  (
    await journalRows<{ operation: Uuid }>(
      wallet,
      "SELECT operation FROM snapshots ORDER BY generation, row_number",
    )
  ).map(({ operation }) => operation);

/** Keys of the files that the wallet's journal knows. */
export const knownFiles = async (wallet: string): Promise<string[]> =>
  (await journalRows<{ key: string }>(wallet, "SELECT key FROM files ORDER BY number")).map(({ key }) => key);

/** Keys of all of the wallet's files in R2. */
export const filesInBucket = async (wallet: string): Promise<string[]> =>
  (await env.BUCKET.list({ prefix: `journal/${env.WALLET.idFromName(wallet).toString()}/` })).objects.map(
    ({ key }) => key,
  );

/** Operations that a wallet's files have in R2, as often as they are there. */
export const inFiles = async (keys: readonly string[]): Promise<string[]> => {
  const texts = await Promise.all(keys.map(async (key) => (await env.BUCKET.get(key))!.text()));
  return texts
    .flatMap((text) => text.split("\n").filter((line) => line !== ""))
    .map((line) => (JSON.parse(line) as { operation: { operationUuid: string } }).operation.operationUuid);
};

/** Works on a wallet's journal. */
export const withJournalOf = <T>(wallet: string, work: (journal: Journal) => T): Promise<T> =>
  runInDurableObject(stubOf(wallet), (_, { storage }) => work(new Journal(storage)));
