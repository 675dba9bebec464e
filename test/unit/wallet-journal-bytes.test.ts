import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action } from "../../src/chain/actions.ts";
import { newestVersion, seal, unseal } from "../../src/domain/sealing.ts";
import { decodeActions, encodeActions } from "../../src/wallet/journal/encoding.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const amounts = fc.bigInt({ min: 0n, max: 10n ** 33n }).map(String);
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    fc.constant<Action>({ kind: "create_account" }),
    fc.record({ kind: fc.constant("transfer" as const), deposit: amounts }),
    fc.record({
      kind: fc.constant("function_call" as const),
      method: fc.string(),
      args: fc.uint8Array({ maxLength: 500 }),
      gas: amounts,
      deposit: amounts,
    }),
    fc.record({
      kind: fc.constant("add_function_call_key" as const),
      publicKey: bytes(32),
      receiverId: fc.string(),
      methods: fc.array(fc.string()),
    }),
    fc.record({ kind: fc.constant("deploy_contract" as const), code: fc.uint8Array({ maxLength: 5_000 }) }),
    fc.record({ kind: fc.constant("use_global_contract" as const), codeHash: bytes(32) }),
  ),
);

describe("actions in the journal", () => {
  test("are decoded as they were encoded", () => {
    fc.assert(
      fc.property(actions, (list) => {
        expect(decodeActions(encodeActions(list))).toEqual(list);
      }),
    );
  });

  test("take hardly more space than their bytes", () => {
    const code = new Uint8Array(1_500_000);
    expect(encodeActions([{ kind: "deploy_contract", code }]).length).toBeLessThan(code.length + 200);
  });
});

describe("a sealed seed", () => {
  const secret = (fill: number) => Buffer.from(new Uint8Array(32).fill(fill)).toString("base64");
  const seed = new Uint8Array(32).fill(9);

  test("opens for its account with any configured version, and is sealed with the newest", async () => {
    const old = await seal(seed, "a.near", { 1: secret(1) });
    expect(old.version).toBe(1);
    const both = { 1: secret(1), 2: secret(2) };
    expect(await unseal(old, "a.near", both)).toEqual(seed);
    const fresh = await seal(seed, "a.near", both);
    expect(fresh.version).toBe(2);
    expect(await unseal(fresh, "a.near", { 2: secret(2) })).toEqual(seed);
    expect(newestVersion({ 9: "", 10: "" })).toBe(10);
  });

  test("doesn't open for another account, with another secret, or when a bit differs", async () => {
    const sealed = await seal(seed, "a.near", { 1: secret(1) });
    await expect(unseal(sealed, "b.near", { 1: secret(1) })).rejects.toThrow("does not open");
    await expect(unseal(sealed, "a.near", { 1: secret(2) })).rejects.toThrow("does not open");
    await expect(unseal(sealed, "a.near", { 2: secret(1) })).rejects.toThrow("has no version 1");
    const bent = sealed.bytes.with(20, sealed.bytes[20]! ^ 1);
    await expect(unseal({ bytes: bent, version: 1 }, "a.near", { 1: secret(1) })).rejects.toThrow(
      "does not open",
    );
  });

  test("is different each time", async () => {
    const one = await seal(seed, "a.near", { 1: secret(1) });
    const two = await seal(seed, "a.near", { 1: secret(1) });
    expect(one.bytes).not.toEqual(two.bytes);
  });
});
