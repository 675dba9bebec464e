import type { Token } from "../api/resources/token.ts";
import { type ContractToken, type ContractViews, mayHaveMore } from "../chain/contract/views.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { cursorNumber, type Page, type PageOfList } from "../domain/cursors.ts";
import type { Uuid } from "../domain/ids.ts";
import { collectionOf } from "../domain/token-ids.ts";
import { gatewayUrl } from "../files/ipfs/cid.ts";
import { readableOf } from "./collection-target.ts";

interface TokenHome {
  readonly collectionUuid: Uuid;
  readonly collectionId: number;
  readonly contract: string;
  readonly base: string;
}

/** The API's view of a token. `media` and `reference` are the contract's CIDs. */
export const toToken = (token: ContractToken, home: TokenHome): Token => ({
  token_id: token.token_id,
  owner_id: token.owner_id,
  metadata: token.metadata,
  approved_account_ids: token.approved_account_ids,
  locks: token.locks ?? [],
  collection_uuid: home.collectionUuid,
  collection_id: home.collectionId,
  contract_address: home.contract,
  media_url: token.metadata.media && gatewayUrl(home.base, token.metadata.media),
  reference_url: token.metadata.reference && gatewayUrl(home.base, token.metadata.reference),
});

/** Tokens that one view of the contract returns within a view's gas. */
const VIEW_PAGE = 100;

/** Tokens of a collection in minting order. @throws ServiceError not_found, invalid_request, chain_unavailable */
export const tokensOf = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { cursor, limit }: PageOfList,
): Promise<Page<Token>> => {
  const { contract, collectionId, views } = await readableOf(context, caller, collectionUuid);
  const from = cursorNumber(cursor);
  const { found, hasMore } = await readTokens(views, collectionId, from, limit);
  const home = { collectionUuid, collectionId, contract, base: caller.baseUrl };
  return {
    items: found.map((token) => toToken(token, home)),
    next: hasMore && found.length > 0 ? String(from + found.length) : null,
  };
};

/** Tokens of a collection after a number, in minting order. `hasMore`: others may follow them. */
export const readTokens = async (
  views: ContractViews,
  collectionId: number,
  from: number,
  limit: number,
): Promise<{ readonly found: readonly ContractToken[]; readonly hasMore: boolean }> => {
  const starts = Array.from({ length: Math.ceil(limit / VIEW_PAGE) }, (_, index) => index * VIEW_PAGE);
  const pages = await Promise.all(
    starts.map((start) =>
      views.tokensOfCollection(collectionId, from + start, Math.min(VIEW_PAGE, limit - start)),
    ),
  );
  // Pages are read concurrently, maybe at different final blocks: those after a short page are left to the next call.
  const short = pages.findIndex(
    (tokens, index) => tokens.length < Math.min(VIEW_PAGE, limit - starts[index]!),
  );
  const found = (short < 0 ? pages : pages.slice(0, short + 1)).flat();
  // A page that is short because its tokens are large is followed by others.
  return { found, hasMore: short < 0 || mayHaveMore(pages[short]!, VIEW_PAGE) };
};

const OWNER_VIEWS = 10;

/**
 * Tokens of a collection that an account owns. The contract lists those of all collections together: a page may have
 * fewer than the limit, or none, and a next one. @throws ServiceError not_found, invalid_request (cursor),
 * chain_unavailable
 */
export const tokensOfOwner = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { owner, cursor, limit }: PageOfList & { readonly owner: string },
): Promise<Page<Token>> => {
  const { contract, collectionId, views } = await readableOf(context, caller, collectionUuid);
  const home = { collectionUuid, collectionId, contract, base: caller.baseUrl };
  const items: Token[] = [];
  let position = cursorNumber(cursor);
  for (let calls = 0; calls < OWNER_VIEWS; calls++) {
    const page = await views.tokensOfOwner(owner, position, VIEW_PAGE);
    for (const [index, token] of page.entries()) {
      if (items.length === limit) return { items, next: String(position + index) };
      if (collectionOf(token.token_id) === collectionId) items.push(toToken(token, home));
    }
    position += page.length;
    if (!mayHaveMore(page, VIEW_PAGE)) return { items, next: null };
  }
  return { items, next: String(position) };
};
