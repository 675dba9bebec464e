import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  FORBIDDEN,
  type LockRecord,
  lockedChanges,
  lockedError,
  lockRecord,
  locksAgainst,
} from "../../src/domain/locks.ts";
import type { CollectionSettings, SettingsChanges } from "../../src/domain/settings.ts";

const before: CollectionSettings = {
  title: "Herons",
  description: "At dusk",
  public_mint_config: null,
  private_mint_config: null,
  bypass_mint_fee_accounts: [],
  initial_royalties: {},
  ongoing_royalties: { "a.near": 5, "b.near": 0.07 },
  allow_approvals: true,
  approvals_allowed_accounts: ["m.near"],
  approvals_denied_accounts: ["n.near"],
  allow_transfers: true,
  transfers_denied_accounts: ["x.near", "y.near"],
};

const ALL: LockRecord = { metadata: true, supply: true, royalties: true, transfers: true, code: true };

/** The fields that one lock forbids to change so. */
const refusedBy = (locks: LockRecord, changes: SettingsChanges): unknown[] =>
  lockedChanges(locks, before, changes).map(({ path: [name] }) => name);

test("what locks forbid is said in the contract's words", () => {
  const contract = readFileSync("contract/mintage/src/collection/locks.rs", "utf8");
  for (const sentence of Object.values(FORBIDDEN)) expect(contract).toContain(`"${sentence}"`);
});

describe("a change of settings", () => {
  // The cases of the contract's test `each_lock_refuses_what_it_names_and_nothing_else`.
  test.each<[SettingsChanges, keyof LockRecord | null]>([
    [{ title: "Egrets" }, "metadata"],
    [{ description: null }, "metadata"],
    [{ ongoing_royalties: { "a.near": 5, "b.near": 0.08 } }, "royalties"],
    [{ ongoing_royalties: { ...before.ongoing_royalties, "c.near": 1 } }, "royalties"],
    [{ ongoing_royalties: {} }, "royalties"],
    [{ ongoing_royalties: { "b.near": 0.07, "a.near": 5 } }, null],
    [{ allow_transfers: false }, "transfers"],
    [{ allow_approvals: false }, "transfers"],
    [{ transfers_denied_accounts: ["z.near"] }, "transfers"],
    [{ transfers_denied_accounts: ["y.near"] }, null],
    [{ transfers_denied_accounts: null }, null],
    [{ approvals_denied_accounts: ["n.near", "o.near"] }, "transfers"],
    [{ approvals_allowed_accounts: [] }, "transfers"],
    [{ approvals_allowed_accounts: ["m.near", "o.near"] }, null],
    [{ approvals_allowed_accounts: null }, null],
    [{ title: "Herons", description: "At dusk", allow_transfers: true }, null],
    [{ initial_royalties: { "c.near": 5 }, public_mint_config: { mint_fee: "1" } }, null],
  ])("%j is forbidden by the lock %s alone", (changes, lock) => {
    const names = Object.keys(changes);
    for (const name of Object.keys(ALL) as (keyof LockRecord)[])
      expect(refusedBy({ [name]: true }, changes), name).toEqual(name === lock ? names : []);
    expect(refusedBy({}, changes)).toEqual([]);
    if (lock) expect(locksAgainst(changes)).toContain(lock);
  });

  test("may be against the locks of what it names, and no others", () => {
    const against = (changes: SettingsChanges) => locksAgainst(changes);
    expect(against({ description: "x" })).toEqual(["metadata", "assets"]);
    expect(against({ ongoing_royalties: {} })).toEqual(["royalties"]);
    expect(against({ approvals_allowed_accounts: null })).toEqual(["transfers"]);
    expect(against({ initial_royalties: {}, public_mint_config: null })).toEqual([]);
  });

  test("may not limit approvals to a list where all accounts were allowed, but may leave it so", () => {
    const open = { ...before, approvals_allowed_accounts: null };
    const refused = (changes: SettingsChanges) => lockedChanges(ALL, open, changes).map(({ path }) => path);
    expect(refused({ approvals_allowed_accounts: [] })).toEqual([["approvals_allowed_accounts"]]);
    expect(refused({ approvals_allowed_accounts: null })).toEqual([]);
  });

  test("a locked asset keeps title and description, and nothing else", () => {
    expect(
      refusedBy({ assets: true }, { title: "Egrets", description: null, allow_transfers: false }),
    ).toEqual(["title", "description"]);
  });
});

test("the locks of a row are those that it names, and that of its assets if it has any", () => {
  expect(lockRecord([])).toEqual({});
  expect(lockRecord(["supply", "code"])).toEqual({ supply: true, code: true });
  expect(lockRecord([], 2)).toEqual({ assets: true });
  expect(Object.keys(lockRecord([], 0))).toEqual([]);
});

test("what a lock forbids is refused before anything is sent, with the fields if there are any", () => {
  const issues = [{ path: ["title"], message: FORBIDDEN.texts }];
  expect(lockedError(FORBIDDEN.texts, issues)).toMatchObject({
    code: "conflict",
    message: `E_LOCKED: ${FORBIDDEN.texts}`,
    details: { issues, outcome: "not_submitted" },
  });
  expect(lockedError(FORBIDDEN.supply).details).toEqual({ outcome: "not_submitted" });
});
