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

/** An id of each kind; the last has a hash in digits of Crockford's base32 (crate near-account-id, validation.rs). */
const IMPLICIT = ["f".repeat(64), `0x${"0".repeat(40)}`, `0s${"a1".repeat(20)}`, `0u${"0z".repeat(25)}kg`];

test.each(IMPLICIT)(
  "a transfer creates an account with the implicit id %s, and none with one like it",
  (id) => {
    expect(isImplicitAccountId(id)).toBe(true);
    for (const other of [`x${id}`, `${id}0`, `${id}.near`, `${id.slice(0, -2)}u0`, id.toUpperCase()])
      expect(isImplicitAccountId(other)).toBe(false);
  },
);

test("a transfer creates no account with a name", () => {
  const letters = ["i", "l", "o", "u"].map((letter) => `0u${letter}${"0".repeat(51)}`);
  for (const name of [
    "alice.near",
    "g".repeat(64),
    `0t${"0".repeat(40)}`,
    `0u${"0".repeat(51)}1`,
    ...letters,
  ])
    expect(isImplicitAccountId(name)).toBe(false);
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
