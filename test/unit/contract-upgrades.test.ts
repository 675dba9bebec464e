import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BEFORE_DEPOSITS, hasOldPages, isFormerRelease } from "../../src/domain/contract-releases.ts";
import {
  bytesPromised,
  migrationSteps,
  mostMigrations,
  withContinuations,
} from "../../src/domain/contract-upgrades.ts";
import { ROOT } from "../support/imports.ts";

const digestOf = (path: string) =>
  createHash("sha256")
    .update(readFileSync(join(ROOT, "contract", path)))
    .digest("hex");

test("the build that the upgrade tests start from is a former release, and the present one is none", () => {
  const former = digestOf("harness/fixtures/previous.wasm");
  const present = digestOf("wasm/mintage.wasm");
  expect([isFormerRelease(former), hasOldPages(former), BEFORE_DEPOSITS.includes(former)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([isFormerRelease(present), BEFORE_DEPOSITS.includes(present)]).toEqual([false, false]);
});

test("each collection is taken over whole, in order, and no transaction carries too much", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(600), fc.nat(30_000)), { maxLength: 120 }), (assets) => {
      const steps = migrationSteps(assets);
      const calls = steps.flatMap((step) => step.calls.map(({ collectionId }) => collectionId));
      expect(calls).toEqual(calls.toSorted((a, b) => a - b));
      for (const [index, count] of assets.entries()) {
        const needed = Math.max(1, Math.ceil(count / 4_096));
        expect(calls.filter((id) => id === index + 1)).toHaveLength(needed);
      }
      expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
      for (const step of steps) {
        const gas = step.calls.reduce((sum, call) => sum + Math.min(15 + call.assets * 0.12, 300), 0);
        expect(gas).toBeLessThanOrEqual(300.001);
      }
    }),
  );
});

test("a step that was done covers the same in a plan of more collections", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9_000), { minLength: 1, maxLength: 60 }), fc.nat(9_000), (assets, more) => {
      const after = new Map(migrationSteps([...assets, more]).map(({ name, calls }) => [name, calls]));
      for (const { name, calls } of migrationSteps(assets)) {
        const same = after.get(name);
        if (same) expect(same).toEqual(calls);
      }
    }),
  );
});

/** What a contract whose calls carry at most a number of assets answers to the steps, one after the other. */
const migrated = (assets: readonly number[], carried: (collectionId: number) => number) => {
  const [left, answers] = [[...assets], new Map<string, number>()];
  for (;;) {
    const steps = withContinuations(migrationSteps(assets), answers);
    const next = steps.find(({ name }) => !answers.has(name));
    if (!next) return { left, transactions: answers.size };
    for (const { collectionId } of next.calls) {
      const now = left[collectionId - 1]!;
      const page = Math.floor((now - 1) / 4_096) * 4_096;
      left[collectionId - 1] = now === 0 ? 0 : Math.max(page, now - carried(collectionId));
    }
    answers.set(next.name, left[next.calls.at(-1)!.collectionId - 1]!);
  }
};

test("what a call leaves of a page is taken over by more calls, until nothing is left", () => {
  const sizes = fc.array(fc.oneof(fc.nat(1_000), fc.nat(30_000)), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.array(fc.integer({ min: 2, max: 8 }), { minLength: 1 }), (assets, parts) => {
      const { left, transactions } = migrated(assets, (id) => parts[id % parts.length]! * 512);
      expect(left).toEqual(assets.map(() => 0));
      expect(transactions).toBeGreaterThanOrEqual(migrationSteps(assets).length);
      expect(transactions).toBeLessThanOrEqual(mostMigrations(assets));
    }),
  );
});

test("an answer that doesn't change is not asked for again", () => {
  const steps = migrationSteps([5_000]);
  const answers = new Map([
    ["migrate:1:2", 4_600],
    ["migrate:1:2:4600", 4_600],
  ]);
  expect(withContinuations(steps, answers).map(({ name }) => name)).toEqual([
    "migrate:1:2",
    "migrate:1:2:4600",
    "migrate:1:1",
  ]);
});

test("tokens are promised what docs/contract.md derives", () => {
  const collection = { collection_id: 1, published: true, assets: 10_000, total: 10_000, minted: 0 };
  const none = bytesPromised([collection]);
  expect(bytesPromised([{ ...collection, minted: 1_000 }]) - none).toBe(193 * 1_000);
  // A draft's collection has no page of tokens.
  expect(none - bytesPromised([{ ...collection, published: false }])).toBe(63);
  expect(bytesPromised([])).toBe(0);
});
