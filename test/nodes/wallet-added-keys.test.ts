import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
// Inside: no request queues work for a wallet's keys and shows which of them signs it.
import { NO_COST } from "../../src/chain/cost.ts";
import { newUuid } from "../../src/domain/ids.ts";
import type { Funds } from "../../src/wallet/chain-state/funds.ts";
import type { Head } from "../../src/wallet/chain-state/head.ts";
import { Journal } from "../../src/wallet/journal/journal.ts";
import { LaneGrowth } from "../../src/wallet/lanes/growth.ts";
import { Keyring } from "../../src/wallet/lanes/lane-keys.ts";
import { LANE_METHODS } from "../../src/wallet/lanes/lanes.ts";
import { setFaults } from "../support/chain-control.ts";
import { createReceiver, createWallet, journalRows, payment } from "../support/own-wallets.ts";
import { ENOUGH, until } from "../support/waiting.ts";

let receiver: string;

beforeAll(async () => {
  receiver = await createReceiver();
});
afterEach(() => setFaults());

test("added keys are used at once, even if no node returns the outcome of their transaction", async () => {
  const { uuid, wallet } = await createWallet();
  await setFaults({ kind: "request_lost", methods: ["tx"] });
  const args = new Uint8Array();
  const call = {
    kind: "function_call",
    method: "nft_batch_mint",
    args,
    gas: "1000000000000",
    deposit: "0",
  } as const;
  const calls = Array.from({ length: 40 }, () => ({ ...payment(receiver, "0"), actions: [call] }));
  await Promise.all(calls.map((wanted) => wallet.submit(wanted)));
  const lanesInUse = "SELECT DISTINCT lane_id FROM signed WHERE state = 'open'";
  await until(async () => (await journalRows(uuid, lanesInUse)).length > 5);
  await setFaults();
  // The receiver has no contract: each call lands and fails.
  const ended = await Promise.all(
    calls.map(({ operationUuid }) => wallet.recordsAtEnd(operationUuid, ENOUGH)),
  );
  expect(ended.flat().map(({ state }) => state)).toEqual(calls.map(() => "failed"));
});

test.each([
  ["stays, and nothing is added in its place", true],
  ["would be deleted for another contract's if it had none", false],
])("a key that gets work while the balance for new keys is read %s", async (_name, getsWork) => {
  const [NOW, HEIGHT] = [1_900_000_000_000, 1_000];
  const found = await runInDurableObject(env.WALLET.getByName(newUuid()), async (_, { storage }) => {
    const journal = new Journal(storage);
    const common = { step: "one", fairness: "test", method: LANE_METHODS[0]!, actions: new Uint8Array() };
    const queue = (receiverId: string) => {
      const operation = newUuid();
      const intent = { ...common, operation, receiverId, cost: NO_COST, internal: false, now: NOW };
      journal.operations.begin(operation, false);
      return journal.intents.add({ ...intent, state: "queued" });
    };
    journal.lanes.add({
      ...{ id: "idle", publicKey: "ed25519:idle", kind: "function_call", receiverId: "first.near" },
      ...{ methods: LANE_METHODS, addedBy: null, nonceGap: 0 },
    });
    journal.lanes.adopt("idle", 1, HEIGHT);
    queue("second.near");
    const asked = Promise.withResolvers<void>();
    const ask = async () => {
      const row = { laneId: "idle", nonce: 2, hash: "h", bytes: new Uint8Array(), now: NOW };
      const heights = { baseHeight: HEIGHT, dueHeight: HEIGHT };
      if (getsWork) journal.signed.add({ intentId: queue("first.near"), ...row, ...heights });
      setTimeout(asked.resolve, 0);
      return "enough";
    };
    const prices = { burnt: 1n, leastBought: 1n };
    let isGrown = false;
    new LaneGrowth({
      journal,
      settings: { MAX_LANES: 1 },
      head: { block: { height: HEIGHT }, prices } as unknown as Head,
      funds: { ask } as unknown as Funds,
      signing: () => ({ accountId: "wallet.near", keyring: new Keyring(new Uint8Array(32)) }),
      now: () => NOW,
      log: () => undefined,
      at: () => undefined,
    }).soon(async () => {
      isGrown = true;
    });
    await asked.promise;
    return { isGrown, lanes: journal.lanes.all().map(({ receiverId, state }) => `${receiverId} ${state}`) };
  });
  expect(found).toEqual(
    getsWork
      ? { isGrown: false, lanes: ["first.near ready"] }
      : { isGrown: true, lanes: ["second.near adding"] },
  );
});
