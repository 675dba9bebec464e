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

/** Reads the cursor of a list whose positions are numbers from 1; 0 without a cursor. @throws ServiceError invalid_request */
export const cursorNumber = (cursor: string | null): number => {
  if (cursor === null) return 0;
  if (!/^[1-9]\d{0,9}$/.test(cursor)) throw unknownCursor();
  return Number(cursor);
};

/** A part of a list, and the cursor of the next part; null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Which part of a list is read: at most so many items behind a cursor; null: from the start. */
export interface PageOfList {
  readonly cursor: string | null;
  readonly limit: number;
}

/**
 * The page of the first `size` items; one more is passed if there is a next page.
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
