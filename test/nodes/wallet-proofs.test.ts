import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { balanceOf, chainCall, SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import {
  createReceiver,
  payment,
  signedRecord,
  useNonceOfPlatform,
  walletOf,
} from "../support/own-wallets.ts";
import { ENOUGH } from "../support/waiting.ts";
import { VALIDITY } from "../support/wallets.ts";

const platform = walletOf("platform");
let receiver: string;

beforeAll(async () => {
  receiver = await createReceiver();
});

beforeEach(() => setFaults());

/** A payment that no node takes, so it is open with an unused nonce. */
const openPayment = async (deposit: string) => {
  await setFaults({ kind: "request_lost", methods: ["send_tx"], node: SERVICES_NODE });
  const wanted = payment(receiver, deposit);
  expect(await platform.submit(wanted)).toEqual({ status: "accepted" });
  const record = await signedRecord(platform, wanted.operationUuid);
  expect(record).toMatchObject({ state: "open", result: { status: "pending" } });
  return { operationUuid: wanted.operationUuid, result: record.result };
};

describe("a transaction that never landed is signed again", () => {
  test.each([
    ["its nonce", 0n],
    ["a much higher one", 1_000n],
  ])("when another one has used %s", async (_name, above) => {
    const before = await balanceOf(receiver);
    const { operationUuid, result } = await openPayment("9");
    await useNonceOfPlatform(receiver, BigInt(result.nonce) + above);
    await setFaults();
    const [record] = await platform.recordsAtEnd(operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "succeeded" });
    expect(record?.result?.transaction_hash).not.toBe(result.transaction_hash);
    expect(BigInt(record!.result!.nonce)).toBe(BigInt(result.nonce) + above + 1n);
    expect((await balanceOf(receiver)) - before).toBe(1_009n);
  });

  test("when its validity is over and its nonce unused", async () => {
    const before = await balanceOf(receiver);
    const { operationUuid, result } = await openPayment("30");
    await chainCall("devchain_advance", { heights: VALIDITY + 10, blocks: 4 }, "/other");
    await setFaults();
    const [record] = await platform.recordsAtEnd(operationUuid, ENOUGH);
    expect(record).toMatchObject({ state: "succeeded" });
    expect(record?.result?.transaction_hash).not.toBe(result.transaction_hash);
    expect((await balanceOf(receiver)) - before).toBe(30n);
  });
});
