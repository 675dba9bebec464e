import fc from "fast-check";
import { expect, test } from "vitest";
import {
  mintFeeProblem,
  TOKEN_STORAGE_PRICE,
  YOCTO_PATTERN,
  yoctoProblem,
} from "../../src/domain/amounts.ts";
import {
  basisPoints,
  INITIAL_ROYALTY_LIMITS,
  ONGOING_ROYALTY_LIMITS,
  royaltyIssues,
} from "../../src/domain/royalties.ts";

test("every percentage with two decimals is converted to basis points exactly", () => {
  for (let points = 0; points <= 10_000; points += 1) {
    expect(basisPoints(points / 100)).toBe(points);
    expect(basisPoints(Number((points / 100).toFixed(2)))).toBe(points);
  }
});

test("a percentage with a third decimal, a sign or an exponent, or without a number, is rejected", () => {
  const thirdDecimal = fc.tuple(fc.nat(99), fc.nat(99), fc.integer({ min: 1, max: 9 }));
  fc.assert(
    fc.property(thirdDecimal, ([whole, cents, more]) => {
      const percent = Number(`${whole}.${String(cents).padStart(2, "0")}${more}`);
      return basisPoints(percent) === null;
    }),
  );
  for (const percent of [-1, 1e-7, 1e21, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(basisPoints(percent)).toBeNull();
  }
});

const account = fc.integer({ min: 0, max: 10_000 }).map((n) => `account-${n}.near`);
const table = fc.dictionary(
  account,
  fc.integer({ min: 1, max: 3_000 }).map((points) => points / 100),
  {
    maxKeys: 14,
  },
);

test.each([INITIAL_ROYALTY_LIMITS, ONGOING_ROYALTY_LIMITS])(
  "tables have at most $accounts accounts and $total in total",
  (limits) => {
    fc.assert(
      fc.property(table, (royalties) => {
        const shares = Object.values(royalties);
        const total = shares.reduce((sum, percent) => sum + Math.round(percent * 100), 0);
        const right = shares.length <= limits.accounts && total <= limits.total;
        return (royaltyIssues(royalties, limits).length === 0) === right;
      }),
    );
  },
);

test.each([
  { limits: INITIAL_ROYALTY_LIMITS, accounts: 10, percent: 95 },
  { limits: ONGOING_ROYALTY_LIMITS, accounts: 9, percent: 100 },
])("a table of $accounts accounts and $percent% is the largest", ({ limits, accounts, percent }) => {
  const shared = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`account-${index}.near`, 1]));
  expect(royaltyIssues(shared(accounts), limits)).toEqual([]);
  expect(royaltyIssues(shared(accounts + 1), limits)).toHaveLength(1);
  expect(royaltyIssues({ "a.near": percent - 1, "b.near": 1 }, limits)).toEqual([]);
  expect(royaltyIssues({ "a.near": percent - 1, "b.near": 1.01 }, limits)).toHaveLength(1);
});

test("every wrong share is reported, not only the first", () => {
  const issues = royaltyIssues(
    { "Alice.near": 5, "bob.near": 0, "carol.near": 1.001 },
    INITIAL_ROYALTY_LIMITS,
  );
  expect(issues.map(({ path, message }) => [path, message])).toEqual([
    [["Alice.near"], expect.stringContaining("account id")],
    [["bob.near"], expect.stringMatching(/from 0\.01 to 95 /)],
    [["carol.near"], expect.stringMatching(/from 0\.01 to 95 /)],
  ]);
});

test("one account may have all, not more, and what is wrong with the whole table is said of the table", () => {
  expect(royaltyIssues({ "a.near": 95 }, INITIAL_ROYALTY_LIMITS)).toEqual([]);
  expect(royaltyIssues({ "a.near": 0.01 }, INITIAL_ROYALTY_LIMITS)).toEqual([]);
  expect(royaltyIssues({ "a.near": 95.01 }, INITIAL_ROYALTY_LIMITS)).toMatchObject([{ path: ["a.near"] }]);
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}.near`, 9]));
  expect(royaltyIssues(many, INITIAL_ROYALTY_LIMITS)).toEqual([
    { path: [], message: expect.stringMatching(/at most 10 .*are 11\./) },
    { path: [], message: expect.stringMatching(/below 95%; it is 99%/) },
  ]);
});

test("amounts are decimal digits within a u128", () => {
  const most = 2n ** 128n - 1n;
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: most }), (amount) => yoctoProblem(String(amount)) === null),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: most + 1n, max: 2n ** 200n }), (amount) => {
      expect(yoctoProblem(String(amount))).toContain(`at most ${most}`);
    }),
  );
  expect(yoctoProblem(`${most}`)).toBeNull();
  expect(yoctoProblem("9".repeat(1_000_000))).toContain(`at most ${most}`);
  for (const text of ["", "01", "-1", "+1", "1.0", "1e3", "0x1", " 1", "1 ", "١"]) {
    expect(yoctoProblem(text)).toContain("decimal digits");
  }
});

test("the OpenAPI pattern of amounts accepts no text that the parser rejects", () => {
  fc.assert(fc.property(fc.stringMatching(new RegExp(YOCTO_PATTERN)), (text) => yoctoProblem(text) === null));
});

test("a mint fee is zero or covers a token's storage", () => {
  expect(mintFeeProblem("0")).toBeNull();
  for (const text of ["-1", "a", "9".repeat(40)]) expect(mintFeeProblem(text)).toBe(yoctoProblem(text));
  expect(mintFeeProblem("1")).toContain("2700000000000000000000");
  expect(mintFeeProblem(String(TOKEN_STORAGE_PRICE - 1n))).not.toBeNull();
  expect(mintFeeProblem(String(TOKEN_STORAGE_PRICE))).toBeNull();
});
