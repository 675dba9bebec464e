import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { balanceOf, SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import {
  carriedOut,
  createReceiver,
  createWallet,
  FORGETFUL,
  givenUp,
  payment,
  signedRecord,
  useNonceOfPlatform,
  walletOf,
} from "../support/own-wallets.ts";
import { ENOUGH, until } from "../support/waiting.ts";

/** Rows that can't be proven, and what happens when they can be proven again. */

let receiver: string;

beforeAll(async () => {
  receiver = await createReceiver();
});
afterEach(() => setFaults());

test("a transaction isn't given up while the chain is halted at a block too recent for a proof", async () => {
  const platform = walletOf("platform");
  const before = await balanceOf(receiver);
  await setFaults({ kind: "request_lost", methods: ["send_tx"], node: SERVICES_NODE });
  const wanted = payment(receiver, "9");
  await platform.submit(wanted);
  const open = await signedRecord(platform, wanted.operationUuid);
  await useNonceOfPlatform(receiver, BigInt(open.result.nonce));
  // From here on the service's node shows no new block.
  await setFaults({ kind: "freeze", node: SERVICES_NODE });
  for (let looks = 0; looks < 30; looks++) {
    await runInDurableObject(env.WALLET.getByName("platform"), (_, { storage: { sql } }) => {
      sql.exec("UPDATE signed SET ask_at = 0 WHERE state = 'open'");
    });
    await platform.reconcile();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await platform.transactions(wanted.operationUuid)).toMatchObject([{ state: "open" }]);
  }
  await setFaults();
  expect(await platform.recordsAtEnd(wanted.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
  expect((await balanceOf(receiver)) - before).toBe(1_009n);
});

describe("a transaction that was given up", () => {
  test("is found by an otherwise idle wallet once its node has it again", async () => {
    const { uuid, wallet } = await createWallet();
    const before = await balanceOf(receiver);
    await setFaults(...FORGETFUL);
    const wanted = payment(receiver, "3");
    expect(await wallet.submit(wanted)).toEqual({ status: "accepted" });
    await givenUp(uuid, wanted.operationUuid);
    // Another look changes nothing.
    await wallet.reconcile();
    expect(await wallet.transactions(wanted.operationUuid)).toMatchObject([{ state: "unknown" }]);
    await setFaults();
    await wallet.reconcile();
    // A decision that rests on older rows doesn't give it up any more.
    expect(await wallet.withdraw(wanted.operationUuid, 1, true, ["unknown"])).toBe(false);
    const [record] = await wallet.transactions(wanted.operationUuid);
    expect(record).toMatchObject({ state: "succeeded", result: { status: "success" } });
    expect(record!.height).toBeGreaterThan(0);
    expect((await balanceOf(receiver)) - before).toBe(3n);
  });

  test("ends without effect once another transaction is proven to have its nonce, and isn't signed again", async () => {
    const platform = walletOf("platform");
    const before = await balanceOf(receiver);
    await setFaults({ kind: "request_lost", methods: ["send_tx"], node: SERVICES_NODE });
    const wanted = payment(receiver, "9");
    await platform.submit(wanted);
    const open = await signedRecord(platform, wanted.operationUuid);
    await setFaults(...FORGETFUL);
    await useNonceOfPlatform(receiver, BigInt(open.result.nonce));
    await givenUp("platform", wanted.operationUuid);
    await setFaults();
    // The block proves it once it is ten blocks deep.
    await until(async () => {
      await platform.reconcile();
      return (await platform.transactions(wanted.operationUuid))[0]?.state !== "unknown";
    });
    const [record] = await platform.transactions(wanted.operationUuid);
    expect(record).toMatchObject({
      state: "refused",
      result: { status: "failure", transaction_hash: open.result.transaction_hash },
    });
    expect(record?.result?.failure_message).toContain("no effect");
    expect(await carriedOut(platform, payment(receiver, "1"))).toMatchObject({ state: "succeeded" });
    expect((await balanceOf(receiver)) - before).toBe(1_001n);
  });
});
