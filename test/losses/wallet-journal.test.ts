import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
// Inside: no request shows what a wallet's journal keeps, or how many of its rows are read.
import { NO_COST } from "../../src/chain/cost.ts";
import { newUuid } from "../../src/domain/ids.ts";
import { Journal } from "../../src/wallet/journal/journal.ts";
import { carriedOut, createReceiver, createWallet, payment } from "../support/own-wallets.ts";

/** The journal of a wallet object on its runtime's SQLite: what it forgets, and how many rows a query reads. */

const DAY_MS = 24 * 3_600_000;
const NOW = 1_900_000_000_000;

/** Runs work on a new empty journal, and returns the number of rows that SQLite read. */
const withJournal = <T>(work: (journal: Journal, readRows: () => number) => T): Promise<T> =>
  runInDurableObject(env.WALLET.getByName(newUuid()), (_, { storage }) => {
    let cursors: { readonly rowsRead: number }[] = [];
    const sql = new Proxy(storage.sql, {
      get: (target, name) => {
        if (name !== "exec") return Reflect.get(target, name);
        return (...given: Parameters<SqlStorage["exec"]>) => {
          const cursor = target.exec(...given);
          cursors.push(cursor);
          return cursor;
        };
      },
    });
    const transactionSync = <R>(writes: () => R) => storage.transactionSync(writes);
    const journal = new Journal({ sql, transactionSync } as unknown as DurableObjectStorage);
    return work(journal, () => {
      const read = cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
      cursors = [];
      return read;
    });
  });

const begin = (journal: Journal, operation = newUuid(), state: "queued" | "unknown" = "queued") => {
  const id = journal.intents.add({
    operation,
    step: "one",
    fairness: "test",
    receiverId: "r.near",
    method: null,
    actions: new Uint8Array(),
    cost: NO_COST,
    state,
    internal: false,
    now: NOW,
  });
  journal.operations.begin(operation, false);
  return { id, operation };
};

/** Forgets what was acknowledged before a time. */
const forget = (journal: Journal, now: number) => journal.operations.forgetOld(now, now, 250);

/** When the next is forgotten. */
const nextForgotten = (journal: Journal) => journal.operations.firstAcknowledged();

const OVER = { result: null, value: null, contractCode: null, height: null };

describe("an operation acknowledged long ago", () => {
  test("is removed, including one that the operator settled", () =>
    withJournal((journal) => {
      const done = begin(journal);
      journal.move("refuse", { intentId: done.id, row: null, ending: OVER, now: NOW });
      const settled = begin(journal, newUuid(), "unknown");
      for (const { operation } of [done, settled]) journal.operations.acknowledge(operation, NOW);
      forget(journal, NOW + 1);
      for (const { operation } of [done, settled]) expect(journal.intents.records(operation)).toEqual([]);
      expect(nextForgotten(journal)).toBeNull();
    }));

  test("is kept while it has something to sign or prove, and isn't due again at once", () =>
    withJournal((journal) => {
      const { operation } = begin(journal);
      journal.operations.acknowledge(operation, NOW);
      forget(journal, NOW + DAY_MS);
      expect(journal.intents.records(operation)).toHaveLength(1);
      expect(nextForgotten(journal)).toBe(NOW + DAY_MS);
    }));
});

describe("a journal with many ended operations is read in few rows", () => {
  const ENOUGH_ROWS = 600;

  /** Operations that are over and acknowledged, before a queue. */
  const filled = (journal: Journal) => {
    for (let count = 0; count < ENOUGH_ROWS; count++) {
      const { id, operation } = begin(journal);
      journal.move("refuse", { intentId: id, row: null, ending: OVER, now: NOW });
      journal.operations.acknowledge(operation, NOW + count);
    }
    return Array.from({ length: ENOUGH_ROWS }, () => begin(journal));
  };

  test.each<[string, (journal: Journal) => unknown]>([
    ["to find when the next operation is due", (journal) => journal.operations.nextResume()],
    ["to find when the next operation is removed", nextForgotten],
    ["to add an intent", (journal) => begin(journal)],
  ])("%s", (_name, question) =>
    withJournal((journal, readRows) => {
      filled(journal);
      readRows();
      question(journal);
      expect(readRows()).toBeLessThan(20);
    }),
  );

  test("to end an intent", () =>
    withJournal((journal, readRows) => {
      const [first] = filled(journal);
      readRows();
      journal.move("refuse", { intentId: first!.id, row: null, ending: OVER, now: NOW });
      expect(readRows()).toBeLessThan(40);
    }));

  test("after a refusal", () =>
    withJournal((journal, readRows) => {
      filled(journal);
      journal.intents.counts();
      const before = journal.intents.reserved();
      readRows();
      const refuse = () => {
        throw new Error("refused");
      };
      expect(() => journal.atomically(refuse)).toThrow("refused");
      expect(journal.intents.counts()).toEqual({ queued: ENOUGH_ROWS, open: 0 });
      expect(journal.intents.reserved()).toEqual(before);
      expect(readRows()).toBe(0);
    }));

  test("to find stuck rows", () =>
    withJournal((journal, readRows) => {
      const queue = filled(journal);
      for (const { id } of queue.slice(2))
        journal.move("refuse", { intentId: id, row: null, ending: OVER, now: NOW });
      readRows();
      expect(journal.intents.stuck(NOW + 1, 0, 10)).toHaveLength(2);
      expect(readRows()).toBeLessThan(20);
    }));
});

describe("a shared transaction in the journal", () => {
  const COST = { certain: 5n, gas: 10n, ahead: 100n };

  const mintedIds = (...ids: string[]) => new TextEncoder().encode(JSON.stringify(ids));
  const idsOf = (journal: Journal, operation: string) => {
    const [found] = journal.intents.records(operation);
    return JSON.parse(new TextDecoder().decode(found!.record.value!)) as string[];
  };

  /** Mints of two operations, carried by a transaction of the wallet's own. */
  const carriedPair = (journal: Journal) => {
    const members = [1, 2].map((tokens) => {
      const operation = newUuid();
      const id = journal.intents.add({
        operation,
        step: "mint",
        fairness: "test",
        receiverId: "c.near",
        method: "nft_batch_mint",
        actions: new Uint8Array(),
        cost: COST,
        state: "queued",
        internal: false,
        share: { name: "c.near:0", tokens },
        now: NOW,
      });
      journal.operations.begin(operation, false);
      return { id, operation, tokens };
    });
    const operation = newUuid();
    const shared = journal.intents.add({
      operation,
      step: "shared",
      fairness: "wallet",
      receiverId: "c.near",
      method: "nft_batch_mint",
      actions: new Uint8Array(),
      cost: COST,
      state: "queued",
      internal: true,
      now: NOW,
    });
    journal.operations.begin(operation, true);
    journal.shared.carry(shared, members);
    journal.intents.move(shared, "sign", { ending: null, now: NOW });
    return { members, shared };
  };

  test("is split among its mints in few reads, however many transactions came before", () =>
    withJournal((journal, readRows) => {
      const ending = { ...OVER, value: mintedIds("0:7", "0:8", "0:9") };
      const carryAndEnd = () => {
        const { shared, members } = carriedPair(journal);
        journal.move("succeed", { intentId: shared, row: null, ending, now: NOW });
        for (const { operation } of members) journal.operations.acknowledge(operation, NOW);
      };
      carryAndEnd();
      readRows();
      carryAndEnd();
      const first = readRows();
      for (let count = 0; count < 200; count++) carryAndEnd();
      readRows();
      carryAndEnd();
      expect(readRows()).toBe(first);
      expect(readRows()).toBeLessThan(10);
    }));

  test("reserves its own cost, and its mints reserve theirs again once they are queued", () =>
    withJournal((journal) => {
      const { shared, members } = carriedPair(journal);
      expect(journal.intents.reserved()).toEqual({ queued: 0n, certain: 0n, open: 115n });
      journal.move("fail", { intentId: shared, row: null, ending: OVER, now: NOW });
      expect(journal.intents.reserved()).toEqual({ queued: 30n, certain: 10n, open: 0n });
      const waiting = journal.intents.waiting(NOW);
      expect(waiting.map(({ id, share }) => ({ id, share }))).toEqual(
        members.map(({ id }) => ({ id, share: null })),
      );
      journal.intents.rolledBack();
      expect(journal.intents.reserved()).toEqual({ queued: 30n, certain: 10n, open: 0n });
    }));

  test("without storage fails for one mint, and the others wait until that one has paid", () =>
    withJournal((journal) => {
      const { shared, members } = carriedPair(journal);
      const [first, second] = members as [(typeof members)[0], (typeof members)[0]];
      const ending = { ...OVER, contractCode: "E_STORAGE_BALANCE" };
      const over = journal.move("fail", { intentId: shared, row: null, ending, now: NOW });
      expect(over).toContain(first.operation);
      expect(over).not.toContain(second.operation);
      expect(journal.intents.waiting(NOW)).toEqual([]);
      expect(journal.intents.waiting(NOW + 30_000).map(({ id }) => id)).toEqual([second.id]);
      const topUp = journal.intents.add({
        operation: first.operation,
        step: "topup:mint:1",
        fairness: "test",
        receiverId: "c.near",
        method: null,
        actions: new Uint8Array(),
        cost: NO_COST,
        state: "queued",
        internal: false,
        now: NOW,
      });
      journal.intents.move(topUp, "sign", { ending: null, now: NOW });
      journal.move("succeed", { intentId: topUp, row: null, ending: OVER, now: NOW });
      expect(journal.intents.waiting(NOW)).toMatchObject([{ id: second.id, share: "c.near:0" }]);
    }));

  test("that can't be proven is kept as long as any of its mints", () =>
    withJournal((journal) => {
      const { shared, members } = carriedPair(journal);
      journal.move("give_up", { intentId: shared, row: null, ending: OVER, now: NOW });
      const operations = () => members.map(({ operation }) => journal.intents.records(operation).length);
      forget(journal, NOW + DAY_MS);
      expect(journal.intents.get(shared).state).toBe("unknown");
      for (const { operation } of members) journal.operations.acknowledge(operation, NOW + DAY_MS);
      // The operations go first.
      forget(journal, NOW + 2 * DAY_MS);
      expect(operations()).toEqual([0, 0]);
      forget(journal, NOW + 4 * DAY_MS);
      expect(journal.shared.of(shared)).toEqual([]);
      expect(nextForgotten(journal)).toBeNull();
    }));

  test("that is proven after one of its operations was removed gives the others their own tokens", () =>
    withJournal((journal) => {
      const { shared, members } = carriedPair(journal);
      const [first, second] = members as [(typeof members)[0], (typeof members)[0]];
      journal.move("give_up", { intentId: shared, row: null, ending: OVER, now: NOW });
      journal.operations.acknowledge(first.operation, NOW);
      forget(journal, NOW + DAY_MS);
      expect(journal.intents.records(first.operation)).toEqual([]);
      const ending = { ...OVER, value: mintedIds("0:7", "0:8", "0:9") };
      const over = journal.move("succeed", { intentId: shared, row: null, ending, now: NOW });
      expect(over).toContain(second.operation);
      expect(over).not.toContain(first.operation);
      expect(idsOf(journal, second.operation)).toEqual(["0:8", "0:9"]);
    }));

  test("whose first mint can't be paid releases the others, each on its own", () =>
    withJournal((journal) => {
      const { shared, members } = carriedPair(journal);
      const [first, second] = members as [(typeof members)[0], (typeof members)[0]];
      const ending = { ...OVER, contractCode: "E_STORAGE_BALANCE" };
      journal.move("fail", { intentId: shared, row: null, ending, now: NOW });
      expect(journal.intents.waiting(NOW)).toEqual([]);
      journal.shared.letGo([first.operation], false);
      expect(journal.intents.waiting(NOW)).toMatchObject([{ id: second.id, share: null }]);
    }));
});

test("what a restoration finds raises what the wallet and a key have spent today, and never lowers it", () =>
  withJournal((journal) => {
    const key = newUuid();
    for (const [amount, now, spent] of [
      [5n, NOW, 5n],
      [3n, NOW, 5n],
      [8n, NOW, 8n],
      [2n, NOW + DAY_MS, 2n],
    ] as const) {
      journal.spending.raise(amount, now);
      journal.budgets.raise(key, amount, now);
      expect([journal.spending.of(now), journal.budgets.spent(key, now)]).toEqual([spent, spent]);
    }
  }));

test("a key that is back on its account continues above its last nonce, however low a node says that it is", () =>
  withJournal(({ lanes }) => {
    const key = { publicKey: "ed25519:own", kind: "full_access", receiverId: null, methods: [] } as const;
    lanes.add({ id: "own", ...key, addedBy: null, nonceGap: 0 });
    for (const [height, nonce, kept] of [
      [10, 7, 7],
      [20, 3, 7],
      [30, 9, 9],
    ] as const) {
      lanes.adopt("own", nonce, height);
      expect(lanes.get("own").nonce).toBe(kept);
      lanes.gone(height + 1, "own");
    }
  }));

test("an overdue alarm is set again by the next status call", async () => {
  const { uuid, wallet } = await createWallet();
  const stub = env.WALLET.getByName(uuid);
  // From here on the platform takes alarms, and rings none of them.
  await runInDurableObject(stub, async (_, { storage }) => {
    storage.setAlarm = async () => undefined;
    await storage.deleteAlarm();
  });
  await carriedOut(wallet, payment(await createReceiver()));
  await runInDurableObject(stub, (_, { storage }) => Reflect.deleteProperty(storage, "setAlarm"));
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() + 60_000);
  await wallet.status();
  vi.restoreAllMocks();
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).not.toBeNull();
});
