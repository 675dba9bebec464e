import { mayGoOn } from "../chain/contract/views.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { unknownCursor } from "../domain/cursors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Token } from "../resources/token.ts";
import { readableOf } from "./collection-target.ts";
import { toToken } from "./token.ts";

/** Tokens that one view of the contract returns within a view's gas. */
const VIEW_PAGE = 100;

/**
 * Tokens of a collection in minting order, from the chain.
 * @param page `limit`: at most so many are returned; `cursor`: the number of the last token of the page before
 * @throws ServiceError not_found, invalid_request (cursor), chain_unavailable
 */
export const tokensOf = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ readonly tokens: readonly Token[]; readonly next: string | null }> => {
  const { contract, collectionId, views } = await readableOf(context, caller, collectionUuid);
  const from = cursorNumber(page.cursor);
  const starts = Array.from({ length: Math.ceil(page.limit / VIEW_PAGE) }, (_, index) => index * VIEW_PAGE);
  const pages = await Promise.all(
    starts.map((start) =>
      views.tokensOfCollection(collectionId, from + start, Math.min(VIEW_PAGE, page.limit - start)),
    ),
  );
  // Pages are read at one time from final blocks that may differ: what follows a short one is left for the next call.
  const short = pages.findIndex(
    (tokens, index) => tokens.length < Math.min(VIEW_PAGE, page.limit - starts[index]!),
  );
  const found = (short < 0 ? pages : pages.slice(0, short + 1)).flat();
  // A page that is short because its tokens are large is followed by others.
  const goesOn = short < 0 || mayGoOn(pages[short]!, VIEW_PAGE);
  const home = { collectionUuid, collectionId, contract, base: caller.baseUrl };
  return {
    tokens: found.map((token) => toToken(token, home)),
    next: goesOn && found.length > 0 ? String(from + found.length) : null,
  };
};

const cursorNumber = (cursor: string | null): number => {
  if (cursor === null) return 0;
  if (!/^[1-9]\d{0,9}$/.test(cursor)) throw unknownCursor();
  return Number(cursor);
};
