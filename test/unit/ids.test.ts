import fc from "fast-check";
import { expect, test } from "vitest";
import { isUuid, newUuid, toHex, uuidAt, uuidFromBytes, uuidToBytes } from "../../src/domain/ids.ts";

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

test("an id is the same as text and as 16 bytes", () => {
  const uuid = newUuid();
  expect(uuidToBytes(uuid)).toHaveLength(16);
  expect(toHex(uuidToBytes(uuid))).toBe(uuid.replaceAll("-", ""));
  expect(uuidFromBytes(uuidToBytes(uuid))).toBe(uuid);
  expect(
    [uuid, "00000000-0000-4000-8000-000000000000", `${uuid}0`, "", uuid.replaceAll("-", "")].map(isUuid),
  ).toEqual([true, true, false, false, false]);
  expect(toHex(Uint8Array.of(0, 9, 16, 255))).toBe("000910ff");
});
