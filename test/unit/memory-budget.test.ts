import * as fc from "fast-check";
import { expect, it } from "vitest";
import { MemoryBudget, MemorySpace } from "../../src/domain/memory-budget.ts";

const LIMITS = { bytes: 100, bytesOfOwner: 60, lapsesAfterMs: 1_000 };

const owner = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  fc.record({ what: fc.constant("take" as const), bytes: fc.integer({ min: 1, max: 40 }), owner }),
  fc.record({ what: fc.constantFrom("give back" as const, "renew" as const), which: fc.nat(20) }),
  fc.record({ what: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 700 }) }),
);

it("never lends more than it has, nor to one owner, and lends what is there", () => {
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
          const fits = held() + each.bytes <= 100 && held(each.owner) + each.bytes <= 60;
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

it("gets back what nobody gives back", () => {
  const budget = new MemoryBudget(LIMITS);
  expect(budget.take(60, "a", 0)).not.toBeNull();
  expect(budget.take(40, "b", 0)).not.toBeNull();
  expect(budget.take(1, "c", 999)).toBeNull();
  expect(budget.take(1, "c", 1_000)).not.toBeNull();
});

it("of a part is taken of the whole as well, and given back to it, by whichever part", () => {
  const take = fc.record({ part: fc.nat(1), bytes: fc.integer({ min: 1, max: 50 }), owner });
  fc.assert(
    fc.property(fc.array(fc.oneof(take, fc.record({ which: fc.nat(20) })), { maxLength: 60 }), (steps) => {
      const whole = new MemorySpace({ bytes: 150, bytesOfOwner: 80 });
      const parts = [new MemoryBudget(LIMITS, whole), new MemoryBudget(LIMITS, whole)];
      const out: { part: number; bytes: number; owner: string; share: never }[] = [];
      const held = (fits: (each: (typeof out)[number]) => boolean) =>
        out.filter(fits).reduce((sum, each) => sum + each.bytes, 0);
      for (const step of steps) {
        if ("which" in step) {
          const [given] = out.length > 0 ? out.splice(step.which % out.length, 1) : [];
          if (given) parts[given.part]!.giveBack(given.share);
          continue;
        }
        const { part, bytes, owner } = step;
        const fits =
          held(() => true) + bytes <= 150 &&
          held((each) => each.owner === owner) + bytes <= 80 &&
          held((each) => each.part === part) + bytes <= 100 &&
          held((each) => each.part === part && each.owner === owner) + bytes <= 60;
        const share = parts[part]!.take(bytes, owner, 0);
        expect(share !== null).toBe(fits);
        if (share) out.push({ part, bytes, owner, share: share as never });
      }
    }),
  );
});

it("says how much is to be had of a whole, whoever's part holds the rest", () => {
  const whole = new MemorySpace({ bytes: 60, bytesOfOwner: 40 });
  const share = new MemoryBudget(LIMITS, whole).take(30, "a", 0)!;
  expect([whole.hasRoom(30, "b", 0), whole.hasRoom(31, "b", 0)]).toEqual([true, false]);
  expect([whole.hasRoom(10, "a", 0), whole.hasRoom(11, "a", 0)]).toEqual([true, false]);
  whole.remove(share);
  expect(whole.hasRoom(40, "a", 0)).toBe(true);
});

it("of a whole lapses with its part's share", () => {
  const whole = new MemorySpace({ bytes: 60, bytesOfOwner: 60 });
  const [one, other] = [new MemoryBudget(LIMITS, whole), new MemoryBudget(LIMITS, whole)];
  const share = one.take(60, "a", 0)!;
  one.renew(share, 500);
  expect(other.take(1, "b", 1_499)).toBeNull();
  expect(other.take(1, "b", 1_500)).not.toBeNull();
});
