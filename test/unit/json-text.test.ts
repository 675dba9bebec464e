import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, canonicalText, jsonBytes } from "../../src/domain/json-text.ts";

test("a value's bytes are those of its JSON in UTF-8", () => {
  expect([{ a: "ä€😀" }, null, undefined].map(jsonBytes)).toEqual([17, 4, 0]);
});

describe("canonical JSON", () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, field]) => [name, shuffled(field)]),
    );
  };

  test("is equal for equal values, and is parsed to the value itself", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  test("follows RFC 8785", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "1": "One",
      "\u0080": "Control",
      literals: [null, true],
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","literals":[null,true],"\u0080":"Control","\u20ac":"Euro Sign"}',
    );
  });

  test("leaves out fields that are undefined, and keeps the order of lists", () => {
    expect(canonicalJson({ b: [2, 1], a: undefined, c: null })).toBe('{"b":[2,1],"c":null}');
  });
});

describe("canonical JSON of a text", () => {
  test("has no space and no order of its own, and nothing is as an empty object", () => {
    expect(canonicalText(' { "b" : 1, "a" : [ ] }\n')).toBe('{"a":[],"b":1}');
    expect(["", "  \n", "null", "{}"].map(canonicalText)).toEqual(["{}", "{}", "{}", "{}"]);
    expect(["0", "false", '""', "[]"].map(canonicalText)).toEqual(["0", "false", '""', "[]"]);
  });

  test("is null for what isn't JSON or is nested too deep", () => {
    expect(["{", "{'a':1}", "undefined"].map(canonicalText)).toEqual([null, null, null]);
    expect(canonicalText("[".repeat(100_000) + "]".repeat(100_000))).toBeNull();
  });
});
