import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { chainCall, setFaults } from "../support/chain-control.ts";
import {
  createWallet,
  intent,
  newUuid,
  type StepWallet,
  signedRecord,
  type Uuid,
} from "../support/own-wallets.ts";
import { ENOUGH } from "../support/waiting.ts";
import { endObject, loseObject, VALIDITY } from "../support/wallets.ts";

/** Whether transactions signed for an operation can still land, as the wallet answers before a settlement. */

const pay = (operationUuid?: Uuid) =>
  intent([{ kind: "transfer", deposit: "1" }], env.PLATFORM_ACCOUNT_ID, operationUuid);

const advance = (blocks: number, ms = 0) => chainCall("devchain_advance", { blocks, ms });
/** Skips the heights of a validity period, then makes some blocks. */
const outlastValidity = () => chainCall("devchain_advance", { heights: VALIDITY, blocks: 10 });

/** A payment that no node takes, so it stays open. */
const openPayment = async (wallet: StepWallet): Promise<Uuid> => {
  await setFaults({ kind: "request_lost", methods: ["send_tx"] });
  const wanted = pay();
  expect(await wallet.submit(wanted)).toEqual({ status: "accepted" });
  expect(await signedRecord(wallet, wanted.operationUuid)).toMatchObject({ state: "open" });
  return wanted.operationUuid;
};

beforeEach(() => setFaults());

test("an ended or never submitted operation can't land, an open one can", async () => {
  const { wallet } = await createWallet();
  expect(await wallet.landing(newUuid())).toMatchObject({ isOver: true });
  const open = await openPayment(wallet);
  expect(await wallet.landing(open)).toMatchObject({ isOver: false });
  await setFaults();
  expect(await wallet.recordsAtEnd(open, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  expect(await wallet.landing(open)).toMatchObject({ isOver: true });
});

test("an unprovable transaction can land until its nonce is used in a final block", async () => {
  const { uuid, wallet } = await createWallet();
  const given = await openPayment(wallet);
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
  const { uuid, wallet } = await createWallet();
  const given = await openPayment(wallet);
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
  const { uuid, accountId, wallet } = await createWallet();
  const given = await openPayment(wallet);
  const { sealed, secretVersion } = await wallet.reseal();
  await loseObject(uuid);
  await setFaults();
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  await wallet.restore(accountId, sealed, secretVersion);
  expect(await wallet.landing(given)).toMatchObject({ isOver: false });
  await wallet.activate();
  expect(await wallet.submit(pay(given))).toEqual({ status: "accepted" });
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
