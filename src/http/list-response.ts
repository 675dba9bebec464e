import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";
import { describeError } from "./log.ts";

/** A list that can be read piece by piece, newest first. */
export interface KeysetList<Item> {
  /** Items behind a cursor, at most `size` of them. */
  readonly read: (cursor: string | null, size: number) => Promise<readonly Item[]>;
  /** The cursor that stands for the place behind an item. */
  readonly cursorOf: (item: Item) => string;
}

/** Which part of the list is asked for. */
export interface Part {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Items that one query reads while a whole list streams. */
const STRETCH = 500;

/**
 * Answers a list as a JSON array: with a limit one page and a Link to the next, else everything, streamed, so that
 * memory stays the same however long it is.
 */
export const listResponse = async <Item>(
  c: Context<AppEnv>,
  part: Part,
  list: KeysetList<Item>,
): Promise<Response> =>
  part.limit === undefined
    ? streamed(c, part.cursor ?? null, list)
    : page(c, part.limit, part.cursor ?? null, list);

const page = async <Item>(
  c: Context<AppEnv>,
  limit: number,
  cursor: string | null,
  list: KeysetList<Item>,
): Promise<Response> => {
  // One more than asked for tells whether there is a next page.
  const items = await list.read(cursor, limit + 1);
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  if (last !== undefined && items.length > limit) {
    const next = new URL(c.req.url);
    next.searchParams.set("cursor", list.cursorOf(last));
    c.header("Link", `<${c.get("caller").baseUrl}${next.pathname}${next.search}>; rel="next"`);
  }
  return c.json(shown);
};

const streamed = async <Item>(
  c: Context<AppEnv>,
  cursor: string | null,
  list: KeysetList<Item>,
): Promise<Response> => {
  // The first stretch is read before anything is answered, so that what fails there is an error of its own.
  let stretch = await list.read(cursor, STRETCH);
  if (stretch.length < STRETCH) return c.json(stretch);
  const encoder = new TextEncoder();
  let opening = "[";
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const last = stretch.at(-1);
      if (last === undefined) {
        controller.enqueue(encoder.encode("]"));
        return controller.close();
      }
      controller.enqueue(encoder.encode(opening + stretch.map((item) => JSON.stringify(item)).join(",")));
      opening = ",";
      try {
        stretch = stretch.length < STRETCH ? [] : await list.read(list.cursorOf(last), STRETCH);
      } catch (error) {
        // The status is sent already. A body that is cut off is not JSON, so that nobody takes it for the whole list.
        c.get("context").log("list.cut", describeError(error));
        controller.error(error);
      }
    },
  });
  return c.body(body, 200, { "Content-Type": "application/json" });
};
