import fc from "fast-check";
import { KeyPair } from "near-api-js";
import { expect, test } from "vitest";
import { keyFromSeed, publicKeyText } from "../../src/chain/transaction.ts";
import { seedOf } from "../../src/domain/private-keys.ts";

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const pairOf = (seed: Uint8Array, publicKey = keyFromSeed(seed).publicKey) =>
  publicKeyText(new Uint8Array([...seed, ...publicKey]));

test("a private key that NEAR's own library writes can be read", () => {
  const pair = KeyPair.fromRandom("ed25519");
  const seed = seedOf(pair.toString());
  expect(seed && publicKeyText(keyFromSeed(seed).publicKey)).toBe(pair.getPublicKey().toString());
});

test("a private key is refused with another public half or a wrong letter", () => {
  fc.assert(
    fc.property(seeds, seeds, fc.nat(), fc.constantFrom("2", "z"), (seed, other, place, letter) => {
      const text = pairOf(seed);
      expect(seedOf(text)).toEqual(seed);
      if (!Buffer.from(seed).equals(other))
        expect(seedOf(pairOf(seed, keyFromSeed(other).publicKey))).toBeNull();
      const at = text.length - 1 - (place % (text.length - "ed25519:".length));
      const mistyped = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
      if (mistyped !== text) expect(seedOf(mistyped)).toBeNull();
      expect(seedOf(text.slice(0, at))).toBeNull();
    }),
    { numRuns: 30 },
  );
});

test.each([
  "",
  "ed25519:",
  "ed25519:abc",
  `ed25519:${"0OIl".repeat(20)}`,
  pairOf(new Uint8Array(32)).replace("ed25519", "secp256k1"),
  publicKeyText(keyFromSeed(new Uint8Array(32)).publicKey),
  pairOf(new Uint8Array(32), new Uint8Array(33)),
  `x${pairOf(new Uint8Array(32))}`,
  `${pairOf(new Uint8Array(32))}!`,
])("%s is refused as a private key", (text) => {
  expect(seedOf(text)).toBeNull();
});
