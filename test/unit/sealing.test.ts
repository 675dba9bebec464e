import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newestVersion, seal, unseal } from "../../src/domain/sealing.ts";

const secret = () => randomBytes(32).toString("base64");
const seed = new Uint8Array(randomBytes(32));

describe("a sealed key", () => {
  test("opens with its version of the secret, and is sealed with the newest", async () => {
    const secrets = { 1: secret(), 9: secret(), 10: secret() };
    expect(newestVersion(secrets)).toBe(10);
    const sealed = await seal(seed, "wallet.near", secrets);
    expect(sealed.version).toBe(10);
    expect(await unseal(sealed, "wallet.near", secrets)).toEqual(seed);
  });

  test("opens as it was sealed by earlier releases, or no wallet could sign any more", async () => {
    const sealed = {
      bytes: Buffer.from(
        "Sli5KdVPP0nd7cec6YYg7Q1kubpru8lVBgRDDgA5yZAlWPDIqbgermlzet3qh3iXXRweSEBX1RrEDHu3",
        "base64",
      ),
      version: 3,
    };
    const secrets = { 3: Buffer.alloc(32, 5).toString("base64") };
    expect(await unseal(sealed, "wallet.near", secrets)).toEqual(new Uint8Array(32).fill(9));
  });

  test("is different each time, and never contains the seed", async () => {
    const secrets = { 1: secret() };
    const [first, second] = await Promise.all([seal(seed, "a.near", secrets), seal(seed, "a.near", secrets)]);
    expect(first.bytes).not.toEqual(second.bytes);
    expect(Buffer.from(first.bytes).includes(Buffer.from(seed))).toBe(false);
  });

  test("opens only unchanged, for its own account, and with its own secret", async () => {
    const secrets = { 1: secret() };
    const sealed = await seal(seed, "wallet.near", secrets);
    await expect(unseal(sealed, "another.near", secrets)).rejects.toThrow(/another\.near.*version 1/);
    const flipped = { ...sealed, bytes: sealed.bytes.with(20, sealed.bytes[20]! ^ 1) };
    await expect(unseal(flipped, "wallet.near", secrets)).rejects.toThrow("does not open");
    await expect(unseal(sealed, "wallet.near", { 1: secret() })).rejects.toThrow("does not open");
    await expect(unseal(sealed, "wallet.near", { 2: secret() })).rejects.toThrow("has no version 1");
    await expect(seal(seed, "wallet.near", { 1: "c2hvcnQ=" })).rejects.toThrow("has to be 32 bytes");
  });
});
