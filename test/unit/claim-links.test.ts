import fc from "fast-check";
import { expect, test } from "vitest";
import { unreportedLinks, withLinks } from "../../src/operator/jobs/claims.ts";

const LINKS = 10_000;
const claimed = fc.uniqueArray(fc.nat(LINKS - 1), { maxLength: 300 });
const bitsOf = (links: readonly number[]): Uint8Array => {
  const bits = new Uint8Array(LINKS / 8);
  for (const link of links) bits[Math.floor(link / 8)]! |= 2 ** (link % 8);
  return bits;
};

test("each claimed link is reported once, in batches and between claims", () => {
  fc.assert(
    fc.property(claimed, claimed, fc.integer({ min: 1, max: 40 }), (first, later, most) => {
      let told: Uint8Array = new Uint8Array();
      const heard: number[] = [];
      for (const links of [first, [...new Set([...first, ...later])]]) {
        for (;;) {
          const next = unreportedLinks(bitsOf(links), told, most);
          if (next.length === 0) break;
          expect(next).toEqual(next.toSorted((a, b) => a - b));
          expect(next.length).toBeLessThanOrEqual(most);
          heard.push(...next);
          told = withLinks(told, next);
        }
      }
      expect(heard.length).toBe(new Set(heard).size);
      expect(new Set(heard)).toEqual(new Set([...first, ...later]));
    }),
  );
});
