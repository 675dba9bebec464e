import { expect, test } from "vitest";
import { AUDIT_ACTIONS, AUDITED_KINDS, auditedChanges, auditedRequest } from "../../src/domain/audit.ts";
import { KINDS, OPERATION_KINDS } from "../../src/domain/operations.ts";

test("every kind of operation that changes settings, locks, money or contracts is recorded, and no other", () => {
  const quiet =
    /^(mint|claim|finalize|contract_(top_up|publish)|nft_(update|update_bulk|transfer|burn)|allowlist_.*|drop_.*)$/;
  expect(OPERATION_KINDS.filter((kind) => !(kind in AUDITED_KINDS))).toEqual(
    OPERATION_KINDS.filter((kind) => quiet.test(kind)),
  );
  for (const action of Object.values(AUDITED_KINDS)) expect(AUDIT_ACTIONS).toContain(action);
  expect(Object.keys(AUDITED_KINDS).every((kind) => kind in KINDS)).toBe(true);
});

test("the entry of an operation shows what was asked for, by the API's names", () => {
  const locked = { locks: ["metadata"], assetUuids: ["a"], collectionId: 3 };
  expect(auditedRequest("collection_lock", locked)).toEqual({ locks: ["metadata"], asset_uuids: ["a"] });
  expect(auditedRequest("nft_lock", { tokenId: "1:2", contract: "x" })).toEqual({ token_id: "1:2" });
  expect(auditedRequest("collection_reveal", { steps: [{ shown: 5 }, { shown: 9 }, { shown: 12 }] })).toEqual(
    { shown: 12 },
  );
  expect(auditedRequest("collection_reveal", {})).toEqual({ shown: undefined });
  expect(auditedRequest("collection_update", { changes: { title: "A" }, target: 1 })).toEqual({ title: "A" });
  expect(auditedRequest("wallet_payout", { amount: "1" })).toEqual({ amount: "1" });
});

test("values of up to 1,000 bytes are shown, longer ones only named, and absent ones left out", () => {
  const changes = {
    short: "x".repeat(998),
    long: "x".repeat(999),
    wide: "ä".repeat(500),
    none: undefined,
    empty: null,
  };
  expect(auditedChanges(changes)).toEqual({ short: changes.short, long: "…", wide: "…", empty: null });
  expect(Object.keys(auditedChanges({ none: undefined }))).toEqual([]);
});
