import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { baseDecode } from "near-api-js";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../client/src/index.ts";
import { admin, api, bodyOf, createIntegration } from "../support/api.ts";
import { balanceOf, chainCall, SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { keyOf } from "../support/keys.ts";
import { background } from "../support/operations.ts";
import {
  type Action,
  carriedOut,
  createReceiver,
  createSubAccount,
  intent,
  journalRows,
  newUuid,
  payment,
  type StepWallet,
  type Uuid,
  walletOf,
} from "../support/own-wallets.ts";
import { ENOUGH, until } from "../support/waiting.ts";

/** Keys that somebody removes from a wallet's account, and adds again. */

let receiver: string;

beforeAll(async () => {
  receiver = await createReceiver();
});
afterEach(() => setFaults());

interface Owned {
  readonly uuid: Uuid;
  readonly accountId: string;
  readonly wallet: StepWallet;
  /** The wallet's own key. */
  readonly publicKey: Uint8Array;
  /** Acts as the account's owner, with another key. */
  readonly owner: (action: Action) => Promise<object>;
}

/**
 * A wallet to whose account the test also has a key.
 * @param isThere whether the wallet's own key is on it from the start
 */
const ownedWallet = async (isThere = true): Promise<Owned> => {
  const uuid = newUuid();
  const accountId = `o${uuid.slice(-8)}.${env.PLATFORM_ACCOUNT_ID}`;
  const wallet = walletOf(uuid);
  const { publicKey } = await wallet.prepareKey(accountId);
  const key = keyOf();
  await createSubAccount(accountId, key.publicKey, 10n ** 25n);
  const owner = (action: Action) => key.send(accountId, accountId, [action]);
  if (isThere) await owner({ kind: "add_full_access_key", publicKey });
  await wallet.activate();
  return { uuid, accountId, wallet, publicKey, owner };
};

const states = (uuid: Uuid) =>
  journalRows<{ state: string }>(uuid, "SELECT state FROM signed ORDER BY id").then((rows) =>
    rows.map(({ state }) => state),
  );

/** A call that lanes of function-call keys sign. It fails on the chain, where no contract is. */
const call = () =>
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
  );

describe("a lane whose key was deleted", () => {
  test("costs one row per attempt and signs nothing afterwards", async () => {
    const { uuid, wallet, owner } = await ownedWallet();
    const all = async () => {
      const records = await Promise.all(Array.from({ length: 12 }, () => carriedOut(wallet, call())));
      expect(records.map(({ state }) => state)).toEqual(Array(12).fill("failed"));
    };
    await all();
    await until(async () => (await wallet.status()).open === 0);
    const lanes = (await wallet.status()).lanes.filter(({ kind }) => kind === "function_call");
    const gone = lanes[0]!.publicKey;
    const rows = await journalRows<{ id: string }>(uuid, "SELECT id FROM lanes WHERE public_key = ?", gone);
    await owner({ kind: "delete_key", publicKey: baseDecode(gone.slice("ed25519:".length)) });
    await all();
    await all();
    expect((await wallet.status()).lanes.map(({ publicKey }) => publicKey)).not.toContain(gone);
    const dead = "SELECT 1 FROM signed WHERE state = 'dead' AND lane_id = ?";
    expect(await journalRows(uuid, dead, rows[0]!.id)).toHaveLength(1);
    expect((await states(uuid)).filter((state) => state === "dead")).toHaveLength(1);
  });
});

describe("a wallet whose own key was deleted", () => {
  test("reports it, rejects new operations, and resumes once the key is back", async () => {
    const { uuid, accountId, wallet, publicKey, owner } = await ownedWallet();
    const before = await balanceOf(receiver);
    expect(await carriedOut(wallet, payment(receiver, "1"))).toMatchObject({ state: "succeeded" });
    await owner({ kind: "delete_key", publicKey });
    const waiting = payment(receiver, "20");
    expect(await wallet.submit(waiting)).toEqual({ status: "accepted" });
    await until(async () => (await wallet.status()).state === "locked_out");
    expect(await wallet.submit(payment(receiver, "300"))).toMatchObject({
      status: "busy",
      inactive: true,
      lockedOut: { accountId, publicKey: expect.stringMatching(/^ed25519:/) },
    });
    // What was signed is proven dead by the block that removed the key, and waits.
    await until(async () => (await states(uuid)).at(-1) === "dead");
    expect(await wallet.transactions(waiting.operationUuid)).toMatchObject([{ state: "queued" }]);
    await owner({ kind: "add_full_access_key", publicKey });
    await until(async () => (await wallet.status()).state === "active");
    expect(await wallet.recordsAtEnd(waiting.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
    expect((await balanceOf(receiver)) - before).toBe(21n);
  });

  test("proves that its earlier transaction has landed", async () => {
    const { uuid, wallet, publicKey, owner } = await ownedWallet();
    const before = await balanceOf(receiver);
    await setFaults({ kind: "unknown_transaction", node: SERVICES_NODE });
    const wanted = payment(receiver, "4");
    await wallet.submit(wanted);
    await until(async () => (await balanceOf(receiver)) > before);
    await owner({ kind: "delete_key", publicKey });
    const landed = () => journalRows<{ landed: number }>(uuid, "SELECT landed FROM signed");
    await until(async () => (await landed())[0]?.landed === 1);
    await setFaults();
    expect(await wallet.recordsAtEnd(wanted.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
    expect((await balanceOf(receiver)) - before).toBe(4n);
  });
});

// In this order: the first wallet is not locked out before the chain's clock is moved, which stays ahead for the second.
test("a wallet whose key was never added reports it and polls rarely until it is, and what waits is sent then, though nobody asks for it", async () => {
  const { uuid, wallet, publicKey, owner } = await ownedWallet(false);
  const wanted = payment(receiver, "5");
  expect(await wallet.submit(wanted)).toEqual({ status: "accepted" });
  // A lagging node might not show it yet. Some time has to pass on the chain before that can be excluded.
  expect((await wallet.status()).state).toBe("active");
  await chainCall("devchain_advance", { ms: 30_000, blocks: 4 });
  await until(async () => (await wallet.status()).state === "locked_out");
  const rings = await runInDurableObject(env.WALLET.getByName(uuid), (_, { storage }) => storage.getAlarm());
  expect(rings).not.toBeNull();
  expect(await wallet.submit(payment(receiver, "1"))).toMatchObject({ status: "busy", inactive: true });
  await owner({ kind: "add_full_access_key", publicKey });
  await until(async () => (await wallet.status()).state === "active");
  expect(await wallet.recordsAtEnd(wanted.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);

  const other = await ownedWallet(false);
  const before = await balanceOf(receiver);
  expect(await other.wallet.submit(payment(receiver, "6"))).toEqual({ status: "accepted" });
  await other.wallet.status();
  await chainCall("devchain_advance", { ms: 30_000, blocks: 4 });
  await until(async () => (await other.wallet.status()).state === "locked_out");
  // Only the alarm works from here on, again and again.
  const ring = () => runDurableObjectAlarm(env.WALLET.getByName(other.uuid));
  for (let rings = 0; rings < 3; rings++) expect(await ring()).toBe(true);
  await other.owner({ kind: "add_full_access_key", publicKey: other.publicKey });
  await expect
    .poll(async () => {
      await ring();
      return (await balanceOf(receiver)) - before;
    })
    .toBe(6n);
});

test("a mint with a locked-out wallet is rejected with the reason, and the operator sees the wallet", async () => {
  const shop = await createIntegration("Locked out");
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [5] });
  const wallet = () => admin(`/integration/${shop.integrationUuid}/wallet`);
  const mint = (headers = {}) =>
    api(`/collection/${uuid}/mint`, { key: shop.key, json: { receiver_addresses: [receiver] }, headers });
  const { public_key } = await bodyOf<{ public_key: string }>(await wallet(), 200);
  await chainCall("devchain_delete_key", { account_id: shop.walletAccountId, public_key });
  // The first finds out, and waits.
  await bodyOf(await mint({ prefer: "respond-async" }), 202);
  await until(async () => (await bodyOf<{ state: string }>(await wallet(), 200)).state === "locked_out");
  expect(await bodyOf(await mint(), 503)).toMatchObject({
    code: "wallet_inactive",
    outcome: "not_submitted",
    message: expect.stringContaining(`${public_key} is missing from its account ${shop.walletAccountId}`),
  });
  await background.reconcile();
  const attention = async () => (await bodyOf<Overview>(await admin("/overview"), 200)).attention;
  await expect
    .poll(attention)
    .toMatchObject([{ rule: "wallet_inactive", severity: "critical", subject: shop.walletAccountId }]);
});
