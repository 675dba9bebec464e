import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SignedRow } from "../../src/wallet/journal/signed.ts";
import { fateOf, fileDelayMs, resumePause, retentionOf } from "../../src/wallet/journal/timing.ts";
import {
  afterDeath,
  askPause,
  failedPause,
  isExpired,
  isSurelyAfter,
  judge,
  MAX_UNPROVEN,
  type Observed,
  RACE_AFTER_MS,
  RECEIPT_BLOCKS,
  RESEND_PENDING_AFTER_MS,
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
  const row: SignedRow = {
    nonce: 7,
    baseHeight: 100,
    signedAt: 0,
    includedBy: null,
    landed: false,
    raced: false,
    refusal: null,
    unproven: 0,
  };
  const included: SignedRow = { ...row, includedBy: 110 };

  test.each([
    ["a young row that nobody knows is sent again", row, {}, "resend"],
    ["a row in a node's pool waits", row, { status: "pending" }, "wait"],
    ["but not for long", row, { status: "pending", now: RESEND_PENDING_AFTER_MS }, "resend"],
    ["an included row waits while its block isn't final", included, { status: "included" }, "wait"],
    ["however long that takes", included, { status: "included", now: RACE_AFTER_MS * 9 }, "wait"],
    ["also while its key wasn't asked for", included, { status: "included", key: null }, "wait"],
    [
      "where the final head has passed its block and its nonce is free, the block was dropped",
      included,
      { status: "included", key: { nonce: 6, height: 111 } },
      "resend",
    ],
    [
      "and the row is raced after two minutes",
      included,
      { status: "included", key: { nonce: 6, height: 111 }, now: RACE_AFTER_MS },
      "race",
    ],
    [
      "or dead when its validity is over",
      included,
      { status: "included", key: { nonce: 6, height: 201 } },
      "dead",
    ],
    [
      "receipts of an included row have time",
      included,
      { status: "included", key: { nonce: 7, height: 110 + RECEIPT_BLOCKS } },
      "wait",
    ],
    [
      "then its landing is proven, whatever the node says",
      included,
      { status: "included", key: { nonce: 7, height: 111 + RECEIPT_BLOCKS } },
      "prove",
    ],
    ["what has landed is sought everywhere", { ...row, landed: true }, {}, "seek"],
    ["what no node answers about is sent again", row, { status: "unanswered" }, "resend"],
    ["and raced", row, { status: "unanswered", now: RACE_AFTER_MS }, "race"],
    ["and proven dead", row, { status: "unanswered", key: { nonce: 6, height: 201 } }, "dead"],
    ["or landed", row, { status: "unanswered", key: { nonce: 7, height: 110 } }, "prove"],
    [
      "unless it was seen in a block a moment before",
      included,
      { status: "unanswered", key: { nonce: 7, height: 110 + RECEIPT_BLOCKS } },
      "wait",
    ],
    [
      "an outcome that no node tells because none answers is waited for",
      { ...row, landed: true },
      { status: "unanswered", now: UNANSWERED_MS - 1 },
      "wait",
    ],
    ["but not for ever", { ...row, landed: true }, { status: "unanswered", now: UNANSWERED_MS }, "seek"],
    ["after two minutes it is raced", row, { now: RACE_AFTER_MS }, "race"],
    ["a pending one too", row, { now: RACE_AFTER_MS, status: "pending" }, "race"],
    ["only once", { ...row, raced: true }, { now: RACE_AFTER_MS * 2 }, "resend"],
    ["a lasting refusal is raced at once", { ...row, refusal: "NotEnoughBalance" }, {}, "race"],
    ["an inclusion without effect is raced at once", row, { status: "not_applied" }, "race"],
    ["a used nonce asks for the other proof", row, { key: { nonce: 7, height: 110 } }, "prove"],
    ["a passed nonce too", row, { key: { nonce: 70, height: 110 } }, "prove"],
    ["and a key that is gone", row, { key: { nonce: null, height: 110 } }, "prove"],
    ["past its validity with its nonce unused it is dead", row, { key: { nonce: 6, height: 201 } }, "dead"],
    ["at its last valid block it isn't", row, { key: { nonce: 6, height: 200 } }, "resend"],
    ["a key that is gone proves no death by age", row, { key: { nonce: null, height: 900 } }, "prove"],
    ["without the key nothing is concluded", row, { key: null }, "resend"],
    [
      "proofs that fail for ever end",
      { ...row, unproven: MAX_UNPROVEN },
      { key: { nonce: 7, height: 1 } },
      "give_up",
    ],
    [
      "so does the search for an outcome",
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

describe("the journal", () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const size = fc.nat(12 * 1_024).map((mebibytes) => mebibytes * 2 ** 20);
  const days = fc.record({
    JOURNAL_KEPT_DAYS: fc.integer({ min: 1, max: 31 }),
    JOURNAL_FILES_KEPT_DAYS: fc.integer({ min: 1, max: 62 }),
  });
  const acknowledged = fc.record({
    age: fc.nat(70 * 24).map((hours) => hours * HOUR),
    isOpen: fc.boolean(),
    isLatest: fc.boolean(),
    hasSnapshot: fc.boolean(),
  });

  test("keeps operations and their recovery data for the configured days", () => {
    const set = { JOURNAL_KEPT_DAYS: 2, JOURNAL_FILES_KEPT_DAYS: 31 };
    expect(retentionOf(0, set)).toEqual({ keptMs: 2 * DAY, recoverableMs: 31 * DAY });
    expect(retentionOf(4 * 2 ** 30, set)).toEqual({ keptMs: HOUR, recoverableMs: 31 * DAY });
  });

  test("keeps less the larger it is, never nothing, and loses no recovery data", () => {
    fc.assert(
      fc.property(size, size, days, (one, other, set) => {
        const [small, large] = [
          retentionOf(Math.min(one, other), set),
          retentionOf(Math.max(one, other), set),
        ];
        expect(large.keptMs).toBeLessThanOrEqual(small.keptMs);
        expect(large.keptMs).toBeGreaterThanOrEqual(HOUR);
        expect(large.recoverableMs).toBe(small.recoverableMs);
        expect(fileDelayMs(large)).toBeLessThanOrEqual(large.keptMs / 4);
      }),
    );
  });

  test("removes an operation that recovery needs only once a file has it, and never the latest one", () => {
    fc.assert(
      fc.property(size, days, acknowledged, (bytes, set, operation) => {
        const terms = retentionOf(bytes, set);
        const fate = fateOf(operation, terms);
        const { age, isOpen, isLatest, hasSnapshot } = operation;
        const isNeeded = hasSnapshot && age <= terms.recoverableMs;
        if (fate === "dropped") expect(isNeeded).toBe(false);
        if (fate === "filed") expect({ isNeeded, isLatest }).toEqual({ isNeeded: true, isLatest: false });
        if (isOpen || age <= terms.keptMs) expect(["kept", "kept_again"]).toContain(fate);
        // Nothing stays for good, and what stays due is one operation.
        if (!isOpen && age > Math.max(terms.keptMs, terms.recoverableMs)) expect(fate).toBe("dropped");
        if (!isOpen && !isLatest && age > terms.keptMs) expect(["filed", "dropped"]).toContain(fate);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is monotonic: an operation removed at one age isn't kept at a higher one", () => {
    fc.assert(
      fc.property(size, days, acknowledged, fc.nat(1_000), (bytes, set, operation, later) => {
        const terms = retentionOf(bytes, set);
        const after = fateOf({ ...operation, age: operation.age + later * HOUR }, terms);
        const order = ["kept", "filed", "dropped"];
        fc.pre(!operation.isOpen);
        expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(fateOf(operation, terms)));
      }),
    );
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

  test("end seconds after the nodes are back, however often the row was checked before", () => {
    fc.assert(fc.property(fc.nat(1_000), (tries) => unansweredPause(tries) <= 5_000));
  });
});
