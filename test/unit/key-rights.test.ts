import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServiceError } from "../../src/domain/errors.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import {
  budgetsOf,
  hasScope,
  KEY_SCOPES,
  type KeyRights,
  type KeyScope,
  mayReach,
  requireRights,
  rightsBeyond,
  roleOf,
} from "../../src/domain/key-rights.ts";
import { changeNetwork } from "../../src/http/address-limit.ts";

const UUIDS = Array.from({ length: 4 }, () => newUuid());
const AMOUNTS = ["0", "1", "10", "9", "340282366920938463463374607431768211455"];

const scopes = fc.uniqueArray(fc.constantFrom(...KEY_SCOPES), { minLength: 1 });
const collections = fc.option(fc.uniqueArray(fc.constantFrom(...UUIDS), { minLength: 1 }));
const amount = fc.option(fc.constantFrom(...AMOUNTS));
const rights: fc.Arbitrary<KeyRights> = fc.record({
  scopes,
  collections,
  spendingPerDay: amount,
  confirmAbove: amount,
  expiresAt: fc.option(fc.integer({ min: 1, max: 5 })),
});

/** What a key may do, tried one by one, as a set of names. */
const abilities = (key: KeyRights): Set<string> =>
  new Set([
    ...KEY_SCOPES.filter((scope) => hasScope(key.scopes, scope)),
    ...[...UUIDS, newUuid()].flatMap((id, index) => (mayReach(key, id) ? [`collection ${index}`] : [])),
    ...AMOUNTS.filter((one) => key.spendingPerDay === null || BigInt(one) <= BigInt(key.spendingPerDay)).map(
      (one) => `spends ${one}`,
    ),
    ...(key.spendingPerDay === null ? ["spends all"] : []),
    ...AMOUNTS.filter((one) => key.confirmAbove === null || BigInt(one) <= BigInt(key.confirmAbove)).map(
      (one) => `unconfirmed ${one}`,
    ),
    ...(key.confirmAbove === null ? ["unconfirmed all"] : []),
    ...[1, 2, 3, 4, 5].filter((at) => key.expiresAt === null || at < key.expiresAt).map((at) => `at ${at}`),
    ...(key.expiresAt === null ? ["for ever"] : []),
  ]);

/** What is refused: the path within a key's fields, and what is said. */
const beyond = (wanted: Partial<KeyRights>, own: Partial<KeyRights>) => {
  const none = { collections: null, spendingPerDay: null, confirmAbove: null, expiresAt: null };
  const full = { scopes: ["full"] as const, ...none };
  return rightsBeyond({ ...full, ...wanted }, { ...full, ...own }).map(({ path, message }) => [
    path,
    message,
  ]);
};

/** The code that refuses a request. */
const refusal = (check: () => void): unknown => {
  try {
    check();
    return null;
  } catch (error) {
    const { code, message } = error as ServiceError;
    return [code, message];
  }
};

describe("what a key may not do", () => {
  test("is named field by field, with the most that is allowed", () => {
    const [one, other] = UUIDS as [Uuid, Uuid];
    expect(beyond({ scopes: ["read", "mint"] }, { scopes: ["read"] })).toEqual([
      [["scopes", 1], expect.stringContaining("mint")],
    ]);
    expect(beyond({}, { collections: [one] })).toEqual([
      [["collections"], expect.stringMatching(/^Name some/)],
    ]);
    expect(beyond({ collections: [one, other] }, { collections: [one] })).toEqual([
      [["collections", 1], expect.stringContaining("other collections")],
    ]);
    const limits = { spendingPerDay: "70", confirmAbove: "80", expiresAt: 0 };
    expect(beyond({}, limits)).toEqual([
      [["spending_per_day"], expect.stringMatching(/at most 70,/)],
      [["confirm_above"], expect.stringMatching(/at most 80,/)],
      [["expires_at"], expect.stringMatching(/at most 1970-01-01T00:00:00.000Z,/)],
    ]);
  });

  test("is refused with the reason and with who can help", () => {
    const [one, other] = UUIDS as [Uuid, Uuid];
    const key = { scopes: ["read"] as const, collections: [one] };
    const needs = { scope: "read", limitsCollections: false, collectionUuid: one } as const;
    expect(refusal(() => requireRights(key, needs))).toBeNull();
    expect(refusal(() => requireRights(key, { ...needs, collectionUuid: one.toUpperCase() }))).toBeNull();
    expect(refusal(() => requireRights(key, { ...needs, scope: "mint" }))).toEqual([
      "scope_missing",
      expect.stringMatching(/`mint`.*POST \/key/),
    ]);
    const whole = { ...needs, collectionUuid: undefined };
    expect(refusal(() => requireRights({ ...key, collections: null }, whole))).toBeNull();
    expect(refusal(() => requireRights(key, { ...whole, limitsCollections: true }))).toBeNull();
    for (const collectionUuid of [other, undefined])
      expect(refusal(() => requireRights(key, { ...needs, collectionUuid }))).toEqual([
        "collection_not_allowed",
        expect.stringMatching(/^Use a key .*limited to .*POST \/key/),
      ]);
  });
});

describe("a key's rights", () => {
  test("exceed another's exactly if it may do something that the other may not", () => {
    fc.assert(
      fc.property(rights, rights, (wanted, own) => {
        const has = abilities(own);
        const isWithin = [...abilities(wanted)].every((ability) => has.has(ability));
        // A key whose scopes are all but full lacks what full alone may do.
        expect(rightsBeyond(wanted, own).length === 0).toBe(isWithin);
      }),
      { numRuns: 2_000 },
    );
  });

  test("never exceed its own, and a key made by a made key never exceeds the first maker's", () => {
    fc.assert(
      fc.property(rights, rights, rights, (one, two, three) => {
        expect(rightsBeyond(one, one)).toEqual([]);
        if (rightsBeyond(one, two).length > 0 || rightsBeyond(two, three).length > 0) return;
        expect(rightsBeyond(one, three)).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });

  test("include a scope if the key has it or the scope full, and every key may call an endpoint for all", () => {
    fc.assert(
      fc.property(scopes, fc.constantFrom(...KEY_SCOPES), (held, needed) => {
        expect(hasScope(held, needed)).toBe(held.includes(needed) || held.includes("full"));
        expect(hasScope(held, "any")).toBe(true);
      }),
    );
  });

  test("allow a limited key only its own collections and endpoints that limit themselves", () => {
    const endpoint = fc.record({
      scope: fc.constantFrom<KeyScope | "any">(...KEY_SCOPES, "any"),
      limitsCollections: fc.boolean(),
      collectionUuid: fc.option(fc.constantFrom<string>(...UUIDS), { nil: undefined }),
    });
    fc.assert(
      fc.property(rights, endpoint, (key, needs) => {
        const { scope, limitsCollections, collectionUuid: id } = needs;
        const reaches =
          key.collections === null ||
          (id === undefined ? limitsCollections : key.collections.includes(id as Uuid));
        const allowed = hasScope(key.scopes, scope) && reaches;
        const check = () => requireRights(key, needs);
        if (allowed) expect(check).not.toThrow();
        else expect(check).toThrow();
      }),
    );
  });
});

test("a key's spending counts for its own budget and for those of its makers", () => {
  const budget = fc.record({ key: fc.constantFrom(...UUIDS), perDay: fc.constantFrom(...AMOUNTS) });
  fc.assert(
    fc.property(fc.array(budget), amount, (makerBudgets, spendingPerDay) => {
      const id = newUuid();
      const budgets = budgetsOf(id, { spendingPerDay, makerBudgets });
      expect(budgets.filter(({ key }) => key !== id)).toEqual(makerBudgets);
      expect(budgets.filter(({ key }) => key === id).map(({ perDay }) => perDay)).toEqual(
        spendingPerDay === null ? [] : [spendingPerDay],
      );
    }),
  );
});

test.each([
  [["full"], "full"],
  [["full", "read"], "full"],
  [["read"], "read"],
  [["mint"], "limited"],
  [["mint", "read"], "limited"],
] as const)("the role of %j is %s", (held, role) => {
  expect(roleOf(held)).toBe(role);
});

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3::4", "2001:db8:1::/48"],
  ["2001:DB8::1", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["", ""],
  ["unknown", ""],
])("the audit log shows %s as %j", (address, network) => {
  expect(changeNetwork(address)).toBe(network);
});
