import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { balanceOf, chainCall, SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import { type Intent, newUuid, useNonceOfPlatform, walletOf } from "../support/own-wallets.ts";
import { ENOUGH } from "../support/waiting.ts";
import { VALIDITY } from "../support/wallets.ts";

const platform = walletOf("platform");
const receiver = `receiver.${env.PLATFORM_ACCOUNT_ID}`;
const pay = (deposit: string): Intent => ({
  operationUuid: newUuid(),
  step: "pay",
  fairnessKey: "test",
  receiverId: receiver,
  actions: [{ kind: "transfer", deposit }],
});

beforeAll(async () => {
  const creation: Intent = {
    ...pay("1000000000000000000000000"),
    actions: [{ kind: "create_account" }, { kind: "transfer", deposit: "1000000000000000000000000" }],
  };
  await platform.submit(creation);
  expect(await platform.recordsAtEnd(creation.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
});

beforeEach(() => setFaults());

/** A payment that no node takes, so it is open with an unused nonce. */
const openPayment = async (deposit: string) => {
  await setFaults({ kind: "request_lost", methods: ["send_tx"], node: SERVICES_NODE });
  const payment = pay(deposit);
  expect(await platform.submit(payment)).toEqual({ status: "accepted" });
  const [record] = await platform.recordsAtEnd(payment.operationUuid, 1_000);
  expect(record).toMatchObject({ state: "open", result: { status: "pending" } });
  return { payment, result: record!.result! };
};

describe("a transaction that never landed is signed again", () => {
  test.each([
    ["its nonce", 0n],
    ["a much higher one", 1_000n],
  ])("when another one has used %s", async (_name, above) => {
    const before = await balanceOf(receiver);
    const { payment, result } = await openPayment("9");
    await useNonceOfPlatform(receiver, BigInt(result.nonce) + above);
    await setFaults();
    const [record] = await platform.recordsAtEnd(payment.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "succeeded" });
    expect(record?.result?.transaction_hash).not.toBe(result.transaction_hash);
    expect(BigInt(record!.result!.nonce)).toBe(BigInt(result.nonce) + above + 1n);
    expect((await balanceOf(receiver)) - before).toBe(1_009n);
  });

  test("when its validity is over and its nonce unused", async () => {
    const before = await balanceOf(receiver);
    const { payment, result } = await openPayment("30");
    await chainCall("devchain_advance", { heights: VALIDITY + 10, blocks: 4 }, "/other");
    await setFaults();
    const [record] = await platform.recordsAtEnd(payment.operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "succeeded" });
    expect(record?.result?.transaction_hash).not.toBe(result.transaction_hash);
    expect((await balanceOf(receiver)) - before).toBe(30n);
  });
});
