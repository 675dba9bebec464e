import fc from "fast-check";
import { expect, test } from "vitest";
import { alarmToSet } from "../../src/domain/alarms.ts";

const MINUTE = 60_000;
const time = fc.integer({ min: 0, max: 100 * MINUTE });
const perhaps = fc.option(time, { nil: null });

test("an alarm is set for everything that is due, at its time or within a minute after", () => {
  fc.assert(
    fc.property(time, perhaps, time, (now, alarm, due) => {
      const set = alarmToSet(now, alarm, due);
      // An alarm that is left as it is comes in time, and isn't so late that it may never come.
      const rings = set ?? alarm!;
      expect(rings).toBeLessThanOrEqual(Math.max(due, now));
      expect(rings).toBeGreaterThan(now - MINUTE);
      if (set !== null) expect(set).toBe(Math.max(due, now));
    }),
  );
});

test("an alarm that is ten seconds late is set again", () => {
  expect(alarmToSet(MINUTE, MINUTE - 9_999, 0)).toBeNull();
  expect(alarmToSet(MINUTE, MINUTE - 10_000, 0)).toBe(MINUTE);
});

test("an alarm that comes early enough is kept, and none is set if nothing is due", () => {
  fc.assert(
    fc.property(time, perhaps, time, (now, alarm, due) => {
      expect(alarmToSet(now, alarm, null)).toBeNull();
      const set = alarmToSet(now, alarm, due);
      if (set !== null) expect(alarmToSet(now, set, due)).toBeNull();
    }),
  );
});
