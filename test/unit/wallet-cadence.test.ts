import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Cadence,
  finalAt,
  firstCadence,
  heightBy,
  nextHeightAt,
  observeBlock,
} from "../../src/wallet/chain-state/cadence.ts";

const cadences = fc.record({
  height: fc.nat(1_000),
  time: fc.nat(100_000),
  interval: fc.double({ min: 20, max: 2_000, noNaN: true }),
  delay: fc.double({ min: -5_000, max: 5_000, noNaN: true }),
  askedAt: fc.nat(200_000),
}) satisfies fc.Arbitrary<Cadence>;
const blocks = fc.record({ height: fc.nat(2_000), time: fc.nat(200_000) });

/** A question that was sent at a time and took so long. Milliseconds. */
const at = (sentAt: number, took = 0) => ({ sentAt, answeredAt: sentAt + took });

describe("the estimated block rate", () => {
  test("never goes back", () => {
    fc.assert(
      fc.property(cadences, blocks, fc.nat(100_000), (known, block, later) => {
        const next = observeBlock(known, block, at(known.askedAt + later));
        expect(next.height).toBe(Math.max(known.height, block.height));
        expect(next.interval).toBeGreaterThanOrEqual(20);
        expect(Number.isFinite(next.interval + next.delay)).toBe(true);
      }),
    );
  });

  test("assumes that a new block became final between two polls", () => {
    fc.assert(
      fc.property(cadences, blocks, fc.nat(100_000), fc.nat(2_000), (known, block, later, took) => {
        fc.pre(block.height > known.height);
        const sentAt = known.askedAt + later;
        const from = finalAt(observeBlock(known, block, at(sentAt, took)), block.height);
        expect(from).toBeGreaterThanOrEqual(known.askedAt - 1e-6);
        // What was answered late may be another endpoint's answer: by a block's time at most it is later than asked.
        expect(from).toBeLessThanOrEqual(Math.max(sentAt, sentAt + took - known.interval) + 1e-6);
      }),
    );
  });

  test("is learned from any regular chain, whatever its clock, so that heights are predicted within one poll", () => {
    const chains = fc.record({
      interval: fc.integer({ min: 50, max: 2_000 }),
      skew: fc.integer({ min: -3_600_000, max: 3_600_000 }),
      behind: fc.integer({ min: 1, max: 3 }),
      start: fc.integer({ min: 0, max: 10_000 }),
      // On the way to the node and back, milliseconds.
      there: fc.integer({ min: 0, max: 150 }),
      back: fc.integer({ min: 0, max: 150 }),
    });
    fc.assert(
      fc.property(chains, ({ interval, skew, behind, start, there, back }) => {
        fc.pre(there + back <= interval);
        // Block h is made at h intervals, carries the chain's clock, and is final `behind` blocks later.
        const head = (now: number) => Math.floor(now / interval);
        const beat = (height: number) => ({ height, time: height * interval + skew });
        let now = 100 * interval + start;
        const asked = at(now, there + back);
        const seen = head(now + there);
        now = asked.answeredAt;
        let cadence = firstCadence(beat(seen - behind), beat(head(now + there)), asked, now + there + back);
        for (let question = 0; question < 60; question++) {
          const sentAt = Math.max(nextHeightAt(cadence, cadence.height + 1, now), now);
          now = sentAt + there + back;
          cadence = observeBlock(cadence, beat(head(sentAt + there) - behind), at(sentAt, there + back));
        }
        // A question that is sent then arrives just when the height is final, but for the pause between two questions.
        const wanted = cadence.height + 5;
        const truth = (wanted + behind) * interval - there;
        expect(Math.abs(finalAt(cadence, wanted) - truth)).toBeLessThanOrEqual(
          0.1 * interval + there + back + 1,
        );
      }),
    );
  });

  test("never assumes more blocks than fit into the time", () => {
    fc.assert(
      fc.property(cadences, fc.nat(100_000), (known, later) => {
        const now = finalAt(known, known.height) + later;
        const height = heightBy(known, now);
        expect(height).toBeGreaterThanOrEqual(known.height);
        expect((height - known.height) * known.interval).toBeLessThanOrEqual(later);
        expect(heightBy(known, now - 2 * later)).toBe(known.height);
      }),
    );
  });

  test("leads to polls no later than expected, never in the past, and with growing pauses", () => {
    fc.assert(
      fc.property(cadences, fc.nat(10), fc.nat(10_000), (known, ahead, later) => {
        const now = finalAt(known, known.height) + later;
        const at = nextHeightAt(known, known.height + ahead, now);
        expect(at).toBeGreaterThan(now);
        const likely = finalAt(known, known.height + Math.max(ahead, 1));
        const late = Math.max(now - likely, 0);
        expect(at).toBeLessThanOrEqual(Math.max(likely, now + Math.max(known.interval, late / 4)));
        expect(at - Math.max(now, likely)).toBeLessThanOrEqual(5_000);
      }),
    );
  });
});
