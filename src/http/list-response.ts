import type { Context } from "hono";
import type { Page } from "../domain/cursors.ts";
import type { AppEnv } from "./app-env.ts";
import { baseUrl, type TypedResponse, typedResponse } from "./app-env.ts";
import { streamOf } from "./generated-stream.ts";

/** Reads at most `size` items after a cursor, or from the start. */
export type ReadPage<Item> = (cursor: string | null, size: number) => Promise<Page<Item>>;

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListFormat<Item> {
  readonly contentType: string;
  readonly opening: string;
  readonly between: string;
  readonly closing: string;
  readonly write: (item: Item) => string;
  /** The parameter that has the cursor; default: `cursor`. */
  readonly cursorName?: string;
}

export const JSON_LIST: ListFormat<unknown> = {
  contentType: "application/json",
  opening: "[",
  between: ",",
  closing: "]",
  write: (item) => JSON.stringify(item),
};

/** Items that one query reads while a whole list streams. */
const PAGE = 500;

/**
 * Returns a list: with a limit one page and a Link to the next, otherwise everything, streamed, so that memory stays
 * the same. One of which nothing is taken for 30 s breaks off.
 */
export const listResponse = async <Item>(
  c: Context<AppEnv>,
  { limit, cursor }: PageRequest,
  read: ReadPage<Item>,
  format: ListFormat<Item> = JSON_LIST,
): Promise<TypedResponse<readonly Item[], 200>> => {
  // The first page is read before the response begins, so that a failure becomes an error response.
  const first = await read(cursor ?? null, limit ?? PAGE);
  const { opening, closing, contentType } = format;
  const headers = { "Content-Type": contentType };
  if (first.next !== null && limit === undefined) {
    async function* logged(): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield* piecesOf(first, read, format);
      } catch (error) {
        // The status is already sent. A body that ends here isn't valid JSON, so no client takes it for the whole list.
        c.get("context").log("list.cut", { error });
        throw error;
      }
    }
    return typedResponse(c.body(streamOf(logged()), 200, headers));
  }
  if (first.next !== null) linkToNext(c, first.next, format.cursorName);
  return typedResponse(c.body(opening + written(first.items, format) + closing, 200, headers));
};

/** Names the next page of this address in a Link header (RFC 8288). */
export const linkToNext = (c: Context<AppEnv>, cursor: string, name = "cursor"): void => {
  const next = new URL(c.req.url);
  next.searchParams.set(name, cursor);
  c.header("Link", `<${baseUrl(c)}${next.pathname}${next.search}>; rel="next"`);
};

const written = <Item>(items: readonly Item[], { between, write }: ListFormat<Item>): string =>
  items.map(write).join(between);

/** The pages of the response. A page may be empty although more follow. */
async function* piecesOf<Item>(
  first: Page<Item>,
  read: ReadPage<Item>,
  format: ListFormat<Item>,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const after = async ({ next }: Page<Item>) => (next === null ? null : read(next, PAGE));
  let before = format.opening;
  for (let page: Page<Item> | null = first; page; page = await after(page)) {
    if (page.items.length === 0) continue;
    yield encoder.encode(before + written(page.items, format));
    before = format.between;
  }
  const isEmpty = before === format.opening && format.opening !== format.between;
  yield encoder.encode((isEmpty ? format.opening : "") + format.closing);
}

/**
 * A list as comma-separated values (RFC 4180) with a line of names, for ids, numbers and addresses: texts that people
 * wrote could be formulas to a spreadsheet.
 */
export const csvList = <Item>(columns: readonly (keyof Item & string)[]): ListFormat<Item> => ({
  contentType: "text/csv; charset=utf-8; header=present",
  opening: `${columns.join(",")}\r\n`,
  between: "",
  closing: "",
  write: (item) => `${columns.map((name) => field(item[name])).join(",")}\r\n`,
});

const field = (value: unknown): string => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
