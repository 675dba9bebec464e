import fc from "fast-check";
import { expect, test } from "vitest";
import { acceptedRow } from "../../src/db/queries/operations.ts";
import { newUuid } from "../../src/domain/ids.ts";
import { mintKind } from "../../src/operations/kinds/mint.ts";
import { isCredible, unpaidStorage } from "../../src/operations/top-up.ts";
import type { TransactionRecord } from "../../src/wallet/interface.ts";
import refusals from "../support/refusals.json" with { type: "json" };

const NEAR = 10n ** 24n;
/** yoctoNEAR a byte (near.org, "Storage staking"). */
const BYTE = 10n ** 19n;

test("a missing amount is paid only up to what the step needs plus 1 NEAR", () => {
  const bytes = fc.nat(10_000_000);
  fc.assert(
    fc.property(bytes, bytes, bytes, (bytes, reserved, perhaps) => {
      const need = { contract: "c.near", bytes, reserved, perhaps };
      const most = BigInt(bytes + reserved + perhaps) * BYTE + NEAR;
      expect(isCredible(need, most)).toBe(true);
      expect(isCredible(need, most + 1n)).toBe(false);
    }),
  );
});

test("a mint fails without a top-up if its contract names more than can be missing", async () => {
  const request = {
    contract: "c.near",
    collectionId: 1,
    receivers: ["a.near"],
    quantity: 1,
    metadata: null,
    base: "",
  };
  const row = acceptedRow(
    { id: newUuid(), integrationId: newUuid(), kind: "mint", subjectId: newUuid(), request },
    new Date(),
  );
  const next = async (missing: bigint) => {
    const said = refusals.E_STORAGE_BALANCE.replace(/\d+/, missing.toString());
    const record = {
      operationUuid: row.id,
      step: "mint",
      state: "failed",
      contractCode: "E_STORAGE_BALANCE",
      result: { failure_message: said },
    } as TransactionRecord;
    return (await mintKind.look({} as never, row, [record])).next();
  };
  expect(await next(NEAR / 2n)).toMatchObject({ do: "submit", step: "topup:mint:1" });
  expect(await next(50n * NEAR)).toEqual({ do: "fail", step: "mint" });
});

test("a step's storage counts without what its own top-ups have paid in", () => {
  const record = (step: string, state: TransactionRecord["state"], paid: bigint) =>
    ({ step, state, cost: String(paid + 7n), result: { tokens_burnt: "7" } }) as TransactionRecord;
  const need = { contract: "c.near", bytes: 100, reserved: 900, perhaps: 50 };
  expect(unpaidStorage(null, "add:1", [])).toBe("0");
  expect(unpaidStorage(need, "add:1", [])).toBe(String(1_000n * BYTE));
  const records = [
    record("add:1", "failed", 0n),
    record("topup:add:1:1", "succeeded", 300n * BYTE),
    record("topup:add:2:1", "succeeded", 500n * BYTE),
    record("topup:add:1:2", "failed", 0n),
  ];
  expect(unpaidStorage(need, "add:1~3", records)).toBe(String(700n * BYTE));
  const more = record("topup:add:1:3", "succeeded", 800n * BYTE);
  expect(unpaidStorage(need, "add:1~4", [...records, more])).toBe("0");
});
