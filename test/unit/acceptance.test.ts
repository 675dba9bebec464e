import { expect, test } from "vitest";
import { apiKeyDigest, apiKeyPrefix, isApiKey, newApiKey } from "../../src/domain/api-keys.ts";
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

test("API keys are a prefix and 256 random bits, and only their digest is stored", async () => {
  const keys = Array.from({ length: 100 }, (_, index) => newApiKey(index % 2 ? "mainnet" : "devchain"));
  const testKeys = [newApiKey("testnet")];
  expect(new Set(keys).size).toBe(100);
  for (const key of [...keys, ...testKeys]) {
    expect(isApiKey(key)).toBe(true);
    expect(key).toMatch(
      testKeys.includes(key) ? /^mk_test_[A-Za-z0-9_-]{43}$/ : /^mk_live_[A-Za-z0-9_-]{43}$/,
    );
    expect(apiKeyPrefix(key)).toHaveLength(12);
    expect(await apiKeyDigest(key)).toHaveLength(32);
  }
  expect(isApiKey(`${keys[0]} `)).toBe(false);
  expect(isApiKey(keys[0]!.slice(0, -1))).toBe(false);
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
