import fc from "fast-check";
import { expect, test } from "vitest";
import { newUuid, uuidAt } from "../../src/domain/ids.ts";

test("an id for a time sorts before ids made at that time and after those made before it", () => {
  const moment = fc.date({ min: new Date("2026-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, (date) => {
      const before = uuidAt(new Date(date.getTime() - 1));
      expect(before < uuidAt(date)).toBe(true);
      expect(uuidAt(date)).toBe(uuidAt(new Date(date)));
    }),
  );
  const now = new Date();
  const made = newUuid();
  expect(uuidAt(now) <= made).toBe(true);
  expect(made < uuidAt(new Date(Date.now() + 1))).toBe(true);
});
