import type { Context } from "hono";
import type { Page } from "../domain/cursors.ts";
import { type Answered, answered, show } from "./answered.ts";
import type { AppEnv } from "./app-env.ts";
import { baseUrl } from "./base-url.ts";

/** Reads at most `size` items behind a cursor, or from the start. */
export type ReadPage<Item> = (cursor: string | null, size: number) => Promise<Page<Item>>;

/** Which part of the list is asked for. */
export interface Part {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Items that one query reads while a whole list streams. */
const PAGE = 500;

/**
 * Answers a list as a JSON array: with a limit one page and a Link to the next, else everything, streamed, so that
 * memory stays the same however long it is.
 */
export const listResponse = async <Item>(
  c: Context<AppEnv>,
  { limit, cursor }: Part,
  read: ReadPage<Item>,
): Promise<Answered<readonly Item[], 200>> => {
  // The first page is read before anything is answered, so that a failure there can answer an error.
  const first = await read(cursor ?? null, limit ?? PAGE);
  if (first.next === null) return show(c, first.items);
  if (limit === undefined) return streamed(c, first, read);
  const next = new URL(c.req.url);
  next.searchParams.set("cursor", first.next);
  c.header("Link", `<${baseUrl(c)}${next.pathname}${next.search}>; rel="next"`);
  return show(c, first.items);
};

const streamed = <Item>(
  c: Context<AppEnv>,
  first: Page<Item>,
  read: ReadPage<Item>,
): Answered<readonly Item[], 200> => {
  const encoder = new TextEncoder();
  let page: Page<Item> | null = first;
  let opening = "[";
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // A page may be empty although there are more; the stream is pulled again only after something was enqueued.
        while (page !== null) {
          const { items, next }: Page<Item> = page;
          if (items.length > 0) {
            controller.enqueue(encoder.encode(opening + items.map((item) => JSON.stringify(item)).join(",")));
            opening = ",";
          }
          page = next === null ? null : await read(next, PAGE);
          if (items.length > 0) return;
        }
        controller.enqueue(encoder.encode(opening === "[" ? "[]" : "]"));
        controller.close();
      } catch (error) {
        // The status is already sent. A body that ends here isn't JSON, so nobody takes it for the whole list.
        c.get("context").log("list.cut", { error });
        controller.error(error);
      }
    },
  });
  return answered(c.body(body, 200, { "Content-Type": "application/json" }));
};
