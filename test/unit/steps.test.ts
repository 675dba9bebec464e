import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  attemptName,
  deployRemedy,
  finalizeSteps,
  isPreparation,
  MAX_LATER_BLOCKS,
  MAX_TOP_UPS,
  mintRemedy,
  missingAmount,
  type Next,
  nextStep,
  type Publication,
  type RemedyRule,
  SPREAD_MS,
  type StepOutcome,
  settleByCollection,
  stepName,
  topUpOf,
  topUpRemedy,
  upgradeRemedy,
} from "../../src/domain/steps.ts";
import { topUpFor } from "../../src/operations/top-up.ts";
import type { TransactionRecord } from "../../src/wallet/interface.ts";
import refusals from "../support/refusals.json" with { type: "json" };

const outcome = (
  step: string,
  state: StepOutcome["state"],
  rest: Partial<StepOutcome> = {},
): StepOutcome => ({
  step,
  state,
  contractCode: null,
  failure: null,
  ...rest,
});

const unpaid = { contractCode: "E_STORAGE_BALANCE", failure: refusals.E_STORAGE_BALANCE };

type Fate = Partial<StepOutcome> & Pick<StepOutcome, "state">;

/** Possible outcomes of a step on the chain. */
const fate = fc.constantFrom<Fate>(
  { state: "succeeded" },
  { state: "succeeded" },
  { state: "failed", ...unpaid },
  { state: "failed", contractCode: "E_SOLD_OUT" },
  { state: "refused" },
  { state: "unknown" },
);

/** Runs a machine with given outcomes until it ends. Every step goes through the journal first. */
const run = (names: readonly string[], fates: readonly Fate[], rule: RemedyRule) => {
  const journal: StepOutcome[] = [];
  const submitted: string[] = [];
  for (let moves = 0; moves < 500; moves++) {
    const next = nextStep(names, journal, rule);
    if (next.do === "submit") {
      submitted.push(next.step);
      journal.push(outcome(next.step, "queued"));
      expect(nextStep(names, journal, rule)).toEqual({ do: "wait" });
      journal[journal.length - 1] = outcome(next.step, "open");
      expect(nextStep(names, journal, rule)).toEqual({ do: "wait" });
      const { state, ...rest } = fates[submitted.length % fates.length]!;
      journal[journal.length - 1] = outcome(next.step, state, rest);
    } else return { next, journal, submitted };
  }
  throw new Error("the machine never ends");
};

describe("the steps of an operation", () => {
  const names = fc.array(fc.constantFrom("create", "add:1", "add:2", "publish", "mint"), {
    minLength: 1,
    maxLength: 5,
  });

  test("end, are submitted once each, and lead to the result that the journal has", () => {
    fc.assert(
      fc.property(names, fc.array(fate, { minLength: 1, maxLength: 20 }), (given, fates) => {
        const steps = [...new Set(given)];
        const { next, journal, submitted } = run(steps, fates, topUpRemedy);
        expect(new Set(submitted).size).toBe(submitted.length);
        const won = (name: string) =>
          journal.filter(({ step, state }) => stepName(step) === name && state === "succeeded");
        for (const name of steps) expect(won(name).length).toBeLessThanOrEqual(1);
        if (next.do === "finish") {
          for (const name of steps) expect(won(name)).toHaveLength(1);
          expect(journal.map(({ state }) => state)).not.toContain("unknown");
        } else {
          expect(["fail", "unknown"]).toContain(next.do);
          const last = journal.at(-1);
          expect((next as { step: string }).step).toBe(last?.step);
          expect(last?.state).not.toBe("succeeded");
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("depend on the outcomes only, not on their order", () => {
    fc.assert(
      fc.property(names, fc.array(fate, { minLength: 1, maxLength: 20 }), fc.nat(), (given, fates, cut) => {
        const steps = [...new Set(given)];
        const { journal } = run(steps, fates, topUpRemedy);
        const known = journal.slice(0, cut % (journal.length + 1));
        const expected = nextStep(steps, known, topUpRemedy);
        expect(nextStep(steps, [...known].reverse(), topUpRemedy)).toEqual(expected);
      }),
    );
  });

  test("are repeated after a top-up if the contract can't pay for storage, up to a maximum", () => {
    const { next, submitted } = run(["mint"], [{ state: "failed", ...unpaid }], topUpRemedy);
    expect(next).toEqual({ do: "fail", step: "topup:mint:1" });
    expect(submitted).toEqual(["mint", "topup:mint:1"]);
    const journal: StepOutcome[] = [];
    for (let attempt = 1; attempt <= MAX_TOP_UPS + 1; attempt++) {
      journal.push(outcome(attemptName("mint", attempt), "failed", unpaid));
      if (attempt <= MAX_TOP_UPS)
        expect(nextStep(["mint"], journal, topUpRemedy)).toMatchObject({ step: `topup:mint:${attempt}` });
      if (attempt <= MAX_TOP_UPS) journal.push(outcome(`topup:mint:${attempt}`, "succeeded"));
    }
    expect(nextStep(["mint"], journal, topUpRemedy)).toEqual({
      do: "fail",
      step: attemptName("mint", MAX_TOP_UPS + 1),
    });
  });

  test.each(["E_DRAW_HIDDEN", "E_GAS_TOO_LOW"])(
    "are repeated in later blocks if draws of the same block prevent them by %s, up to a maximum",
    (contractCode) => {
      const hidden = { contractCode };
      const { submitted, next } = run(["mint"], [{ state: "failed", ...hidden }], mintRemedy);
      const attempts = Array.from({ length: MAX_LATER_BLOCKS + 1 }, (_, index) =>
        attemptName("mint", index + 1),
      );
      expect(submitted).toEqual(attempts);
      expect(next).toEqual({ do: "fail", step: attempts.at(-1) });
      const [first] = attempts;
      const later = nextStep(["mint"], [outcome(first!, "failed", hidden)], mintRemedy);
      expect(later).toMatchObject({ do: "submit", delay: expect.any(Number) });
      expect((later as { delay: number }).delay).toBeGreaterThan(0);
      expect(nextStep(["mint"], [outcome(first!, "failed", unpaid)], mintRemedy)).toMatchObject({
        step: "topup:mint:1",
      });
    },
  );

  test("are repeated beyond the day's quota, and nothing is sent before", () => {
    const beyond = { contractCode: "E_STAFF_QUOTA" };
    const next = nextStep(["mint"], [outcome("mint", "failed", beyond)], mintRemedy);
    expect(next).toEqual({ do: "submit", step: "mint~2", delay: 0 });
  });

  test("are repeated beyond the day's quota after the most of any other remedy too, but not for ever", () => {
    const beyond = { contractCode: "E_STAFF_QUOTA" };
    const others = [unpaid, { contractCode: "E_DRAW_HIDDEN" }] as const;
    for (const [other, most] of [
      [others[0], MAX_TOP_UPS],
      [others[1], MAX_LATER_BLOCKS],
    ] as const) {
      const journal = Array.from({ length: most }, (_, index) => [
        outcome(attemptName("mint", index + 1), "failed", other),
        outcome(`topup:mint:${index + 1}`, "succeeded"),
      ]).flat();
      journal.push(outcome(attemptName("mint", most + 1), "failed", beyond));
      expect(nextStep(["mint"], journal, mintRemedy)).toEqual({
        do: "submit",
        step: attemptName("mint", most + 2),
        delay: 0,
      });
    }
    expect(run(["mint"], [{ state: "failed", ...beyond }], mintRemedy).next).toMatchObject({ do: "fail" });
  });

  test("are topped up for lack of storage alone, whatever another message says", () => {
    const failed = outcome("mint", "failed", { ...unpaid, contractCode: "E_SOLD_OUT" });
    expect(nextStep(["mint"], [failed], topUpRemedy)).toEqual({ do: "fail", step: "mint" });
  });

  test("are told from those that prepare them", () => {
    expect(["topup:mint:1", "topup:add:12:3", "topup:mint~2:1", "mint", "register:0"].map(topUpOf)).toEqual([
      "mint",
      "add:12",
      "mint~2",
      null,
      null,
    ]);
    const names = ["topup:mint:1", "register:0", "mint", "update:topup:", "create"];
    expect(names.filter(isPreparation)).toEqual(["topup:mint:1", "register:0"]);
  });

  test("have a remedy only after a failure on the chain: refused and unknown steps stay so", () => {
    const again: RemedyRule = () => ({ again: 0 });
    expect(nextStep(["mint"], [outcome("mint", "failed")], again)).toMatchObject({ step: "mint~2" });
    expect(nextStep(["mint"], [outcome("mint", "refused")], again)).toEqual({ do: "fail", step: "mint" });
    expect(nextStep(["mint"], [outcome("mint", "unknown")], again)).toEqual({ do: "unknown", step: "mint" });
    const unpaidMint = outcome("mint", "failed", unpaid);
    const topUp = (state: StepOutcome["state"]) =>
      nextStep(["mint"], [unpaidMint, outcome("topup:mint:1", state)], topUpRemedy);
    expect(topUp("unknown")).toEqual({ do: "unknown", step: "topup:mint:1" });
    expect(topUp("refused")).toEqual({ do: "fail", step: "topup:mint:1" });
  });

  test("are topped up only by amounts in the contract's own error messages", () => {
    const [, said] = /(\d+)/.exec(refusals.E_STORAGE_BALANCE)!;
    const missing = BigInt(said!);
    expect(missing).toBeGreaterThan(0n);
    expect(missingAmount(refusals.E_STORAGE_BALANCE)).toBe(missing);
    const refused = (failure_message: string) =>
      [{ contractCode: "E_STORAGE_BALANCE", result: { failure_message } }] as TransactionRecord[];
    const deposit = (bytes: number) => {
      const [action] = topUpFor({ contract: "c.near", bytes }, refused(refusals.E_STORAGE_BALANCE)).actions;
      return BigInt((action as { deposit: string }).deposit);
    };
    expect(deposit(1_000) - deposit(0)).toBe(10n ** 22n);
    expect(deposit(0)).toBeGreaterThan(missing);
    for (const text of ["It is too little.", "yoctonear missing: much", ""]) {
      expect(missingAmount(text)).toBeNull();
      expect(() => topUpFor({ contract: "c.near", bytes: 1 }, refused(text))).toThrow("missing amount");
      const failed = outcome("mint", "failed", { ...unpaid, failure: text });
      expect(nextStep(["mint"], [failed], topUpRemedy)).toEqual({ do: "fail", step: "mint" });
    }
  });

  test("have names from which an attempt's step can be read", () => {
    fc.assert(
      fc.property(fc.constantFrom("mint", "add:12"), fc.integer({ min: 1, max: 99 }), (name, attempt) => {
        expect(stepName(attemptName(name, attempt))).toBe(name);
      }),
    );
  });

  test("of a finalization create, add and publish in as few transactions as its batches allow", () => {
    expect(finalizeSteps(1, false)).toEqual(["create"]);
    expect(finalizeSteps(3, false)).toEqual(["create", "add:1", "add:2", "publish"]);
    expect(finalizeSteps(2, true)).toEqual(["add:1", "add:2", "publish"]);
    expect(finalizeSteps(0, true)).toEqual(["publish"]);
  });
});

describe("a finalization with a transaction that the nodes have forgotten", () => {
  const ends = new Map([
    ["create", 100],
    ["add:1", 150],
  ]);
  const forgotten = ["create", "add:1", "publish"].map((step) => outcome(step, "unknown"));
  const states = (assets: number, published: boolean) =>
    settleByCollection(forgotten, { assets, published }, ends).map(({ state }) => state);

  test("continues only if the chain shows the effect", () => {
    expect(settleByCollection(forgotten, null, ends)).toEqual(forgotten);
    expect(states(99, false)).toEqual(["unknown", "unknown", "unknown"]);
    expect(states(100, false)).toEqual(["succeeded", "unknown", "unknown"]);
    expect(states(150, false)).toEqual(["succeeded", "succeeded", "unknown"]);
    expect(states(150, true)).toEqual(["succeeded", "succeeded", "succeeded"]);
  });

  test("doesn't take a step for done whose end nobody knows", () => {
    const [settled] = settleByCollection(
      [outcome("add:7", "unknown")],
      { assets: 1_000, published: true },
      ends,
    );
    expect(settled?.state).toBe("unknown");
  });

  test("keeps known outcomes", () => {
    const known = [outcome("create", "failed"), outcome("add:1", "open")];
    expect(settleByCollection(known, { assets: 150, published: true }, ends)).toEqual(known);
  });

  test("has nothing left to do once the collection is published", () => {
    expect(finalizeSteps(3, true, true)).toEqual([]);
  });
});

describe("the steps of a deployment", () => {
  const missing = { failure: 'The chain refused an action: {"GlobalContractDoesNotExist":{}}' };
  const next = (publication: Publication, ...journal: StepOutcome[]): Next =>
    nextStep(["deploy"], journal, deployRemedy(publication));

  test("publish the code if nobody has, and repeat the deployment until nodes know the code", () => {
    const failed = outcome("deploy", "failed", missing);
    expect(next("none", failed)).toEqual({ do: "submit", step: "publish", delay: 0 });
    const published = outcome("publish", "succeeded");
    expect(next("ours", failed, published)).toEqual({ do: "submit", step: "deploy~2", delay: 0 });
    const again = outcome("deploy~2", "failed", missing);
    const later = next("ours", failed, published, again);
    expect(later).toEqual({ do: "submit", step: "deploy~3", delay: SPREAD_MS });
  });

  test("wait for another publication, and don't publish after it", () => {
    const failed = outcome("deploy", "failed", missing);
    expect(next("elsewhere_pending", failed)).toMatchObject({ do: "pause" });
    expect(next("elsewhere_done", failed)).toMatchObject({ do: "submit", step: "deploy~2" });
  });

  test("fail for any other reason, and if the code doesn't appear in time", () => {
    expect(next("none", outcome("deploy", "failed", { failure: "AccountAlreadyExists" }))).toEqual({
      do: "fail",
      step: "deploy",
    });
    expect(next("none", outcome("deploy", "failed"))).toEqual({ do: "fail", step: "deploy" });
    const journal = Array.from({ length: 12 }, (_, index) =>
      outcome(attemptName("deploy", index + 1), "failed", missing),
    );
    expect(next("elsewhere_done", ...journal)).toEqual({ do: "fail", step: "deploy~12" });
  });
});

describe("the steps of a contract's upgrade", () => {
  const absent = outcome("upgrade", "failed", { failure: "GlobalContractDoesNotExist" });

  test("wait for the code's publication, and are repeated until nodes know the code", () => {
    const next = (publication: Publication) => nextStep(["upgrade"], [absent], upgradeRemedy(publication));
    expect(next("elsewhere_pending")).toMatchObject({ do: "pause" });
    expect(next("elsewhere_done")).toMatchObject({ do: "submit", step: "upgrade~2" });
    // Somebody whom the database doesn't know may have published the code.
    expect(next("none")).toMatchObject({ do: "submit", step: "upgrade~2" });
  });

  test("fail for any other reason, and if the code doesn't appear in time", () => {
    const refused = outcome("upgrade", "failed", { contractCode: "E_UNAUTHORIZED" });
    expect(nextStep(["upgrade"], [refused], upgradeRemedy("elsewhere_done"))).toMatchObject({ do: "fail" });
    const told = outcome("upgrade", "failed", { failure: "E_UNAUTHORIZED: it isn't the owner." });
    expect(nextStep(["upgrade"], [told], upgradeRemedy("elsewhere_done"))).toMatchObject({ do: "fail" });
    const silent = outcome("upgrade", "failed");
    expect(nextStep(["upgrade"], [silent], upgradeRemedy("elsewhere_done"))).toMatchObject({ do: "fail" });
    const fates = [{ state: "failed", failure: "GlobalContractDoesNotExist" }] as const;
    const { next, submitted } = run(["upgrade"], fates, upgradeRemedy("elsewhere_done"));
    expect(next).toEqual({ do: "fail", step: "upgrade~12" });
    expect(submitted).toHaveLength(12);
  });
});

test("a finalization whose collection already exists continues only if it has the draft's assets", () => {
  const taken = outcome("create", "failed", { contractCode: "E_EXTERNAL_ID_TAKEN" });
  const ends = new Map([["create", 10]]);
  const next = (assets: number) =>
    nextStep(["create"], settleByCollection([taken], { assets, published: true }, ends), topUpRemedy);
  expect(next(10)).toEqual({ do: "finish" });
  expect(next(9)).toEqual({ do: "fail", step: "create" });
});
