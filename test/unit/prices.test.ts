import fc from "fast-check";
import { expect, test } from "vitest";
import { exactUnits, priceProblem } from "../../src/domain/amounts.ts";
import { shownAmount, shownPrice } from "../../src/domain/prices.ts";

const usdc = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };

test("a price is the token's own amount, exactly", () => {
  expect(shownPrice("5000000", usdc)).toBe("5 USDC");
  expect(shownPrice("5000001", usdc)).toBe("5.000001 USDC");
  expect(shownPrice("1", usdc)).toBe("0.000001 USDC");
  expect(shownPrice("500000000000000000000000", null)).toBe("0.5 NEAR");
  expect(shownPrice("0", null)).toBe("Free");
  expect(shownAmount("0", usdc)).toBe("0 USDC");
  expect(shownAmount("7", { ...usdc, decimals: 0 })).toBe("7 USDC");
  // Without its metadata nobody knows what one of it is.
  expect(shownAmount("5000000", { ...usdc, symbol: null, decimals: null })).toBe(
    "5000000 units of usdc.near",
  );
  for (const unread of [{ symbol: null }, { decimals: null }])
    expect(shownAmount("5", { ...usdc, ...unread })).toBe("5 units of usdc.near");
});

test("a price in a currency is at least one of its smallest units, within a u128", () => {
  const most = 2n ** 128n - 1n;
  fc.assert(fc.property(fc.bigInt({ min: 1n, max: most }), (price) => priceProblem(`${price}`) === null));
  expect([priceProblem("1"), priceProblem(`${most}`)]).toEqual([null, null]);
  for (const text of ["", "0", "01", "-1", "1.0", "1e3", " 1", "1 "])
    expect(priceProblem(text), text).toMatch(/at least 1 /);
  for (const text of [`${most + 1n}`, "9".repeat(40), "9".repeat(100_000)])
    expect(priceProblem(text)).toContain(`at most ${most}`);
});

test("whole units and decimals are the amount again", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
      fc.integer({ min: 0, max: 38 }),
      (amount, decimals) => {
        const [whole = "", rest = ""] = exactUnits(`${amount}`, decimals).split(".");
        expect(BigInt(whole + rest.padEnd(decimals, "0"))).toBe(amount);
        expect(rest).not.toMatch(/0$/);
        expect(whole).toMatch(/^(0|[1-9]\d*)$/);
      },
    ),
  );
});
