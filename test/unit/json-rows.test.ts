import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonRows } from "../../src/db/json-rows.ts";

const MOST = 1_000_000;

describe("rows that are packed as JSON", () => {
  test("have any content, and keep their order", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (rows) => {
        const packed = Array.from(jsonRows(rows));
        expect(packed.flatMap((text) => JSON.parse(text) as unknown[])).toEqual(
          rows.map((row) => JSON.parse(JSON.stringify(row)) as unknown),
        );
      }),
    );
  });

  test("fill texts of at most 1 MB in UTF-8, with as many rows as fit", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 150_000 }), { maxLength: 30 }), (lengths) => {
        const rows = lengths.map((length) => "川".repeat(length));
        const packed = Array.from(jsonRows(rows));
        const sizes = packed.map((text) => Buffer.byteLength(text));
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(MOST);
        expect(packed.flatMap((text) => JSON.parse(text) as string[])).toEqual(rows);
        // The first row of the next text would not have fit.
        for (const [index, text] of packed.slice(1).entries()) {
          const [first] = JSON.parse(text) as string[];
          expect(sizes[index]! + Buffer.byteLength(JSON.stringify(first)) + 1).toBeGreaterThan(MOST);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("have a text of their own if they exceed the limit, and no text if there are none", () => {
    const large = "x".repeat(MOST);
    expect(Array.from(jsonRows(["a", large, "b"]))).toEqual(['["a"]', `["${large}"]`, '["b"]']);
    expect(Array.from(jsonRows([]))).toEqual([]);
  });
});
