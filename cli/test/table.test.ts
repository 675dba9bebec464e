import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimsText } from "../claim/open.ts";
import { firstProblems } from "../csv.ts";
import { counted, near, table } from "../table.ts";

describe("tables", () => {
  test("columns are as wide as their widest cell, numbers stand on the right", () => {
    const rows = [
      { name: "heron", minted: 7, owner: null },
      { name: "鷺", minted: 1200, owner: "a\nb" },
    ];
    expect(table(rows)).toBe(
      ["name   minted  owner", "─────  ──────  ─────", "heron       7  –", "鷺       1200  a b"].join("\n"),
    );
  });

  test("an empty list is shown as a sentence", () => {
    expect(table([])).toBe("(none)");
  });
});

test("a count of one uses the singular", () => {
  expect([0, 1, 2].map((count) => counted(count, "account"))).toEqual([
    "0 accounts",
    "1 account",
    "2 accounts",
  ]);
  expect(claimsText({ links: 1, copies: 1 }, 1)).toContain(
    "1 is open and needs 1 of the 1 copy left; 0 more can be minted",
  );
  expect(claimsText({ links: 2, copies: 2 }, 1)).toContain("1 copy is missing, so some links will fail");
  expect(claimsText({ links: 2, copies: 6 }, 10, 5)).toContain(
    "need 6 of the 10 copies left; after 5 more are minted, 1 copy is missing, so some links will fail",
  );
  expect(claimsText({ links: 2, copies: 6 }, 10, 3)).toContain(
    "after 3 more are minted, 1 more can be minted",
  );
  expect(firstProblems("a.csv", Array(21).fill("Bad."), "mistake").at(-1)).toBe(
    "a.csv has 1 more such mistake.",
  );
});

describe("amounts", () => {
  test.each([
    ["0", "0.0000"],
    ["1", "<0.0001"],
    ["1500000000000000000000000", "1.5000"],
    ["123456789000000000000000000", "123.4567"],
    [null, "–"],
  ])("%s yoctoNEAR are shown as %s", (yocto, text) => {
    expect(near(yocto)).toBe(text);
  });

  test("that have to be paid are rounded up", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 35n }), (yocto) => {
        const [whole = "", decimals = ""] = near(String(yocto), "up").split(".");
        const shown = BigInt(whole) * 10n ** 24n + BigInt(decimals) * 10n ** 20n;
        expect(shown).toBeGreaterThanOrEqual(yocto);
        expect(shown - yocto).toBeLessThan(10n ** 20n);
      }),
    );
  });

  test("that are owned are rounded down", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 20n, max: 10n ** 35n }), (yocto) => {
        const [whole = "", decimals = ""] = near(String(yocto)).split(".");
        const shown = BigInt(whole) * 10n ** 24n + BigInt(decimals) * 10n ** 20n;
        expect(shown).toBeLessThanOrEqual(yocto);
        expect(yocto - shown).toBeLessThan(10n ** 20n);
      }),
    );
  });
});
