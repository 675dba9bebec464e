import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { balanceOf, chainCall, SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import {
  carriedOut,
  createReceiver,
  createWallet,
  journalRows,
  payment,
  signedRecord,
  useNonceOfPlatform,
  walletOf,
} from "../support/own-wallets.ts";
import { ENOUGH, extendDeadlines, until } from "../support/waiting.ts";
import { endObject, setWalletSettings } from "../support/wallets.ts";

/** A wallet's rows when blocks are dropped and answers never come. */

let receiver: string;

beforeAll(async () => {
  receiver = await createReceiver();
});
afterEach(() => {
  vi.restoreAllMocks();
  return setFaults();
});

describe("a transaction whose block is dropped while its node keeps reporting INCLUDED has one effect when", () => {
  test.each([
    ["only its block is dropped", { blocks: 1 }],
    ["another block is dropped with it", { blocks: 2 }],
    ["the dropped blocks' heights are not used again", { blocks: 2, heights: "next" }],
    ["its block is dropped repeatedly", { blocks: 1, count: 3 }],
  ])("%s", async (_name, how) => {
    const { wallet } = await createWallet();
    const before = await balanceOf(receiver);
    await setFaults({ kind: "orphan", count: 1, ...how });
    expect(await carriedOut(wallet, payment(receiver, "7"))).toMatchObject({ state: "succeeded" });
    expect((await balanceOf(receiver)) - before).toBe(7n);
  });

  test("many transactions are open", async () => {
    const { wallet } = await createWallet();
    const before = await balanceOf(receiver);
    await setFaults({ kind: "orphan", count: 8, blocks: 2, probability: 0.5 });
    const payments = Array.from({ length: 12 }, () => payment(receiver, "10"));
    const records = await Promise.all(payments.map((wanted) => carriedOut(wallet, wanted)));
    expect(records.map(({ state }) => state)).toEqual(Array(12).fill("succeeded"));
    expect((await balanceOf(receiver)) - before).toBe(120n);
  });

  test("another transaction has used its nonce: it is signed again", async () => {
    const platform = walletOf("platform");
    const before = await balanceOf(receiver);
    // The block is dropped; nothing that the wallet sends arrives after that.
    await setFaults(
      { kind: "orphan", count: 1, node: SERVICES_NODE },
      { kind: "request_lost", methods: ["send_tx"], skip: 1, node: SERVICES_NODE },
    );
    const wanted = payment(receiver, "9");
    await platform.submit(wanted);
    const dropped = async () => {
      const [record] = await platform.recordsAtEnd(wanted.operationUuid, 100);
      const hash = record?.result?.transaction_hash;
      if (!hash) return false;
      const asked = { tx_hash: hash, sender_account_id: env.PLATFORM_ACCOUNT_ID, wait_until: "NONE" };
      const { status } = await chainCall<{ status: unknown }>("tx", asked, "/other").catch(() => ({
        status: 0,
      }));
      return status === "Started";
    };
    await until(dropped);
    const [record] = await platform.transactions(wanted.operationUuid);
    await useNonceOfPlatform(receiver, BigInt(record!.result!.nonce));
    await setFaults();
    const [ended] = await platform.recordsAtEnd(wanted.operationUuid, ENOUGH);
    expect(ended).toMatchObject({ state: "succeeded" });
    expect(ended?.result?.transaction_hash).not.toBe(record?.result?.transaction_hash);
    expect((await balanceOf(receiver)) - before).toBe(1_009n);
  });
});

test("a lane is occupied again when the block that freed it is dropped", async () => {
  const { uuid, wallet } = await createWallet();
  await setWalletSettings(uuid, { MAX_LANES: 1 });
  const inBlocks = async () =>
    (await journalRows<{ included: number }>(uuid, "SELECT included FROM signed ORDER BY id")).map(
      (row) => row.included,
    );
  for (let tries = 0; ; tries++) {
    expect(tries).toBeLessThan(20);
    const before = (await inBlocks()).length;
    // The first reaches a node, the others don't. No node answers about any of them, so only the lane's nonce tells.
    await setFaults(
      { kind: "request_lost", methods: ["send_tx"], skip: 1 },
      { kind: "per_hash", count: 100 },
    );
    const payments = ["1", "2", "3"].map((amount) => payment(receiver, amount));
    await Promise.all(payments.map((wanted) => wallet.submit(wanted)));
    await until(async () => (await inBlocks())[before] === 1);
    const { transactions } = await chainCall<{ transactions: string[] }>("devchain_orphan", { blocks: 2 });
    const isDropped = transactions.length > 0;
    if (isDropped) {
      await until(async () => (await inBlocks())[before] === 0);
      // Two are under way on a lane that takes one, so the third waits.
      expect(await inBlocks()).toHaveLength(before + 2);
    }
    await setFaults();
    for (const { operationUuid } of payments) {
      expect(await wallet.recordsAtEnd(operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
    }
    if (isDropped) return;
  }
});

test("a transaction for which every node returns an error delays no other", async () => {
  const { wallet } = await createWallet();
  const before = await balanceOf(receiver);
  await setFaults({ kind: "per_hash", count: 1 });
  const poisoned = payment(receiver, "5");
  await wallet.submit(poisoned);
  const record = await signedRecord(wallet, poisoned.operationUuid);
  expect(record.state).toBe("open");
  await setFaults(
    { kind: "per_hash", hash: record.result.transaction_hash },
    { kind: "request_lost", methods: ["send_tx"], count: 1 },
  );
  for (const amount of ["20", "300"]) {
    expect(await carriedOut(wallet, payment(receiver, amount))).toMatchObject({ state: "succeeded" });
  }
  expect(await wallet.transactions(poisoned.operationUuid)).toMatchObject([{ state: "open" }]);
  await setFaults();
  expect(await wallet.recordsAtEnd(poisoned.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  expect((await balanceOf(receiver)) - before).toBe(325n);
});

test("a transaction for which every node permanently returns an error is sent again until it lands", async () => {
  const { wallet } = await createWallet();
  const before = await balanceOf(receiver);
  await setFaults({ kind: "per_hash", count: 1 }, { kind: "request_lost", methods: ["send_tx"], count: 1 });
  const poisoned = payment(receiver, "5");
  await wallet.submit(poisoned);
  await until(async () => (await balanceOf(receiver)) - before === 5n);
  // No node gives its outcome, which proves nothing.
  expect(await wallet.recordsAtEnd(poisoned.operationUuid, 1_500)).toMatchObject([{ state: "open" }]);
  await setFaults();
  expect(await wallet.recordsAtEnd(poisoned.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  expect((await balanceOf(receiver)) - before).toBe(5n);
});

test("a transaction for which no node responds delays no other", async () => {
  const { uuid, wallet } = await createWallet();
  await setFaults({ kind: "hang", methods: ["tx"], count: 1 });
  // A node that never answers is left after ten seconds; here after minutes, for a slow machine.
  extendDeadlines(30);
  const silent = payment(receiver, "1");
  await wallet.submit(silent);
  expect(await signedRecord(wallet, silent.operationUuid)).toMatchObject({ state: "open" });
  expect(await carriedOut(wallet, payment(receiver, "1"))).toMatchObject({ state: "succeeded" });
  // The question about the first has no answer yet: the second didn't wait for it.
  expect(await wallet.transactions(silent.operationUuid)).toMatchObject([{ state: "open" }]);
  await endObject(uuid);
  expect(await wallet.recordsAtEnd(silent.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
});
