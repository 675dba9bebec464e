import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  apiKeyDigest,
  apiKeyPrefix,
  isApiKey,
  isTestKey,
  isTestNetwork,
  newApiKey,
} from "../../src/domain/api-keys.ts";

test("keys are a prefix and 256 random bits, and those of testnet are test keys", () => {
  const keys = Array.from({ length: 100 }, (_, index) => newApiKey(index % 2 ? "mainnet" : "devchain"));
  const testKey = newApiKey("testnet");
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) {
    expect(key).toMatch(/^mk_live_[A-Za-z0-9_-]{43}$/);
    expect([isApiKey(key), isTestKey(key)]).toEqual([true, false]);
  }
  expect(testKey).toMatch(/^mk_test_[A-Za-z0-9_-]{43}$/);
  expect([isApiKey(testKey), isTestKey(testKey), isTestNetwork("testnet")]).toEqual([true, true, true]);
  for (const text of [
    `${testKey} `,
    ` ${testKey}`,
    testKey.slice(0, -1),
    `${testKey}A`,
    testKey.toUpperCase(),
  ])
    expect(isApiKey(text), text).toBe(false);
});

test("only a key's digest is stored, and 24 of its bits to find it by", async () => {
  const key = newApiKey("mainnet");
  expect(Buffer.from(await apiKeyDigest(key))).toEqual(createHash("sha256").update(key).digest());
  expect(apiKeyPrefix(key)).toBe(key.slice(0, "mk_live_".length + 4));
});
