import fc from "fast-check";
import { expect, test } from "vitest";
import { varintBytes } from "../../src/domain/promised-bytes.ts";
import { readVarint, writeVarint } from "../../src/files/ipfs/cid.ts";

const numbers = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(300),
  // Where a number takes a byte more, and where a library that shifts bits would go wrong.
  fc
    .tuple(fc.integer({ min: 0, max: 52 }), fc.constantFrom(-1, 0, 1))
    .map(([bit, by]) => Math.max(0, 2 ** bit + by)),
);

test("a number is read back as it was written at any offset, and no other byte changes", () => {
  fc.assert(
    fc.property(numbers, fc.nat(3), (value, offset) => {
      const target = new Uint8Array(16).fill(0xff);
      const next = writeVarint(target, offset, value);
      expect(next - offset).toBe(varintBytes(value));
      expect(readVarint(target, offset)).toEqual({ value, next });
      expect([...target.subarray(0, offset), ...target.subarray(next)].every((byte) => byte === 0xff)).toBe(
        true,
      );
    }),
  );
});

test.each([
  ["is cut off", [0x80]],
  ["is empty", []],
  ["is 2^53", [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]],
  ["has more bytes than it needs", [0x80, 0x00]],
  ["has more bytes than any", Array<number>(11).fill(0x80)],
])("a number that %s is refused", (_, bytes) => {
  expect(() => readVarint(Uint8Array.from(bytes), 0)).toThrow(RangeError);
});
