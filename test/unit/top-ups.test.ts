import fc from "fast-check";
import { expect, test } from "vitest";
import { acceptedRow } from "../../src/db/queries/operations.ts";
import { newUuid } from "../../src/domain/ids.ts";
import { mintKind } from "../../src/operations/kinds/mint.ts";
import { isCredible } from "../../src/operations/top-up.ts";
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
