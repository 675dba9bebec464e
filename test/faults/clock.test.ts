/** An object's alarm is set, and shown, by the run's clock. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { alarmBy, type Clock, timeOf } from "./clock.ts";

const REAL = 1_700_000_000_000;
const clocks = fc.record({
  from: fc.integer({ min: REAL - 1_000_000, max: REAL }),
  rate: fc.integer({ min: 1, max: 10 }),
  ahead: fc.nat({ max: 1_000_000_000 }),
});

/** An object's storage that has lived under some clocks, one after the other, on a machine whose time stands still. */
const storageUnder = (kept: { at: number | null }, clock: Clock) => {
  const storage = {
    setAlarm: async (at: number | Date) => {
      kept.at = Number(at);
    },
    getAlarm: async () => kept.at,
  };
  alarmBy(clock, storage, () => REAL);
  return storage;
};

test("an alarm is shown at the time for which it was set", async () => {
  const pauses = fc.nat({ max: 200_000_000 });
  await fc.assert(
    fc.asyncProperty(clocks, pauses, async (clock, wait) => {
      const storage = storageUnder({ at: null }, clock);
      expect(await storage.getAlarm()).toBeNull();
      const at = timeOf(clock, REAL) + wait;
      await storage.setAlarm(at);
      // The clock shows whole milliseconds.
      expect(Math.abs((await storage.getAlarm())! - at)).toBeLessThanOrEqual(1);
    }),
  );
});

test("an alarm that hasn't rung is shown as later than now, however far the clock has jumped", async () => {
  await fc.assert(
    fc.asyncProperty(clocks, fc.nat(), fc.integer({ min: 10, max: 9_000 }), async (clock, jump, wait) => {
      const kept = { at: null };
      await storageUnder(kept, clock).setAlarm(timeOf(clock, REAL) + wait);
      const ahead = { ...clock, ahead: clock.ahead + jump };
      expect(await storageUnder(kept, ahead).getAlarm()).toBeGreaterThan(timeOf(ahead, REAL));
    }),
  );
});
