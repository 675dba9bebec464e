import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutResults, withResults } from "../../src/domain/answer-results.ts";

const result = fc.record({
  transaction_hash: fc.string({ minLength: 1 }),
  logs: fc.array(fc.string()),
  failure_message: fc.option(fc.string()),
});
const results = fc.uniqueArray(result, { selector: ({ transaction_hash }) => transaction_hash });

/** An answer that shows some results: one, a list, or none. */
const answers = fc
  .tuple(results, fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom("list", "one", "none"))
  .map(([known, rest, form]) => {
    const { tx_results: _, ...other } = rest;
    const shown = form === "list" ? known : form === "one" ? (known[0] ?? []) : undefined;
    return { known, body: shown === undefined ? other : { message: "success", tx_results: shown, ...other } };
  });

const stored = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

test("an answer is restored exactly as it was given", () => {
  fc.assert(
    fc.property(answers, ({ known, body }) => {
      const whole = withResults(
        stored(withoutResults(body, known)),
        known.map((one) => stored(one)),
      );
      expect(JSON.stringify(whole)).toBe(JSON.stringify(body));
    }),
  );
});

test("an answer is stored without the results that have a row, and with those that have none", () => {
  const [kept, other] = [
    { transaction_hash: "A", logs: ["long"] },
    { transaction_hash: "B", logs: [] },
  ];
  const body = { message: "success", tx_results: [kept, other], tokens: [] };
  expect(withoutResults(body, [kept])).toEqual({ ...body, tx_results: ["A", other] });
  expect(withoutResults({ tx_results: kept }, [kept])).toEqual({ tx_results: "A" });
  // What only looks the same isn't what the row has.
  expect(withoutResults({ tx_results: { ...kept } }, [kept])).toEqual({ tx_results: kept });
});

test("an answer that is stored with its results is returned unchanged", () => {
  fc.assert(
    fc.property(answers, ({ body }) => {
      expect(withResults(body, [])).toEqual(body);
    }),
  );
});

test("an answer that names a transaction without a row is an error", () => {
  expect(() => withResults({ tx_results: ["A"] }, [null, { transaction_hash: "B" }])).toThrow(
    "transaction A",
  );
});

test.each([null, "text", 7, undefined, { tx: [] }])(
  "an answer %j shows no transaction and stays as it is",
  (body) => {
    expect(withoutResults(body, [])).toBe(body);
    expect(withResults(body, [])).toBe(body);
  },
);
