import { expect, test } from "vitest";
import { isNumber, ownNameOf } from "../../src/collections/pages/names.ts";

const collection = { title: "Marsh Notes" };
const ownName = (subtitle: string, number: number) =>
  ownNameOf({ title: `Marsh Notes ${subtitle}`.trim(), number }, collection);

test.each(["99 Red Balloons", "3 Herons", "No. 5 in the rain", "1984"])("%s stays an NFT's name", (name) => {
  expect(ownName(name, 4)).toBe(name);
});

test.each(["99 Red Balloons", "3 Herons", "No. 5 in the rain"])("%s is no number", (name) => {
  expect(isNumber(name)).toBe(false);
});

test.each(["4", "#4", "No. 4", "4 of 120", "#4 of 120", "No. 4 of 120", "4/120", ""])(
  "%j is but the fourth",
  (subtitle) => {
    expect(ownName(subtitle, 4)).toBe("No. 4");
    expect(isNumber(ownName(subtitle, 4))).toBe(true);
  },
);

test("a number has separators, and that of an edition is kept", () => {
  expect(ownName("1234 of 10000", 1_234)).toBe("No. 1,234");
  expect(ownName("3 of 10", 1_234)).toBe("3 of 10");
  expect(ownNameOf({ title: null, number: 1_234 }, collection)).toBe("No. 1,234");
});
