import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstItems, type Page } from "../../src/domain/cursors.ts";

/** A list of pages as given, some of them empty; the cursor is a page's number, `page.item` within one. */
const listOf = (pages: readonly (readonly number[])[]) => {
  let asked = 0;
  const ask = async (cursor: string | null, size: number): Promise<Page<number>> => {
    asked++;
    const [page = 0, item = 0] = (cursor ?? "0.0").split(".").map(Number);
    const items = (pages[page] ?? []).slice(item, item + size);
    const end = item + items.length;
    if (end < (pages[page] ?? []).length) return { items, next: `${page}.${end}` };
    return { items, next: page + 1 < pages.length ? `${page + 1}.0` : null };
  };
  return { ask, asked: () => asked };
};

describe("the first items of a list", () => {
  test("are found behind empty pages, as many as are wanted, and what is left is told", async () => {
    const pages = fc.array(fc.array(fc.integer(), { maxLength: 4 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        pages,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 10 }),
        async (of, items, most) => {
          const list = listOf(of);
          const found = await firstItems(list.ask, { items, pages: most });
          const all = of.flat();
          expect(found.items).toEqual(all.slice(0, found.items.length));
          expect(found.items.length).toBeLessThanOrEqual(items);
          expect(list.asked()).toBeLessThanOrEqual(most);
          if (found.next === null) expect(found.items).toEqual(all);
          else expect(found.items.length === items || list.asked() === most).toBe(true);
        },
      ),
    );
  });

  test("that come on a later page than the first are not passed over", async () => {
    const list = listOf([[], [], [7]]);
    expect(await firstItems(list.ask, { items: 5, pages: 10 })).toEqual({ items: [7], next: null });
    expect((await firstItems(list.ask, { items: 5, pages: 2 })).next).not.toBeNull();
  });
});
