import { ServiceError } from "./errors.ts";
import { isUuid, type Uuid } from "./ids.ts";

/** The error for a cursor that no list has issued. */
export const unknownCursor = () =>
  new ServiceError("invalid_request", "Take the cursor from the previous page's Link header.", {
    issues: [{ path: ["cursor"], message: "Take it from the previous page's Link header." }],
  });

/** Reads the cursor of a list that is sorted by UUIDs. @throws ServiceError invalid_request */
export const cursorUuid = (cursor: string | null): Uuid | null => {
  if (cursor === null) return null;
  if (!isUuid(cursor)) throw unknownCursor();
  return cursor;
};

/** A part of a list, and the cursor of the next part; null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/**
 * The page of the first `size` items. One more is passed if there is a next page.
 * @param found how many there were, if fewer were read because they are large
 */
export const pageOf = <Item>(
  items: readonly Item[],
  size: number,
  cursorOf: (item: Item) => string,
  found = items.length,
): Page<Item> => {
  const shown = items.slice(0, size);
  const last = shown.at(-1);
  return { items: shown, next: last !== undefined && found > shown.length ? cursorOf(last) : null };
};

/**
 * The first items of a list whose pages may be short, or empty, and still have a next.
 * @param most.items as many as are wanted
 * @param most.pages as many as are asked for, however few items they have
 */
export const firstItems = async <Item>(
  ask: (cursor: string | null, size: number) => Promise<Page<Item>>,
  most: { readonly items: number; readonly pages: number },
): Promise<Page<Item>> => {
  const items: Item[] = [];
  let next: string | null = null;
  for (let asked = 0; asked < most.pages; asked++) {
    const page = await ask(next, most.items - items.length);
    items.push(...page.items);
    next = page.next;
    if (next === null || items.length >= most.items) break;
  }
  return { items, next };
};
