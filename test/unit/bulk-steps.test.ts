import fc from "fast-check";
import { expect, test } from "vitest";
import { bulkSteps, spanOf } from "../../src/domain/bulk-steps.ts";
import { nextStep, type StepOutcome, topUpOf, topUpRemedy } from "../../src/domain/steps.ts";

/** Drives steps against a chain that refuses some tokens, and now and then the storage. */
const drive = (groups: readonly number[], bad: ReadonlySet<number>, unpaid: number) => {
  const outcomes: StepOutcome[] = [];
  const updated: number[] = [];
  let left = unpaid;
  for (let round = 0; round < 10_000; round++) {
    const plan = bulkSteps(groups, outcomes);
    const next = nextStep(plan.steps, outcomes, topUpRemedy);
    if (next.do === "finish") return { plan, updated, sent: outcomes.length };
    if (next.do !== "submit") throw new Error(`ended by ${JSON.stringify(next)}`);
    const { step } = next;
    const outcome = (state: "succeeded" | "failed", contractCode: string | null, failure: string | null) =>
      outcomes.push({ step, state, contractCode, failure });
    if (topUpOf(step) !== null) {
      outcome("succeeded", null, null);
      continue;
    }
    const { from, to } = spanOf(step.split("~")[0]!);
    const places = Array.from({ length: to - from }, (_, index) => from + index);
    if (places.some((place) => bad.has(place))) outcome("failed", "E_LOCKED", "locked");
    else if (left-- > 0) outcome("failed", "E_STORAGE_BALANCE", "yoctonear missing: 5");
    else {
      updated.push(...places);
      outcome("succeeded", null, null);
    }
  }
  throw new Error("it doesn't end");
};

const groups = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 });

test("each token is updated once or fails by itself, whichever the chain refuses", () => {
  fc.assert(
    fc.property(groups, fc.array(fc.nat(600), { maxLength: 8 }), fc.nat(2), (sizes, marks, unpaid) => {
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const bad = new Set(marks.filter((mark) => mark < total));
      const { plan, updated, sent } = drive(sizes, bad, unpaid);
      const good = Array.from({ length: total }, (_, place) => place).filter((place) => !bad.has(place));
      expect(updated.toSorted((a, b) => a - b)).toEqual(good);
      expect([...plan.failed.keys()].toSorted((a, b) => a - b)).toEqual([...bad].toSorted((a, b) => a - b));
      // A bad token splits a transaction of a hundred at most seven times in two.
      expect(sent).toBeLessThanOrEqual(sizes.length + 15 * bad.size + 2 * unpaid);
    }),
  );
});

test("a failure that isn't about a token ends the operation", () => {
  const outcome = {
    step: "update:0-5",
    state: "failed",
    contractCode: "E_UNAUTHORIZED",
    failure: "no",
  } as const;
  const { steps } = bulkSteps([5, 5], [outcome]);
  expect(steps).toEqual(["update:0-5", "update:5-10"]);
  expect(nextStep(steps, [outcome], topUpRemedy)).toEqual({ do: "fail", step: "update:0-5" });
});
