import fc from "fast-check";
import { expect, test } from "vitest";
import { cursorNumber, cursorUuid, pageOf } from "../../src/domain/cursors.ts";
import { newUuid } from "../../src/domain/ids.ts";

/** Where a refused cursor is said to come from. */
const refused = expect.objectContaining({
  code: "invalid_request",
  message: expect.stringContaining("Link header"),
  details: { issues: [{ path: ["cursor"], message: expect.stringContaining("Link header") }] },
});

test("pages together show every item once, in order, and the last has no cursor", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 10 }), (count, size) => {
      const all = Array.from({ length: count }, (_, index) => index + 1);
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const after: number = cursorNumber(cursor);
        // A reader asks for one item more than a page shows.
        const page = pageOf(all.filter((item) => item > after).slice(0, size + 1), size, String);
        seen.push(...page.items);
        cursor = page.next;
      } while (cursor !== null);
      expect(seen).toEqual(all);
    }),
  );
});

test("a page that holds fewer items than were found, because they are large, leads on", () => {
  expect(pageOf([1, 2], 10, String, 3)).toEqual({ items: [1, 2], next: "2" });
  expect(pageOf([1, 2], 10, String, 2)).toEqual({ items: [1, 2], next: null });
  expect(pageOf([], 10, String, 1)).toEqual({ items: [], next: null });
});

test("a cursor is a number from 1 or a UUID, whichever the list gives, and anything else is refused", () => {
  expect([cursorNumber(null), cursorNumber("1"), cursorNumber("4294967295")]).toEqual([0, 1, 4_294_967_295]);
  for (const text of ["", "0", "01", "-1", "1.5", "1e3", " 1", "1 ", "12345678901", "x1"])
    expect(() => cursorNumber(text), text).toThrow(refused);
  const uuid = newUuid();
  expect([cursorUuid(null), cursorUuid(uuid)]).toEqual([null, uuid]);
  for (const text of ["", "1", `${uuid}0`, uuid.slice(1)])
    expect(() => cursorUuid(text), text).toThrow(refused);
});
