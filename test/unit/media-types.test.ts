import * as fc from "fast-check";
import { expect, test } from "vitest";
import { referenceFault } from "../../src/domain/media-types.ts";

test("only JSON objects in UTF-8 are accepted as reference files", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      expect(referenceFault(Buffer.from(JSON.stringify(value))) === null).toBe(isObject);
    }),
  );
  expect(referenceFault(Buffer.from("\ufeff{}"))).toBeNull();
  expect(referenceFault(Buffer.from([0x7b, 0xff, 0x7d]))).toMatch(/UTF-8/);
  expect(referenceFault(Buffer.from("{}}"))).toMatch(/not JSON/);
  expect(referenceFault(Buffer.from("[]"))).toMatch(/not a JSON object/);
});
