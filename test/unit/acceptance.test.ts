import { expect, test } from "vitest";
import { acceptsJson, prefers } from "../../src/http/acceptance.ts";

test.each([
  [undefined, true],
  ["", true],
  ["*/*", true],
  ["application/json", true],
  ["application/*;q=0.1", true],
  ["text/html", false],
  ["text/html, */*;q=0.1", true],
  ["application/json;q=0", false],
  ["*/*, application/json;q=0", false],
  ["application/json;q=0, */*", false],
  ["APPLICATION/JSON; charset=utf-8", true],
  ["application/json; Q=0.000", false],
  [";;,,", false],
])("a request with Accept: %s accepts JSON: %s", (header, accepted) => {
  expect(acceptsJson(header)).toBe(accepted);
});

test.each([
  ["text/csv", true],
  ["text/csv, */*", true],
  ["text/csv, application/json", false],
  ["application/json, text/csv;q=0.5", false],
  ["text/*, application/json;q=0.9", true],
  ["*/*", false],
  [undefined, false],
  ["text/csv;q=2, application/json", false],
  ["application/*, text/csv;q=0.9", false],
  ["application/*;q=0.1, text/csv;q=0.9", true],
  ["text/csv;q=0", false],
  ["text/csv;q=0, application/json;q=0", false],
])("a request with Accept: %s asks for CSV: %s", (header, wanted) => {
  expect(prefers("text/csv", header)).toBe(wanted);
});
