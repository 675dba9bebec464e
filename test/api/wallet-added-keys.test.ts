import { afterEach, beforeAll, expect, it } from "vitest";
import { setFaults } from "../support/chain-control.ts";
import { createReceiver, createWallet, journalRows, payment } from "../support/own-wallets.ts";
import { ENOUGH, until } from "../support/waiting.ts";

let receiver: string;

beforeAll(async () => {
  receiver = await createReceiver();
});
afterEach(() => setFaults());

it("added keys are used at once, even if no node returns the outcome of their transaction", async () => {
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
