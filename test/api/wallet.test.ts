import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { balanceOf, chainCall, setFaults } from "../support/chain-control.ts";
import { firstPasses, killAt, observeCheckpoints } from "../support/operations.ts";
import {
  createWallet as createOwnWallet,
  createReceiver,
  intent,
  journalRows,
  newUuid,
  signedRecord,
  type Uuid,
  walletOf,
} from "../support/own-wallets.ts";
import { ENOUGH } from "../support/waiting.ts";
import { dropObject, endObject, setWalletSettings } from "../support/wallets.ts";

const NEAR = 10n ** 24n;
const platform = walletOf("platform");

/** An account that only receives, so that its balance counts effects. */
let receiver: string;
/** Each group of tests has a separate wallet. */
let uuid: Uuid;
let accountId: string;

const pay = (amount = "1", operationUuid = newUuid()) =>
  intent([{ kind: "transfer", deposit: amount }], receiver, operationUuid);

const createWallet = async (deposit?: bigint) => {
  const made = await createOwnWallet(deposit);
  ({ uuid, accountId } = made);
  return made.wallet;
};

const stub = () => env.WALLET.getByName(uuid);

const kill = () => endObject(uuid);

beforeAll(async () => {
  receiver = await createReceiver();
});

afterEach(async () => {
  observeCheckpoints(null);
  vi.restoreAllMocks();
  await setFaults();
});

describe("a wallet's key", () => {
  test("is created once, and its sealed copy changes only by sealing it again", async () => {
    const wallet = walletOf(newUuid());
    const name = `once.${env.PLATFORM_ACCOUNT_ID}`;
    const first = await wallet.prepareKey(name);
    expect(await wallet.prepareKey(name)).toEqual(first);
    expect(first.publicKey).toHaveLength(32);
    const again = await wallet.reseal();
    expect(again.publicKey).toEqual(first.publicKey);
    expect(again.sealed).not.toEqual(first.sealed);
  });

  test("signs nothing before its account exists", async () => {
    const wallet = walletOf(newUuid());
    expect(await wallet.submit(pay())).toMatchObject({ status: "busy" });
    await wallet.prepareKey(`early.${env.PLATFORM_ACCOUNT_ID}`);
    expect(await wallet.submit(pay())).toMatchObject({ status: "busy" });
  });

  test("is restored from its sealed copy if the object is lost, and old operations are left to the operator", async () => {
    const wallet = await createWallet();
    const begun = newUuid();
    await wallet.submit(pay("1", begun));
    const [last] = await wallet.recordsAtEnd(begun, ENOUGH);
    const copy = await wallet.reseal();
    await dropObject(uuid);
    expect(await wallet.submit(pay())).toMatchObject({ status: "busy" });
    const restored = await wallet.restore(accountId, copy.sealed, copy.secretVersion);
    expect(restored.publicKey).toEqual(copy.publicKey);
    expect(await wallet.submit(pay())).toMatchObject({ status: "busy" });
    await wallet.activate();
    const before = await balanceOf(receiver);
    expect(await wallet.submit(pay("1", begun))).toEqual({ status: "accepted" });
    expect(await wallet.transactions(begun)).toMatchObject([{ state: "unknown" }]);
    const fresh = pay("5");
    expect(await wallet.submit(fresh)).toEqual({ status: "accepted" });
    const [first] = await wallet.recordsAtEnd(fresh.operationUuid, ENOUGH);
    expect(first).toMatchObject({ state: "succeeded" });
    // Everything that the lost object signed has a lower nonce and can't land any more.
    expect(BigInt(first!.result!.nonce)).toBe(BigInt(last!.result!.nonce) + 100_001n);
    expect((await balanceOf(receiver)) - before).toBe(5n);
  });

  test("of the platform changes with its secret, once nothing that the old one signed is open", async () => {
    await platform.status();
    const other = await walletOf(newUuid()).prepareKey(env.PLATFORM_ACCOUNT_ID);
    const { publicKey } = await platform.status();
    await runInDurableObject(env.WALLET.getByName("platform"), (_object, state) => {
      state.storage.sql.exec("UPDATE wallet SET public_key = ?, sealed = ?", other.publicKey, other.sealed);
    });
    await endObject("platform");
    const payment = pay("2");
    const before = await balanceOf(receiver);
    expect(await platform.submit(payment)).toEqual({ status: "accepted" });
    expect(await platform.recordsAtEnd(payment.operationUuid, ENOUGH)).toMatchObject([
      { state: "succeeded" },
    ]);
    expect((await platform.status()).publicKey).toEqual(publicKey);
    expect((await balanceOf(receiver)) - before).toBe(2n);
  });

  test("of the platform stays while something is open that it has signed", async () => {
    const { publicKey } = await platform.status();
    const other = await walletOf(newUuid()).prepareKey(env.PLATFORM_ACCOUNT_ID);
    const platformStub = () => env.WALLET.getByName("platform");
    const restart = () =>
      runInDurableObject(platformStub(), (_object, state) => state.abort("killed by a test")).catch(
        () => undefined,
      );
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const payment = pay("3");
    const before = await balanceOf(receiver);
    expect(await platform.submit(payment)).toEqual({ status: "accepted" });
    await expect.poll(async () => (await platform.status()).open).toBe(1);
    await runInDurableObject(platformStub(), (_object, state) => {
      state.storage.sql.exec("UPDATE wallet SET public_key = ?, sealed = ?", other.publicKey, other.sealed);
    });
    await restart();
    expect((await platform.status()).publicKey).toEqual(other.publicKey);
    await setFaults();
    const [record] = await platform.recordsAtEnd(payment.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "succeeded" });
    await restart();
    expect((await platform.status()).publicKey).toEqual(publicKey);
    expect((await balanceOf(receiver)) - before).toBe(3n);
  });

  test("that was created and never used is replaced by the stored one", async () => {
    const name = `stored.${env.PLATFORM_ACCOUNT_ID}`;
    const stored = await walletOf(newUuid()).prepareKey(name);
    const wallet = walletOf(newUuid());
    const made = await wallet.prepareKey(name);
    const restored = await wallet.restore(name, stored.sealed, stored.secretVersion);
    expect(restored.publicKey).toEqual(stored.publicKey);
    expect(restored.publicKey).not.toEqual(made.publicKey);
    expect(await wallet.status()).toMatchObject({ state: "restored", publicKey: stored.publicKey });
    expect((await wallet.status()).lanes).toHaveLength(1);
    // One that is in use stays.
    await wallet.activate();
    expect((await wallet.restore(name, made.sealed, made.secretVersion)).publicKey).toEqual(stored.publicKey);
  });

  test("can't be restored for another account", async () => {
    const wallet = walletOf(newUuid());
    const copy = await wallet.prepareKey(`mine.${env.PLATFORM_ACCOUNT_ID}`);
    const other = walletOf(newUuid());
    const taken = other.restore(`other.${env.PLATFORM_ACCOUNT_ID}`, copy.sealed, copy.secretVersion);
    await expect(taken).rejects.toThrow(/does not open/);
  });
});

describe("an intent", () => {
  test("has one effect however often it is submitted", async () => {
    const wallet = await createWallet();
    const before = await balanceOf(receiver);
    const payment = pay("7");
    const answers = await Promise.all([1, 2, 3, 4].map(() => wallet.submit(payment)));
    expect(answers).toEqual(Array(4).fill({ status: "accepted" }));
    const [record] = await wallet.recordsAtEnd(payment.operationUuid, ENOUGH);
    expect(record).toMatchObject({
      state: "succeeded",
      step: "one",
      result: { status: "success", signer_id: accountId, receiver_id: receiver, failure_message: null },
    });
    expect(await wallet.submit(payment)).toEqual({ status: "accepted" });
    await runDurableObjectAlarm(stub());
    expect((await balanceOf(receiver)) - before).toBe(7n);
  });

  test("is refused with the missing amount if the wallet can't pay, and leaves nothing behind", async () => {
    const wallet = await createWallet(NEAR);
    const payment = pay((3n * NEAR).toString());
    const answer = await wallet.submit(payment);
    expect(answer).toMatchObject({ status: "insufficient_funds", accountId });
    const { missing } = answer as { missing: string };
    expect(BigInt(missing)).toBeGreaterThan(2n * NEAR);
    expect(BigInt(missing)).toBeLessThan((21n * NEAR) / 10n);
    expect(await wallet.transactions(payment.operationUuid)).toEqual([]);
  });

  test("is not stored while no node answers", async () => {
    const wallet = await createWallet();
    await kill();
    await setFaults({ kind: "request_lost" });
    const payment = pay();
    expect(await wallet.submit(payment)).toMatchObject({ status: "chain_unavailable" });
    await setFaults();
    expect(await wallet.transactions(payment.operationUuid)).toEqual([]);
  });

  test("fails with the chain's own message if it fails there", async () => {
    const wallet = await createWallet();
    const call = intent(
      [
        {
          kind: "function_call",
          method: "nft_batch_mint",
          args: new Uint8Array(),
          gas: "30000000000000",
          deposit: "0",
        },
      ],
      receiver,
    );
    await wallet.submit(call);
    const [record] = await wallet.recordsAtEnd(call.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "failed", contractCode: null, result: { status: "failure" } });
    expect(record?.result?.failure_message).toContain("CodeDoesNotExist");
  });

  test("is refused permanently if the chain never accepts it, once its nonce was used otherwise", async () => {
    const wallet = await createWallet();
    const call = intent(
      [{ kind: "function_call", method: "nft_batch_mint", args: new Uint8Array(), gas: "0", deposit: "0" }],
      receiver,
    );
    await wallet.submit(call);
    const [record] = await wallet.recordsAtEnd(call.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "refused", result: { status: "failure" } });
    expect(record?.result?.failure_message).toContain("ActionsValidation");
    const next = pay();
    await wallet.submit(next);
    expect(await wallet.recordsAtEnd(next.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  });

  test("is refused if it can't be encoded, and the others that wait are signed", async () => {
    const wallet = await createWallet();
    const broken = intent([{ kind: "add_full_access_key", publicKey: new Uint8Array(5) }], accountId);
    const payment = pay("1");
    expect(await Promise.all([broken, payment].map((wanted) => wallet.submit(wanted)))).toEqual(
      Array(2).fill({ status: "accepted" }),
    );
    const [record] = await wallet.recordsAtEnd(broken.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "refused", result: { transaction_hash: "", status: "failure" } });
    expect(record?.result?.failure_message).toContain("can't be signed");
    expect(await wallet.recordsAtEnd(payment.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  });

  test("of a withdrawn operation is never stored", async () => {
    const wallet = await createWallet();
    const payment = pay();
    expect(await wallet.withdraw(payment.operationUuid, 0)).toBe(true);
    expect(await wallet.submit(payment)).toEqual({ status: "withdrawn" });
    const other = pay();
    await wallet.submit(other);
    expect(await wallet.withdraw(other.operationUuid, 0)).toBe(false);
    await wallet.recordsAtEnd(other.operationUuid, ENOUGH);
    // A caller that doesn't know all its rows can't give it up, though none is open.
    expect(await wallet.withdraw(other.operationUuid, 0)).toBe(false);
    expect(await wallet.withdraw(other.operationUuid, 1)).toBe(true);
    expect(await wallet.withdraw(other.operationUuid, 1)).toBe(true);
    expect(await wallet.withdraw(other.operationUuid, 0)).toBe(false);
    expect(await wallet.submit({ ...other, step: "two" })).toEqual({ status: "withdrawn" });
    expect(await wallet.submit(other)).toEqual({ status: "accepted" });
  });

  test("of an operation that is withdrawn while the balance is read is never stored", async () => {
    const wallet = await createWallet();
    await kill();
    await wallet.status();
    await setFaults({ kind: "delay", methods: ["query"], ms: 1_000 });
    const payment = pay();
    const submitted = wallet.submit(payment);
    expect(await wallet.withdraw(payment.operationUuid, 0, true)).toBe(true);
    expect(await submitted).toEqual({ status: "withdrawn" });
    expect(await wallet.transactions(payment.operationUuid)).toEqual([]);
  });
});

describe("many intents", () => {
  test("lead to more keys, which may only call the contract, and all of them land", async () => {
    const wallet = await createWallet();
    const calls = Array.from({ length: 40 }, () =>
      intent(
        [
          {
            kind: "function_call",
            method: "nft_batch_mint",
            args: new Uint8Array(),
            gas: "1000000000000",
            deposit: "0",
          },
        ],
        receiver,
      ),
    );
    await Promise.all(calls.map((call) => wallet.submit(call)));
    const records = await Promise.all(calls.map((call) => wallet.recordsAtEnd(call.operationUuid, ENOUGH)));
    expect(records.flat().map(({ state }) => state)).toEqual(Array(40).fill("failed"));
    const hashes = new Set(records.flat().map(({ result }) => result?.transaction_hash));
    expect(hashes.size).toBe(40);
    // The wallet's own transaction that adds keys may be final a little later.
    let status = await wallet.status();
    while (status.open > 0) status = await wallet.status();
    expect(status).toMatchObject({ queued: 0, open: 0, stuck: [] });
    expect(status.lanes.filter(({ kind }) => kind === "full_access")).toHaveLength(1);
    expect(status.lanes.length).toBeGreaterThan(10);
    const view = { request_type: "view_access_key_list", account_id: accountId, finality: "final" };
    const { keys } = await chainCall<{ keys: { public_key: string; access_key: { permission: unknown } }[] }>(
      "query",
      view,
    );
    expect(new Set(keys.map((key) => key.public_key))).toEqual(
      new Set(status.lanes.map((lane) => lane.publicKey)),
    );
    expect(keys.filter(({ access_key }) => access_key.permission === "FullAccess")).toHaveLength(1);
  });
});

describe("after an object was evicted", () => {
  test("the alarm finishes operations for which no request waits", async () => {
    const wallet = await createWallet();
    const before = await balanceOf(receiver);
    const payment = pay("3");
    await wallet.submit(payment);
    await kill();
    await runDurableObjectAlarm(stub());
    expect(await wallet.transactions(payment.operationUuid)).toMatchObject([{ state: "succeeded" }]);
    expect((await balanceOf(receiver)) - before).toBe(3n);
  });
});

const FAULTS: Record<string, Readonly<Record<string, unknown>>> = {
  "requests are lost": { kind: "request_lost", methods: ["send_tx"], count: 2 },
  "replies are lost": { kind: "reply_lost", count: 5, skip: 4 },
  "sends answer Expired and land": { kind: "expired", accepted: true, count: 3 },
  "sends answer Expired and are dropped": { kind: "expired", count: 2 },
  "transactions are unknown for a while": { kind: "unknown_transaction", count: 4 },
  "the node lags": { kind: "lag", blocks: 8, count: 12, skip: 3 },
  "requests are carried out twice": { kind: "duplicate" },
  "requests time out": { kind: "timeout", ms: 20, accepted: true, count: 6, skip: 3 },
  "the node wants fewer requests": { kind: "rate_limit", count: 4, skip: 3 },
  "the node answers nonsense": { kind: "garbage", count: 4, skip: 3 },
};

describe("a payment has one effect when", () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    test(name, async () => {
      const wallet = await createWallet();
      const before = await balanceOf(receiver);
      await setFaults(fault);
      const payments = ["1", "20", "300"].map((amount) => pay(amount));
      for (const payment of payments) {
        while ((await wallet.submit(payment)).status !== "accepted")
          await new Promise((go) => setTimeout(go, 200));
      }
      for (const { operationUuid } of payments) {
        expect(await wallet.recordsAtEnd(operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
      }
      await setFaults();
      expect((await balanceOf(receiver)) - before).toBe(321n);
    });
  }

  test("nodes forget it repeatedly: it is signed once", async () => {
    const wallet = await createWallet();
    const before = await balanceOf(receiver);
    await setFaults({ kind: "unknown_transaction", count: 4 });
    const payment = pay("3");
    await wallet.submit(payment);
    expect(await wallet.recordsAtEnd(payment.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
    expect(await journalRows(uuid, "SELECT 1 FROM signed")).toHaveLength(1);
    expect((await balanceOf(receiver)) - before).toBe(3n);
  });

  test("it doesn't land for two minutes and a no-op takes its nonce: it is signed again", async () => {
    const wallet = await createWallet();
    const before = await balanceOf(receiver);
    // No node ever takes the first transaction.
    await setFaults({ kind: "per_hash", methods: ["send_tx"], count: 1 });
    const payment = pay("9");
    await wallet.submit(payment);
    const first = await signedRecord(wallet, payment.operationUuid);
    expect(first.state).toBe("open");
    const raced = "SELECT nonce, noop_hash FROM signed WHERE noop_hash IS NOT NULL";
    expect(await journalRows(uuid, raced)).toEqual([]);
    const real = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => real() + 121_000);
    const [record] = await wallet.recordsAtEnd(payment.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "succeeded" });
    const nonce = first.result.nonce;
    expect(BigInt(record!.result!.nonce)).toBeGreaterThan(BigInt(nonce));
    const rows = await journalRows<{ nonce: number; noop_hash: string }>(uuid, raced);
    expect(rows.map((row) => `${row.nonce}`)).toEqual([nonce]);
    const asked = { tx_hash: rows[0]!.noop_hash, sender_account_id: accountId, wait_until: "NONE" };
    const noop = await chainCall<{ transaction: { nonce: number } }>("tx", asked);
    expect(`${noop.transaction.nonce}`).toBe(nonce);
    expect((await balanceOf(receiver)) - before).toBe(9n);
  });
});

test("the height of a transaction is that of its last receipt, from which its effect is visible", async () => {
  const wallet = await createWallet();
  const payment = pay("1");
  await wallet.submit(payment);
  const [record] = await wallet.recordsAtEnd(payment.operationUuid, ENOUGH);
  const block = { block_id: record!.result!.block_hash };
  const { header } = await chainCall<{ header: { height: number } }>("block", block);
  expect(record!.height).toBeGreaterThan(header.height);
});

test("an outcome that the wallet's node doesn't have is read from another node", async () => {
  const wallet = await createWallet();
  const nodes = ["/", "/other"].map((path) => new URL(path, env.NEAR_RPC_URL).href);
  const setBack = await setWalletSettings(uuid, { NEAR_RPC_URL: nodes });
  await kill();
  try {
    await setFaults({ kind: "unknown_transaction", node: "/" });
    const payment = pay("1");
    await wallet.submit(payment);
    expect(await wallet.recordsAtEnd(payment.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  } finally {
    await setBack();
    await kill();
  }
});

const POINTS = [
  "wallet.before_journal",
  "wallet.journaled",
  "wallet.before_sign",
  "wallet.signed",
  "wallet.committed",
  "wallet.before_send",
  "wallet.sent",
  "wallet.asked",
  "wallet.before_end",
  "wallet.ended",
  "wallet.lanes_ready",
];

describe("a payment has one effect when the object is killed at", () => {
  for (const point of POINTS) {
    test(point, async () => {
      const wallet = await createWallet();
      await kill();
      const before = await balanceOf(receiver);
      const kills = killAt(point, firstPasses(2));
      const payment = pay("11");
      expect(await wallet.submit(payment)).toEqual({ status: "accepted" });
      expect(await wallet.recordsAtEnd(payment.operationUuid, ENOUGH)).toMatchObject([
        { state: "succeeded" },
      ]);
      expect((await balanceOf(receiver)) - before).toBe(11n);
      expect(kills.count).toBeGreaterThan(0);
    });
  }
});
