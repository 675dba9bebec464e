import fc from "fast-check";
import { expect, test } from "vitest";
import { parseInstant } from "../../src/api/schemas/fields.ts";
import { codePoints, JSON_WHITESPACE, LINE_BREAKS, textProblem } from "../../src/domain/texts.ts";

const instants = fc.date({
  min: new Date(0),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

test("a time that a Date writes is read back", () => {
  fc.assert(fc.property(instants, (date) => parseInstant(date.toISOString())?.getTime() === date.getTime()));
});

test("a time with an offset is the same moment as in UTC", () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
      const local = new Date(date.getTime() + minutes * 60_000);
      fc.pre(local.getTime() >= 0 && local.getUTCFullYear() <= 9999);
      const two = (n: number) => String(n).padStart(2, "0");
      const zone = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      return parseInstant(local.toISOString().replace("Z", zone))?.getTime() === date.getTime();
    }),
  );
});

test.each([
  ["2026-12-24T18:00:00Z", "2026-12-24T18:00:00.000Z"],
  ["2026-12-24t18:00:00z", "2026-12-24T18:00:00.000Z"],
  ["2026-12-24T18:00:00.1239+01:00", "2026-12-24T17:00:00.123Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
])("the time %s is read as %s", (text, expected) => {
  expect(parseInstant(text)?.toISOString()).toBe(expected);
});

test.each([
  "2026-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-12-24T24:00:00Z",
  "2026-12-24T18:60:00Z",
  "2026-12-24T18:00:00",
  "2026-12-24T18:00Z",
  "2026-12-24 18:00:00Z",
  "2026-12-24",
  "1969-12-31T23:59:59Z",
  "1970-01-01T00:00:00+01:00",
  "2026-12-24T18:00:00+24:00",
  "1735063200",
  "",
])("%j is not read as a time", (text) => {
  expect(parseInstant(text)).toBeNull();
});

test("a control character is named in the refusal, unless it is allowed", () => {
  const controls = fc.oneof(fc.integer({ min: 0, max: 0x1f }), fc.integer({ min: 0x7f, max: 0x9f }));
  fc.assert(
    fc.property(controls, fc.constantFrom("", LINE_BREAKS, JSON_WHITESPACE), (code, allowed) => {
      const control = String.fromCharCode(code);
      const problem = textProblem(`a${control}b`, 3, allowed);
      if (allowed.includes(control)) expect(problem).toBeNull();
      else expect(problem).toContain(`U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
    }),
  );
  expect(textProblem("a\u0020\u007e\u00a0\u2028b", 10)).toBeNull();
});

test("the maximum length counts code points, and an incomplete surrogate pair is refused", () => {
  expect(codePoints("🖼️é")).toBe(3);
  expect(textProblem("🖼".repeat(256), 256)).toBeNull();
  expect(textProblem("🖼".repeat(257), 256)).toContain("257");
  expect(textProblem("\ud83d", 256)).toContain("surrogate");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.nat(40), (text, most) => {
      return (textProblem(text, most) === null) === [...text].length <= most;
    }),
  );
});
