import { ServiceError } from "./errors.ts";
import { isUuid, type Uuid } from "./ids.ts";

/** A cursor that no list has given out. */
export const unknownCursor = () =>
  new ServiceError("invalid_request", "Take the cursor from the previous page's Link header.", {
    issues: [{ path: ["cursor"], message: "Take it from the Link header of the page before." }],
  });

/** Reads the cursor of a list that is sorted by UUIDs. @throws ServiceError invalid_request */
export const cursorUuid = (cursor: string | null): Uuid | null => {
  if (cursor === null) return null;
  if (!isUuid(cursor)) throw unknownCursor();
  return cursor;
};

/** A stretch of a list and the cursor of the place behind it; null: there is no more. */
export interface Stretch<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/**
 * The stretch of `size` items, of which one more was looked at to see whether there is more.
 * @param found how many were looked at, where fewer were read because they are large
 */
export const stretchOf = <Item>(
  items: readonly Item[],
  size: number,
  cursorOf: (item: Item) => string,
  found = items.length,
): Stretch<Item> => {
  const shown = items.slice(0, size);
  const last = shown.at(-1);
  return { items: shown, next: last !== undefined && found > shown.length ? cursorOf(last) : null };
};
