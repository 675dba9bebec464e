import fc from "fast-check";
import { expect, test } from "vitest";
import { isAccountId, isImplicitAccountId, isSystemAccountId } from "../../src/domain/account-ids.ts";

/** The rule of the crate near-account-id, character by character. */
const walked = (id: string): boolean => {
  if (id.length < 2 || id.length > 64) return false;
  let separatorBefore = true;
  for (const character of id) {
    const separator = character === "-" || character === "_" || character === ".";
    if (!separator && !/^[a-z0-9]$/.test(character)) return false;
    if (separator && separatorBefore) return false;
    separatorBefore = separator;
  }
  return !separatorBefore;
};

const nearly = fc.string({
  unit: fc.constantFrom("a", "z", "0", "9", "-", "_", ".", "A", " ", "ä"),
  maxLength: 70,
});

test("an account id is valid exactly if it follows NEAR's rules", () => {
  fc.assert(fc.property(nearly, (id) => isAccountId(id) === walked(id)));
  fc.assert(fc.property(fc.string(), (id) => isAccountId(id) === walked(id)));
  // Most texts of those characters are no ids; these are, or have one separator too many.
  const part = fc.stringMatching(/^[a-z0-9]{1,3}$/);
  const separator = fc.constantFrom("-", "_", ".", "-", "_", ".", "--", "");
  const parts = fc.array(fc.tuple(part, separator), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(parts, part, (some, last) => {
      const id = some.flat().join("") + last;
      expect(isAccountId(id)).toBe(walked(id));
    }),
  );
});

test.each([
  ["aa", true],
  ["a", false],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ["alice.near", true],
  ["a--b", false],
  ["a-.b", false],
  [".near", false],
  ["near.", false],
  ["alice\n", false],
  ["98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de", true],
  ["0x32f1cc3b0b1e3b9a1f5c1a2b3c4d5e6f7a8b9c0d", true],
  ["100-200", true],
  ["100__200", false],
])("%j as an account id is valid: %s", (id, valid) => {
  expect(isAccountId(id)).toBe(valid);
});

test("a transfer creates an account with an implicit id, and none with a name", () => {
  expect(isImplicitAccountId("f".repeat(64))).toBe(true);
  expect(isImplicitAccountId(`0x${"0".repeat(40)}`)).toBe(true);
  expect(isImplicitAccountId("g".repeat(64))).toBe(false);
  expect(isImplicitAccountId("alice.near")).toBe(false);
  for (const around of [(id: string) => `x${id}`, (id: string) => `${id}0`, (id: string) => `${id}.near`]) {
    expect(isImplicitAccountId(around("f".repeat(64)))).toBe(false);
    expect(isImplicitAccountId(around(`0x${"0".repeat(40)}`))).toBe(false);
  }
});

test("no account can have the id of the protocol's own account or one below it", () => {
  for (const id of ["system", "a.system", "a.b.system"]) expect(isSystemAccountId(id)).toBe(true);
  for (const id of ["ecosystem", "a-system", "system.near", "systems"])
    expect(isSystemAccountId(id)).toBe(false);
});

test("an id of a megabyte is rejected in linear time", () => {
  expect(isAccountId(`${"a-".repeat(31)}a`)).toBe(true);
  expect(isAccountId(`${"a".repeat(1_000_000)}!`)).toBe(false);
});
