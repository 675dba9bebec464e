import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryBudget } from "../../src/files/isolate-memory.ts";

const LIMITS = { bytes: 100, bytesOfOwner: 60, lapsesAfterMs: 1_000 };

const owner = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  fc.record({ what: fc.constant("take" as const), bytes: fc.integer({ min: 1, max: 40 }), owner }),
  fc.record({ what: fc.constantFrom("give back" as const, "renew" as const), which: fc.nat(20) }),
  fc.record({ what: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 700 }) }),
);

test("a share of memory is granted only if as much stays free, in total and for its owner", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new MemoryBudget(LIMITS);
      let now = 0;
      const out: { bytes: number; owner: string; until: number; share: object }[] = [];
      const held = (of?: string) =>
        out
          .filter((each) => each.until > now && (of === undefined || each.owner === of))
          .reduce((sum, each) => sum + each.bytes, 0);
      for (const each of steps) {
        if (each.what === "wait") now += each.ms;
        if (each.what === "take") {
          const fits = held() + 2 * each.bytes <= 100 && held(each.owner) + 2 * each.bytes <= 60;
          const share = budget.take(each.bytes, each.owner, now);
          expect(share !== null).toBe(fits);
          if (share) out.push({ bytes: each.bytes, owner: each.owner, until: now + 1_000, share });
        }
        if (each.what === "give back" && out.length > 0) {
          const [given] = out.splice(each.which % out.length, 1);
          budget.giveBack(given!.share as never);
        }
        const known = each.what === "renew" && out[each.which % Math.max(out.length, 1)];
        if (known && known.until > now) {
          budget.renew(known.share as never, now);
          known.until = now + 1_000;
        }
      }
    }),
  );
});

test("a share that isn't returned in time is released", () => {
  const budget = new MemoryBudget(LIMITS);
  expect(budget.take(30, "a", 0)).not.toBeNull();
  expect(budget.take(20, "b", 0)).not.toBeNull();
  expect(budget.take(30, "c", 999)).toBeNull();
  expect(budget.take(30, "c", 1_000)).not.toBeNull();
});

test("a share that is renewed is kept", () => {
  const budget = new MemoryBudget(LIMITS);
  const share = budget.take(30, "a", 0)!;
  budget.renew(share, 500);
  expect(budget.take(30, "a", 1_499)).toBeNull();
  expect(budget.take(30, "a", 1_500)).not.toBeNull();
});
