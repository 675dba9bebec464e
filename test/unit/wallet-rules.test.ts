import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Uuid } from "../../src/domain/ids.ts";
import type { SignedRow } from "../../src/wallet/journal/signed.ts";
import { keptMs, predates, resumePause } from "../../src/wallet/journal/timing.ts";
import {
  afterDeath,
  askPause,
  failedPause,
  isDropped,
  isExpired,
  isSurelyAfter,
  judge,
  MAX_UNPROVEN,
  type Observed,
  RACE_AFTER_MS,
  RECEIPT_BLOCKS,
  RESEND_PENDING_AFTER_MS,
  shouldAskReason,
  UNANSWERED_MS,
  unansweredPause,
  unprovenPause,
} from "../../src/wallet/observing/rules.ts";
import { isLasting } from "../../src/wallet/signing/dispatch.ts";

const STATUSES = ["unknown", "unanswered", "pending", "included", "not_applied"] as const;

const rows = fc.record({
  nonce: fc.integer({ min: 1, max: 1_000 }),
  baseHeight: fc.integer({ min: 0, max: 1_000 }),
  signedAt: fc.integer({ min: 0, max: 1_000_000 }),
  includedBy: fc.option(fc.integer({ min: 0, max: 1_500 })),
  landed: fc.boolean(),
  raced: fc.boolean(),
  refusal: fc.constantFrom(null, "NotEnoughBalance"),
  unproven: fc.integer({ min: 0, max: MAX_UNPROVEN + 1 }),
});

const NEW: SignedRow = {
  nonce: 7,
  baseHeight: 100,
  signedAt: 0,
  includedBy: null,
  landed: false,
  raced: false,
  refusal: null,
  unproven: 0,
};

/** What happens to a row: when its transaction, or another with the same or a higher nonce, uses the nonce. */
const fates = fc.record({
  validityPeriod: fc.integer({ min: 1, max: 200 }),
  landsAfter: fc.option(fc.integer({ min: 1, max: 200 })),
  takenAfter: fc.option(fc.integer({ min: 1, max: 400 })),
});

/** The nonce that an honest node shows at a height, for a row and its fate. */
const nonceAt = (row: SignedRow, fate: Fate, height: number): number => {
  const landed = fate.landsAfter !== null && row.baseHeight + fate.landsAfter <= height;
  const taken = fate.takenAfter !== null && row.baseHeight + fate.takenAfter <= height;
  return landed || taken ? row.nonce : row.nonce - 1;
};
type Fate = { validityPeriod: number; landsAfter: number | null; takenAfter: number | null };

/** A transaction lands within its validity and before anything else takes its nonce, or never. */
const possible = (fate: Fate): Fate => {
  const inTime = fate.landsAfter !== null && fate.landsAfter <= fate.validityPeriod;
  const free = fate.takenAfter === null || (fate.landsAfter ?? 0) < fate.takenAfter;
  return { ...fate, landsAfter: inTime && free ? fate.landsAfter : null };
};

describe("the verdict on a row", () => {
  test("is dead only if the transaction never lands, whatever the nodes return and however far they lag", () => {
    fc.assert(
      fc.property(
        rows,
        fates.map(possible),
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom(...STATUSES),
        fc.integer({ min: 0, max: 2_000_000 }),
        (row, fate, keyLag, status, now) => {
          const height = row.baseHeight + keyLag;
          const verdict = judge(row, {
            now,
            status,
            key: { nonce: nonceAt(row, fate, height), height },
            validityPeriod: fate.validityPeriod,
          });
          if (verdict === "dead") {
            expect(fate.landsAfter).toBeNull();
            expect(height).toBeGreaterThan(row.baseHeight + fate.validityPeriod);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  const seen = (over: Partial<Observed>): Observed => ({
    now: 1_000,
    status: "unknown",
    key: { nonce: 6, height: 110 },
    validityPeriod: 100,
    ...over,
  });
  const row = NEW;
  const included: SignedRow = { ...row, includedBy: 110 };

  test.each([
    ["a new row that no node knows is sent again", row, {}, "resend"],
    ["a row in a node's pool waits", row, { status: "pending" }, "wait"],
    [
      "a row that stays in a node's pool for long is sent again",
      row,
      { status: "pending", now: RESEND_PENDING_AFTER_MS },
      "resend",
    ],
    ["an included row waits while its block isn't final", included, { status: "included" }, "wait"],
    [
      "an included row waits however long its block isn't final",
      included,
      { status: "included", now: RACE_AFTER_MS * 9 },
      "wait",
    ],
    [
      "an included row waits while its key's nonce wasn't read",
      included,
      { status: "included", key: null },
      "wait",
    ],
    [
      "an included row with a free nonce after a later final block is sent again: its block was dropped",
      included,
      { status: "included", key: { nonce: 6, height: 111 } },
      "resend",
    ],
    [
      "a row whose block was dropped is raced after two minutes",
      included,
      { status: "included", key: { nonce: 6, height: 111 }, now: RACE_AFTER_MS },
      "race",
    ],
    [
      "a row whose block was dropped is dead when its validity is over",
      included,
      { status: "included", key: { nonce: 6, height: 201 } },
      "dead",
    ],
    [
      "an included row with a used nonce waits for its receipts",
      included,
      { status: "included", key: { nonce: 7, height: 110 + RECEIPT_BLOCKS } },
      "wait",
    ],
    [
      "an included row with a used nonce is proven after the time for receipts, whatever the node says",
      included,
      { status: "included", key: { nonce: 7, height: 111 + RECEIPT_BLOCKS } },
      "prove",
    ],
    ["the outcome of a landed row is asked of every node", { ...row, landed: true }, {}, "seek"],
    ["a row about which no node answers is sent again", row, { status: "unanswered" }, "resend"],
    [
      "a row about which no node answers is raced after two minutes",
      row,
      { status: "unanswered", now: RACE_AFTER_MS },
      "race",
    ],
    [
      "a row about which no node answers is dead when its validity is over",
      row,
      { status: "unanswered", key: { nonce: 6, height: 201 } },
      "dead",
    ],
    [
      "a row about which no node answers is proven once its nonce is used",
      row,
      { status: "unanswered", key: { nonce: 7, height: 110 } },
      "prove",
    ],
    [
      "a row about which no node answers waits if it was included a moment before",
      included,
      { status: "unanswered", key: { nonce: 7, height: 110 + RECEIPT_BLOCKS } },
      "wait",
    ],
    [
      "a landed row waits while no node answers",
      { ...row, landed: true },
      { status: "unanswered", now: UNANSWERED_MS - 1 },
      "wait",
    ],
    [
      "a landed row's outcome is asked of every node after no node answered for long",
      { ...row, landed: true },
      { status: "unanswered", now: UNANSWERED_MS },
      "seek",
    ],
    ["a row is raced after two minutes", row, { now: RACE_AFTER_MS }, "race"],
    ["a pending row is raced after two minutes", row, { now: RACE_AFTER_MS, status: "pending" }, "race"],
    ["a row is raced only once", { ...row, raced: true }, { now: RACE_AFTER_MS * 2 }, "resend"],
    ["a permanently refused row is raced at once", { ...row, refusal: "NotEnoughBalance" }, {}, "race"],
    ["a row that was included without effect is raced at once", row, { status: "not_applied" }, "race"],
    ["a row with a used nonce is proven by its block", row, { key: { nonce: 7, height: 110 } }, "prove"],
    [
      "a row whose nonce was passed is proven by its block",
      row,
      { key: { nonce: 70, height: 110 } },
      "prove",
    ],
    [
      "a row whose key was deleted is proven by its block",
      row,
      { key: { nonce: null, height: 110 } },
      "prove",
    ],
    [
      "a row with an unused nonce is dead when its validity is over",
      row,
      { key: { nonce: 6, height: 201 } },
      "dead",
    ],
    ["a row at its last valid block isn't dead", row, { key: { nonce: 6, height: 200 } }, "resend"],
    ["a row whose key was deleted isn't dead by age", row, { key: { nonce: null, height: 900 } }, "prove"],
    ["a row whose key's nonce wasn't read is sent again", row, { key: null }, "resend"],
    [
      "a row is given up after too many failed proofs",
      { ...row, unproven: MAX_UNPROVEN },
      { key: { nonce: 7, height: 1 } },
      "give_up",
    ],
    [
      "a landed row is given up after too many searches for its outcome",
      { ...row, landed: true, unproven: MAX_UNPROVEN },
      { key: null },
      "give_up",
    ],
  ] as const)("%s", (_name, given, over, verdict) => {
    expect(judge(given, seen(over as Partial<Observed>))).toBe(verdict);
  });
});

describe("after its death a row", () => {
  test("is signed again, unless the chain permanently rejects it", () => {
    expect(afterDeath(null)).toBe("queued");
    expect(afterDeath("ActionsValidation")).toBe("refused");
  });

  test("is never refused for a temporary reason or one that the proofs decide", () => {
    for (const reason of [
      "InvalidNonce",
      "Expired",
      "InvalidAccessKeyError",
      "ShardCongested",
      "ShardStuck",
    ]) {
      expect(isLasting(reason)).toBe(false);
    }
  });
});

describe("a row that was in a block", () => {
  const key = { nonce: 6, height: 111 };

  test.each([
    ["is dropped once the final head is above it and its nonce is unused", 110, key, true],
    ["isn't at that height", 110, { ...key, height: 110 }, false],
    ["isn't if its nonce is used", 110, { ...key, nonce: 7 }, false],
    ["isn't if its key is gone", 110, { ...key, nonce: null }, false],
    ["isn't if its key wasn't read", 110, null, false],
    ["isn't if it was in none", null, key, false],
  ])("%s", (_name, includedBy, seen, expected) => {
    expect(isDropped({ nonce: 7, includedBy }, seen)).toBe(expected);
  });

  const row: SignedRow = { ...NEW, signedAt: 5_000_000, includedBy: 110 };
  const used = { nonce: 7, height: 110 + RECEIPT_BLOCKS };

  test.each([
    ["waits for its receipts", row, "included", used, "wait"],
    ["waits for them while no node answers", row, "unanswered", used, "wait"],
    ["needs a proof after them", row, "included", { ...used, height: used.height + 1 }, "prove"],
    ["needs a proof if a node doesn't know it", row, "unknown", used, "prove"],
    [
      "needs a proof if it was in none",
      { ...row, includedBy: null },
      "included",
      { nonce: 7, height: 5 },
      "prove",
    ],
  ] as const)("%s", (_name, given, status, seen, verdict) => {
    expect(judge(given, { now: 5_000_100, status, key: seen, validityPeriod: 1_000 })).toBe(verdict);
  });
});

test("a row's age counts from its signing", () => {
  const row: SignedRow = { ...NEW, signedAt: 5_000_000 };
  const at = (age: number, status: Observed["status"], over: Partial<SignedRow> = {}) =>
    judge(
      { ...row, ...over },
      { now: row.signedAt + age, status, key: { nonce: 6, height: 110 }, validityPeriod: 1_000 },
    );
  expect(at(RESEND_PENDING_AFTER_MS - 1, "pending")).toBe("wait");
  expect(at(RESEND_PENDING_AFTER_MS, "pending")).toBe("resend");
  expect(at(RACE_AFTER_MS - 1, "unknown")).toBe("resend");
  expect(at(RACE_AFTER_MS, "unknown")).toBe("race");
  expect(at(UNANSWERED_MS - 1, "unanswered", { landed: true })).toBe("wait");
  expect(at(UNANSWERED_MS, "unanswered", { landed: true })).toBe("seek");
});

test("the reason of a rejection is asked for at the second of four sendings", () => {
  expect([0, 1, 2, 3, 4, 5, 6].filter(shouldAskReason)).toEqual([1, 5]);
});

describe("an object", () => {
  const [GIB, DAY_MS] = [2 ** 30, 86_400_000];

  test("keeps rows for days, and for an hour once it holds 4 GiB", () => {
    expect(keptMs(4 * GIB - 1, 3)).toBe(3 * DAY_MS);
    expect(keptMs(4 * GIB, 3)).toBe(3_600_000);
  });

  test("that was restored takes what began before for forgotten", () => {
    // The first 48 bits of a UUIDv7 are Unix milliseconds (RFC 9562, section 5.7).
    const began = 0x0193_0000_0105;
    const operation = "01930000-0105-7000-8000-000000000000" as Uuid;
    expect(predates(operation, began)).toBe(true);
    expect(predates(operation, began - 1)).toBe(false);
    expect(predates(operation, null)).toBe(false);
  });
});

describe("a transaction's validity", () => {
  test("lasts as long as a block after a final one can include it", () => {
    // The block that includes it follows one of at most the base block's height and the period.
    expect(isExpired(100, 150, 50)).toBe(false);
    expect(isExpired(100, 151, 50)).toBe(true);
  });

  test("counts from a block certainly newer than a time, whatever the validators' clocks", () => {
    expect(isSurelyAfter(1_000_000 + 179_999, 1_000_000)).toBe(false);
    expect(isSurelyAfter(1_000_000 + 180_000, 1_000_000)).toBe(true);
  });
});

describe("pauses", () => {
  test("never shrink, and have a maximum", () => {
    for (const pause of [
      resumePause,
      unprovenPause,
      failedPause,
      unansweredPause,
      (tries: number) => askPause(tries, true),
      (tries: number) => askPause(tries, false),
    ]) {
      fc.assert(
        fc.property(fc.nat(1_000), (tries) => {
          expect(pause(tries)).toBeLessThanOrEqual(pause(tries + 1));
          expect(pause(tries)).toBeLessThanOrEqual(300_000);
        }),
      );
    }
  });

  test("double up to their maximum", () => {
    const at = (pause: (tries: number) => number) => [0, 1, 2, 100].map(pause);
    expect(at(resumePause)).toEqual([3_000, 6_000, 12_000, 300_000]);
    expect(at(unprovenPause)).toEqual([2_000, 4_000, 8_000, 30_000]);
    expect(at(failedPause)).toEqual([500, 1_000, 2_000, 60_000]);
    expect(at(unansweredPause)).toEqual([500, 1_000, 2_000, 5_000]);
  });

  test("between polls begin after four at each final block, and stay short for what is in a block", () => {
    const tries = [0, 3, 4, 5, 6, 100];
    expect(tries.map((count) => askPause(count, false))).toEqual([0, 0, 400, 800, 1_600, 15_000]);
    expect(tries.map((count) => askPause(count, true))).toEqual([0, 0, 400, 800, 1_600, 2_000]);
  });

  test("end seconds after the nodes are back, however often the row was checked before", () => {
    fc.assert(fc.property(fc.nat(1_000), (tries) => unansweredPause(tries) <= 5_000));
  });
});
