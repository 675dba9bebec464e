import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
// Inside: records of the wallet's journal, and how it moves them to files.
import { NO_COST } from "../../src/chain/cost.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { DAY } from "../support/archives.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import {
  filesInBucket,
  inFiles,
  inJournal,
  knownFiles,
  passHours,
  ringAlarm,
  withJournalOf,
} from "../support/journals.ts";
import {
  background,
  firstPass,
  killAt,
  killedAt,
  observeCheckpoints,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { walletOf } from "../support/own-wallets.ts";
import { NOTHING, recoverDatabase } from "../support/recovery.ts";
import { unsigned } from "../support/shared-mints.ts";

/** A wallet's journal has what is over for a day. Then files have what a database may need that is rolled back. */

let shop: TestIntegration;
let collection: Finalized;
let alice: string;
let wallet: string;

beforeAll(async () => {
  [alice] = (await createReceivers(1)) as [string];
});
beforeEach(async () => {
  shop = await createIntegration("Journal");
  wallet = shop.integrationUuid;
  collection = await createCollection(shop, { copies: [100] });
});
afterEach(async () => {
  observeCheckpoints(null);
  vi.restoreAllMocks();
  // Another test's recovery counts its own alone.
  await recoverDatabase();
});

const mint = (key: string) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    headers: { "idempotency-key": key },
  });

const mints = async (...keys: string[]): Promise<unknown[]> => {
  const answers: unknown[] = [];
  for (const key of keys) answers.push(await bodyOf(await mint(key), 201));
  return answers;
};

const replayed = async (key: string): Promise<unknown> => {
  const answer = await mint(key);
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  return bodyOf(answer, 201);
};

/** Waits until the wallet knows that its operations' effects are written. */
const acknowledged = async (name = wallet): Promise<void> => {
  await vi.waitUntil(
    () =>
      withJournalOf(name, ({ operations, snapshots }) => {
        const all = snapshots.after(null, 1_000);
        return all.every(({ operationUuid }) => operations.acknowledgedAt(operationUuid) !== null);
      }),
    { timeout: 60_000, interval: 100 },
  );
};

/** A day and the time to gather pass. */
const forget = async (name = wallet): Promise<void> => {
  await acknowledged(name);
  await passHours(name, 31);
  await ringAlarm(name);
};

/** All that the wallet tells a recovery, in pages. */
const told = async (limit: number): Promise<Uuid[]> => {
  const found: Uuid[] = [];
  const stub = walletOf(wallet);
  for (let page = await stub.journaled([], limit); ; ) {
    found.push(...page.map(({ operationUuid }) => operationUuid));
    if (page.length < limit) return found;
    page = await stub.journaled(page.at(-1)!.place, limit);
  }
};

describe("ended operations of a wallet", () => {
  test("are in the wallet's journal for a day, then in one file, except the last one", async () => {
    await mints("one", "two", "three");
    await acknowledged();
    const all = await inJournal(wallet);
    expect(all.length).toBeGreaterThan(3);
    await passHours(wallet, 23);
    await ringAlarm(wallet);
    // More than a day, and they are still gathered.
    await passHours(wallet, 3);
    await ringAlarm(wallet);
    expect([await inJournal(wallet), await filesInBucket(wallet)]).toEqual([all, []]);
    await passHours(wallet, 5);
    await ringAlarm(wallet);
    expect(await inJournal(wallet)).toEqual(all.slice(-1));
    const files = await filesInBucket(wallet);
    expect(files).toHaveLength(1);
    expect((await inFiles(files)).toSorted()).toEqual(all.slice(0, -1).toSorted());
    expect(await knownFiles(wallet)).toEqual(files);
    for (const limit of [1, 2, 100]) expect(await told(limit)).toEqual(all);
  });

  test("are restored from the file, with their answers and keys, and from the journal", async () => {
    const before = await takeSnapshot();
    const first = await mints("one", "two");
    await forget();
    const second = await mints("three");
    await forget();
    const third = await mints("four");
    // The last one, and the one before it until the next alarm.
    expect((await inJournal(wallet)).length).toBeLessThanOrEqual(2);
    const count = await mintedOnChain(shop, collection);
    await goBack(before);
    expect((await mint("five")).status).toBe(503);
    expect(await recoverDatabase()).toMatchObject({
      operations: 4,
      idempotency_keys: 4,
      unrestored: [],
    });
    expect([await replayed("one"), await replayed("two")]).toEqual(first);
    expect([[await replayed("three")], [await replayed("four")]]).toEqual([second, third]);
    expect(await recoverDatabase()).toEqual(NOTHING);
    expect(await mintedOnChain(shop, collection)).toBe(count);
    await bodyOf(await mint("five"), 201);
  });

  test("restore an integration created since, with its contract and its collection", async () => {
    const before = await takeSnapshot();
    const fresh = await createIntegration("Made since");
    await createCollection(fresh, { copies: [5] });
    for (const name of ["platform", fresh.integrationUuid]) await forget(name);
    const [created] = await inFiles(await knownFiles("platform"));
    expect(await inJournal("platform")).not.toContain(created);
    await goBack(before);
    expect((await admin(`/integration/${fresh.integrationUuid}`)).status).toBe(404);
    expect(await recoverDatabase()).toMatchObject({
      integrations: 1,
      contracts: 1,
      collections: 1,
      unrestored: [],
    });
    expect((await admin(`/integration/${fresh.integrationUuid}`)).status).toBe(200);
  });

  test("show that the database was rolled back, even after days without new operations", async () => {
    const before = await takeSnapshot();
    await mints("one", "two");
    await forget();
    await passHours(wallet, 20 * 24);
    await ringAlarm(wallet);
    await goBack(before);
    expect((await mint("three")).status).toBe(503);
    expect(await recoverDatabase()).toMatchObject({ operations: 2, unrestored: [] });
  });

  describe("and are open again in a rolled-back database", () => {
    /** An operation that is forgotten, in a database of the moment in which it was open. */
    const openAgain = async () => {
      const answer = await killedAt("operation.before_effects", () => mint("open"));
      const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
      const before = await takeSnapshot();
      await background.resume(uuid);
      const ended = await operationOver(shop.key, uuid);
      await mints("later");
      await forget();
      expect(await inJournal(wallet)).not.toContain(uuid);
      const count = await mintedOnChain(shop, collection);
      await goBack(before);
      expect((await readOperation(shop.key, uuid)).state).toBe("pending");
      return { uuid: uuid as Uuid, ended, count };
    };

    test("end the same way, by recovery", async () => {
      const { uuid, ended, count } = await openAgain();
      expect(await recoverDatabase()).toMatchObject({ operations: 2, unrestored: [] });
      expect(await readOperation(shop.key, uuid)).toEqual({ ...ended, updated_at: expect.any(String) });
      expect(await mintedOnChain(shop, collection)).toBe(count);
    });

    test("end the same way before recovery, and nothing is sent again", async () => {
      const { uuid, ended, count } = await openAgain();
      await background.resume(uuid);
      expect((await readOperation(shop.key, uuid)).answer).toEqual(ended.answer);
      expect(await mintedOnChain(shop, collection)).toBe(count);
    });

    test("accept no step, repeated or new, and aren't reported as without steps", async () => {
      const { uuid } = await openAgain();
      const stub = walletOf(wallet);
      const [record] = await stub.transactions(uuid);
      expect(record).toMatchObject({ state: "succeeded", step: expect.any(String) });
      expect(record!.value).toBeInstanceOf(Uint8Array);
      const submit = (step: string) =>
        stub.submit({ operationUuid: uuid, step, fairnessKey: wallet, receiverId: alice, actions: [] });
      expect((await submit(record!.step)).status).toBe("accepted");
      expect((await submit("another")).status).toBe("withdrawn");
      expect(await stub.withdraw(uuid, 0, true)).toBe(false);
      expect(await stub.withdraw(uuid, 1, false, ["succeeded"])).toBe(true);
      expect(await stub.withdraw(uuid, 1, false, ["unknown"])).toBe(false);
      expect(await inJournal(wallet)).not.toContain(uuid);
    });
  });

  test("with a failure accept no further step, whatever another call decides about the last one", async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [1] });
    const request = {
      key: shop.key,
      json: { receiver_addresses: [alice] },
      headers: { prefer: "respond-async" },
    };
    const answers = await unsigned(wallet, () =>
      Promise.all([1, 2].map(() => api(`/collection/${uuid}/mint`, request))),
    );
    const over = await Promise.all(
      answers.map((answer) => operationOver(shop.key, answer.headers.get("x-operation-uuid")!)),
    );
    const [failed, ...others] = over.filter(({ state }) => state === "failed");
    expect(others).toEqual([]);
    await acknowledged();
    const coming = { step: "mint~2", fairnessKey: wallet, receiverId: alice, actions: [] };
    const stub = walletOf(wallet);
    const operationUuid = failed!.operation_uuid as Uuid;
    expect((await stub.submit({ operationUuid, ...coming })).status).toBe("withdrawn");
    expect(await stub.transactions(operationUuid)).toHaveLength(1);
  });

  test("refused before anything was sent are refused again by a rolled-back database", async () => {
    const answer = await killedAt("operation.before_submit", () => mint("open"));
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
    const before = await takeSnapshot();
    const limits = `/integration/${wallet}/limits`;
    await bodyOf(await admin(limits, { method: "PUT", json: { spending_per_day: "1" } }), 200);
    await background.resume(uuid);
    expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "failed", transactions: [] });
    await bodyOf(await admin(limits, { method: "PUT", json: { spending_per_day: null } }), 200);
    await mints("later");
    await forget();
    const count = await mintedOnChain(shop, collection);
    await goBack(before);
    await recoverDatabase();
    await background.resume(uuid);
    expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "failed", transactions: [] });
    expect(await mintedOnChain(shop, collection)).toBe(count);
  });

  test.each(["wallet.before_file", "wallet.file_written"])(
    "are neither lost nor duplicated when the object is killed at %s",
    async (point) => {
      await mints("one", "two");
      await acknowledged();
      const all = await inJournal(wallet);
      await passHours(wallet, 31);
      const kills = killAt(point, firstPass);
      await ringAlarm(wallet).catch(() => undefined);
      expect(kills.count).toBe(1);
      observeCheckpoints(null);
      expect(await told(2)).toEqual(all);
      await ringAlarm(wallet);
      expect(await inJournal(wallet)).toEqual(all.slice(-1));
      expect(await told(2)).toEqual(all);
      const files = await knownFiles(wallet);
      expect((await inFiles(files)).toSorted()).toEqual(all.slice(0, -1).toSorted());
      expect(await filesInBucket(wallet)).toHaveLength(point === "wallet.file_written" ? 2 : 1);
    },
  );

  test("that change while their file is written are kept, and are listed once", async () => {
    await mints("one", "two");
    await acknowledged();
    const all = await inJournal(wallet);
    const [open] = all as [Uuid];
    await withJournalOf(wallet, (journal) => {
      const now = Date.now() + 2 * DAY;
      const taken = journal.forgetting.take(now, { keptMs: DAY, recoverableMs: 31 * DAY });
      expect(taken.map(({ operation }) => operation)).toEqual(all.slice(0, -1));
      journal.operations.begin(open, false);
      journal.forgetting.filed(taken, { key: "journal/elsewhere", writtenAt: now });
    });
    expect(await inJournal(wallet)).toEqual([open, all.at(-1)]);
    expect(await knownFiles(wallet)).toEqual(["journal/elsewhere"]);
  });

  test("are kept while R2 fails, retried after a pause, and logged", async () => {
    await mints("one", "two");
    await acknowledged();
    const all = await inJournal(wallet);
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    const put = await runInDurableObject(env.WALLET.getByName(wallet), (object) => {
      const { BUCKET } = (object as unknown as { env: { BUCKET: R2Bucket } }).env;
      return vi.spyOn(BUCKET, "put").mockRejectedValue(new Error("R2 is away"));
    });
    await passHours(wallet, 31);
    await ringAlarm(wallet);
    await ringAlarm(wallet);
    expect(put).toHaveBeenCalledTimes(1);
    expect(await inJournal(wallet)).toEqual(all);
    const said = lines.filter((line) => line.includes("wallet.journal_not_filed"));
    expect(said).toHaveLength(1);
    expect(JSON.parse(said[0]!)).toMatchObject({ operations: all.length - 1, again_in: 60_000 });
    const alarm = await runInDurableObject(env.WALLET.getByName(wallet), (_, { storage }) =>
      storage.getAlarm(),
    );
    expect(alarm! - Date.now()).toBeGreaterThan(0);
    put.mockRestore();
    const later = Date.now() + 61_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    await ringAlarm(wallet);
    expect(await inJournal(wallet)).toEqual(all.slice(-1));
    expect(await told(100)).toEqual(all);
  });

  test("are kept in a file for a month, then deleted", async () => {
    await mints("one", "two");
    await forget();
    const [file] = await filesInBucket(wallet);
    await background.cleanUp(31 * DAY);
    expect(await filesInBucket(wallet)).toEqual([file]);
    await passHours(wallet, 30 * 24);
    await ringAlarm(wallet);
    expect(await knownFiles(wallet)).toEqual([file]);
    await passHours(wallet, 25);
    await ringAlarm(wallet);
    expect([await knownFiles(wallet), await inJournal(wallet), await told(10)]).toEqual([[], [], []]);
    await background.cleanUp(33 * DAY);
    expect(await filesInBucket(wallet)).toEqual([]);
    await bodyOf(await mint("three"), 201);
  });

  test("with a lost file don't prevent the others from being put back", async () => {
    const before = await takeSnapshot();
    await mints("one", "two");
    await forget();
    const [lost] = await knownFiles(wallet);
    await mints("three");
    await forget();
    await mints("four");
    await env.BUCKET.delete(lost!);
    await goBack(before);
    expect(await recoverDatabase()).toMatchObject({ operations: 3 });
  });

  test("are removed in bounded steps, however many there are", async () => {
    const COUNT = 10_000;
    wallet = newUuid();
    await withJournalOf(wallet, (journal) =>
      journal.atomically(() => {
        for (let number = 0; number < COUNT; number++) {
          const operation = newUuid();
          const id = journal.intents.add({
            ...{ operation, step: "one", fairness: "test", receiverId: "r.near", method: null },
            ...{
              actions: new Uint8Array(),
              cost: NO_COST,
              state: "queued",
              internal: false,
              now: Date.now(),
            },
          });
          journal.operations.begin(operation, false);
          journal.snapshots.add(operation, {
            ...{ kind: "mint", integrationUuid: wallet as Uuid, subjectUuid: newUuid(), request: "{}" },
            ...{ keys: [], acceptedAt: Date.now(), rowNumber: 1_000 + number, recent: [] },
            ...{ quotedCost: null, mostCost: null, reference: null, apiKey: null },
          });
          const ending = { result: null, value: null, contractCode: null, height: null };
          journal.move("refuse", { intentId: id, row: null, ending, now: Date.now() });
          journal.operations.acknowledge(operation, Date.now());
        }
      }),
    );
    await acknowledged();
    const all = await inJournal(wallet);
    await passHours(wallet, 31);
    let left = all.length;
    for (let rings = 0; left > 1; rings++) {
      expect(rings).toBeLessThan(5);
      const files = (await filesInBucket(wallet)).length;
      await ringAlarm(wallet);
      const now = (await inJournal(wallet)).length;
      expect(left - now).toBeLessThanOrEqual(4_000);
      expect((await filesInBucket(wallet)).length - files).toBeLessThanOrEqual(16);
      left = now;
    }
    expect(await filesInBucket(wallet)).toHaveLength(Math.ceil((all.length - 1) / 250));
    expect(await told(1_000)).toEqual(all);
  });
});
