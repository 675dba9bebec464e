import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { type Intent, newUuid, type Uuid, walletOf } from "../support/own-wallets.ts";
import { ENOUGH } from "../support/waiting.ts";
import { endObject, loseObject, VALIDITY } from "../support/wallets.ts";

/** Whether transactions signed for an operation can still land, as the wallet answers before a settlement. */

const platform = walletOf("platform");

const pay = (receiverId = env.PLATFORM_ACCOUNT_ID, operationUuid = newUuid()): Intent => ({
  operationUuid,
  step: "pay",
  fairnessKey: "test",
  receiverId,
  actions: [{ kind: "transfer", deposit: "1" }],
});

const advance = (blocks: number, ms = 0) => chainCall("devchain_advance", { blocks, ms });
/** Skips the heights of a validity period, then makes some blocks. */
const outlastValidity = () => chainCall("devchain_advance", { heights: VALIDITY, blocks: 10 });

/** A separate wallet, active and with 10 NEAR. */
const createWallet = async (): Promise<{ uuid: Uuid; accountId: string }> => {
  const uuid = newUuid();
  const accountId = `w${uuid.slice(-8)}.${env.PLATFORM_ACCOUNT_ID}`;
  const { publicKey } = await walletOf(uuid).prepareKey(accountId);
  const creation: Intent = {
    ...pay(accountId),
    actions: [
      { kind: "create_account" },
      { kind: "transfer", deposit: `${10n ** 25n}` },
      { kind: "add_full_access_key", publicKey },
    ],
  };
  await platform.submit(creation);
  expect(await platform.recordsAtEnd(creation.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  await walletOf(uuid).activate();
  return { uuid, accountId };
};

/** A payment that no node takes, so it stays open. */
const openPayment = async (uuid: Uuid): Promise<Uuid> => {
  await setFaults({ kind: "request_lost", methods: ["send_tx"] });
  const payment = pay();
  expect(await walletOf(uuid).submit(payment)).toEqual({ status: "accepted" });
  expect(await walletOf(uuid).recordsAtEnd(payment.operationUuid, 1_000)).toMatchObject([{ state: "open" }]);
  return payment.operationUuid;
};

beforeEach(() => setFaults());

test("an ended or never submitted operation can't land, an open one can", async () => {
  const { uuid } = await createWallet();
  const wallet = walletOf(uuid);
  expect(await wallet.landing(newUuid())).toMatchObject({ isOver: true });
  const open = await openPayment(uuid);
  expect(await wallet.landing(open)).toMatchObject({ isOver: false });
  await setFaults();
  expect(await wallet.recordsAtEnd(open, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  expect(await wallet.landing(open)).toMatchObject({ isOver: true });
});

test("an unprovable transaction can land until its nonce is used in a final block", async () => {
  const { uuid } = await createWallet();
  const wallet = walletOf(uuid);
  const given = await openPayment(uuid);
  await runInDurableObject(env.WALLET.getByName(uuid), (_, { storage: { sql } }) => {
    for (const table of ["signed", "intents"]) sql.exec(`UPDATE ${table} SET state = 'unknown'`);
  });
  await endObject(uuid);
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  // The lane's next row has a higher nonce, so the lower one can't land any more.
  await setFaults();
  const next = pay();
  await wallet.submit(next);
  expect(await wallet.recordsAtEnd(next.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  expect(await wallet.landing(given)).toMatchObject({ isOver: true });
});

test("an unprovable transaction can land until its validity is over, whichever node responds", async () => {
  const { uuid } = await createWallet();
  const wallet = walletOf(uuid);
  const given = await openPayment(uuid);
  await runInDurableObject(env.WALLET.getByName(uuid), (_, { storage: { sql } }) => {
    for (const table of ["signed", "intents"]) sql.exec(`UPDATE ${table} SET state = 'unknown'`);
  });
  await endObject(uuid);
  const early = await wallet.landing(given);
  expect(early).toEqual({ isOver: false, waitMs: expect.any(Number) });
  await outlastValidity();
  await setFaults({ kind: "lag", blocks: VALIDITY / 2 });
  const late = await wallet.landing(given);
  expect(late).toEqual({ isOver: false, waitMs: expect.any(Number) });
  await setFaults({ kind: "down" });
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  await setFaults();
  expect(await wallet.landing(given)).toMatchObject({ isOver: true });
  // What was final stays final; no node has to be asked.
  await setFaults({ kind: "down" });
  expect(await wallet.landing(given)).toEqual({ isOver: true, height: expect.any(Number) });
});

test("transactions of a lost object can land until the validity period after the restoration is over", async () => {
  const { uuid, accountId } = await createWallet();
  const wallet = walletOf(uuid);
  const given = await openPayment(uuid);
  const { sealed, secretVersion } = await wallet.reseal();
  await loseObject(uuid);
  await setFaults();
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  await wallet.restore(accountId, sealed, secretVersion);
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  await wallet.activate();
  expect(await wallet.submit(pay(undefined, given))).toEqual({ status: "accepted" });
  expect(await wallet.transactions(given)).toMatchObject([{ state: "unknown" }]);
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  // The validity period counts from a block that is surely younger than the restoration; this finds one.
  await advance(3, 200_000);
  await wallet.reconcile();
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  await outlastValidity();
  expect(await wallet.landing(given)).toMatchObject({ isOver: true });
  // Everything after the restoration is in the journal.
  expect(await wallet.landing(newUuid())).toMatchObject({ isOver: true });
});
