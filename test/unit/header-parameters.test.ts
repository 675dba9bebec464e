import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gatewayQuery, readGatewayRequest } from "../../src/api/gateway/cache.ts";
import { ServiceError } from "../../src/domain/errors.ts";
import { acceptsJson } from "../../src/http/acceptance.ts";
import { parametrised, parametrisedList } from "../../src/http/header-parameters.ts";
import { boundaryOf, parsePartHeaders } from "../../src/http/multipart/multipart.ts";
import { countedText } from "../support/counted-text.ts";

/** Most reads of a character: one to find its meaning, and a few where it begins or ends something. */
const LOOKS_A_CHARACTER = 12;

/** Texts of characters with a meaning in headers, in runs so long that anything worse than linear shows. */
const header = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        '"',
        "\\",
        ";",
        "=",
        ",",
        " ",
        "\t",
        "a",
        '\\"',
        '"\\',
        ';a="',
        "=;",
        '";',
        'a="\\',
        "é",
      ),
      fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 100, max: 2_000 })),
    ),
    { maxLength: 8 },
  )
  .map((runs) => runs.map(([piece, times]) => piece.repeat(times)).join(""));

describe("parameters of a header", () => {
  test.each([
    ["one", parametrised],
    ["a list", parametrisedList],
  ])("are read with a bounded number of reads of each character: %s", (_, read) => {
    fc.assert(
      fc.property(header, (text) => {
        const counted = countedText(text);
        read(counted.text);
        expect(counted.looks()).toBeLessThanOrEqual(LOOKS_A_CHARACTER * (text.length + 1));
      }),
      { numRuns: 300, examples: [[`form-data; name="${"\\".repeat(44)}`], [`a${'="\\"'.repeat(4_000)}`]] },
    );
  });

  test("are read back as they were written", () => {
    const name = fc.stringMatching(/^[a-z*]{1,8}$/);
    const value = fc.string({
      unit: fc.constantFrom("a", " ", ";", ",", "=", '"', "\\", "é"),
      maxLength: 12,
    });
    const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (pairs) => {
        // A last value that ends with an escaped quote is read as a path that ends with a backslash.
        const text = ["form-data", ...pairs.map(([key, each]) => `${key}=${quoted(each)}`), 'end=""'].join(
          "; ",
        );
        const { value: kind, parameters, unclosed } = parametrised(text);
        expect([kind, Object.fromEntries(parameters), unclosed]).toEqual([
          "form-data",
          { ...Object.fromEntries(pairs), end: "" },
          false,
        ]);
        expect(parametrisedList(`${text}, b`)).toHaveLength(2);
      }),
    );
  });

  test.each([
    ['a; b="c:\\"', { b: "c:\\" }],
    ['a; b="c:\\"; d="e"', { b: 'c:"; d=' }],
    ['a; b="\\\\"', { b: "\\" }],
    ['a; b="x\\y"', { b: "x\\y" }],
    ["a; B = c ; b=d;; e", { b: "c" }],
    ['a; b=c"d"; e=', { b: 'c"d"', e: "" }],
    ["a;=b", { "": "b" }],
    ["a; __proto__=b", { ["__proto__"]: "b" }],
  ])("are read from %s", (text, parameters) => {
    expect([...parametrised(text).parameters]).toEqual(Object.entries(parameters));
  });

  test("cause no error but one for the caller, whatever the text is", () => {
    const parsers: readonly ((text: string) => unknown)[] = [
      acceptsJson,
      (text) => readGatewayRequest(gatewayQuery.parse({}), text),
      (text) => boundaryOf(`multipart/form-data;${text}`),
      (text) => parsePartHeaders(new TextEncoder().encode(`Content-Disposition: form-data; ${text}`)),
    ];
    fc.assert(
      fc.property(
        fc.oneof(header, fc.string({ unit: "binary" })),
        fc.constantFrom(...parsers),
        (text, parse) => {
          try {
            parse(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ServiceError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("with an open quote are refused in a form", () => {
    const part = new TextEncoder().encode(`Content-Disposition: form-data; name="${"\\".repeat(44)}`);
    expect(() => parsePartHeaders(part)).toThrowError(expect.objectContaining({ code: "invalid_multipart" }));
  });

  test("named like a property of every object are no formats", () => {
    expect(readGatewayRequest(gatewayQuery.parse({}), "constructor, __proto__").format).toBe("content");
  });
});
