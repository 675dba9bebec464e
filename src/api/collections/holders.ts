import { z } from "@hono/zod-openapi";
import { type BlockHead, isMissingBlock, isUnknownBlock, readBlock } from "../../chain/blocks.ts";
import { type ContractViews, contractViewsAt } from "../../chain/contract/views.ts";
import { NodesLagError, ViewError } from "../../chain/errors.ts";
import { type CallOptions, type ChainRpc, connectFor } from "../../chain/rpc.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import { requireCollection } from "../../collections/collections.ts";
import { readTokens } from "../../collections/tokens.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { unknownCursor } from "../../domain/cursors.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { prefers } from "../../http/acceptance.ts";
import { csvList, JSON_LIST, listResponse } from "../../http/list-response.ts";
import { retry } from "../../waiting.ts";
import { CSV, endpoint, jsonOrCsv } from "../endpoint.ts";
import { ACCOUNT, type Shown, whole } from "../resources/samples.ts";
import { wholeNumber } from "../schemas/fields.ts";
import { collectionParam, LINK, pageQuery } from "../schemas/parameters.ts";

const holderView = z
  .object({
    account_id: z.string().openapi({ example: ACCOUNT }),
    tokens: whole("Number of NFTs that it holds.", 3),
  })
  .openapi("Holder");

type Holder = Shown<typeof holderView>;

/** Tokens that are read at one time: views of 100 over five of the six connections. */
const AT_ONCE = 500;

/** Tries of what a node doesn't show yet, and the pause before the second, which doubles. Milliseconds. */
const ATTEMPTS = { tries: 5, firstPauseMs: 200 };

export interface Holders {
  readonly block: Pick<BlockHead, "height" | "hash">;
  readonly holders: readonly Holder[];
}

/**
 * Holders of a collection at the previous page's block, the requested one or the last final one, and the place from
 * which the page begins. A cursor is `<height>-<place in the list>`.
 * @throws ServiceError not_found; invalid_request where no node has the block, or by the cursor; chain_unavailable
 */
const holdersOf = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { cursor, blockHeight }: { readonly cursor: string | null; readonly blockHeight?: number },
): Promise<Holders & { readonly from: number }> => {
  const row = await requireCollection(context, caller, collectionUuid);
  const { onChainId: collectionId, height } = row.collection;
  const place = placeOf(cursor);
  const rpc = connectFor(context);
  const last = await finalBlock(rpc, height);
  const wanted = place?.height ?? blockHeight ?? last.height;
  const counted = await countedAt(rpc, { contract: row.contractAccountId, collectionId }, last, wanted);
  if (counted !== null) return { ...counted, from: place?.from ?? 0 };
  const message =
    place === null
      ? `No node has a final block ${wanted}. Give a height up to ${last.height} that nodes still have.`
      : `No node has block ${wanted} of this list any more. Begin again, without the cursor.`;
  const path = [place === null ? "block_height" : "cursor"];
  throw new ServiceError("invalid_request", message, { issues: [{ path, message }] });
};

/** The last count of this isolate, for the following pages: a block's state doesn't change. */
let kept: { readonly of: string; readonly holders: readonly Holder[] } | null = null;
/** Most cached holders: some megabytes. */
const MOST_KEPT = 50_000;

const placeOf = (cursor: string | null): { readonly height: number; readonly from: number } | null => {
  if (cursor === null) return null;
  const match = /^(\d{1,15})-(\d{1,10})$/.exec(cursor);
  if (!match) throw unknownCursor();
  return { height: Number(match[1]), from: Number(match[2]) };
};

/** The last final block that shows everything that operations of the service did to a collection. */
const finalBlock = (rpc: ChainRpc, height: number): Promise<BlockHead> =>
  retry({ ...ATTEMPTS, isLasting: (error) => !(error instanceof NodesLagError) }, () =>
    readBlock(rpc, "final", { atLeast: height }),
  );

/** The holders at a final block, as the usual endpoints have it or those with all history; null: none has its state. */
const countedAt = async (
  rpc: ChainRpc,
  { contract, collectionId }: CollectionTarget,
  last: BlockHead,
  height: number,
): Promise<Holders | null> => {
  const places: CallOptions[] = rpc.archival.length > 0 ? [{}, { archival: true }] : [{}];
  for (const options of height <= last.height ? places : []) {
    try {
      const block = height === last.height ? last : await readBlock(rpc, { block: height }, options);
      const collection = `${contract} ${collectionId} ${block.hash}`;
      const holders =
        kept?.of === collection
          ? kept.holders
          : await count(contractViewsAt(rpc, contract, { block: block.height }, options), collectionId);
      kept = holders.length <= MOST_KEPT ? { of: collection, holders } : null;
      return { block, holders };
    } catch (error) {
      if (height === last.height || !isMissingBlock(error)) throw error;
    }
  }
  return null;
};

/** Counts tokens by owner; none where the contract had no such collection at the block. */
const count = async (views: ContractViews, collectionId: number): Promise<readonly Holder[]> => {
  const tokens = new Map<string, number>();
  for (let from = 0, hasMore = true; hasMore; ) {
    const page = await pageAt(views, collectionId, from);
    for (const { owner_id: owner } of page.found) tokens.set(owner, (tokens.get(owner) ?? 0) + 1);
    from += page.found.length;
    hasMore = page.hasMore && page.found.length > 0;
  }
  return [...tokens]
    .map(([account, number]) => ({ account_id: account, tokens: number }))
    .sort((a, b) => b.tokens - a.tokens || (a.account_id < b.account_id ? -1 : 1));
};

/** A node may not have the block yet that another has returned. */
const pageAt = async (views: ContractViews, collectionId: number, from: number) => {
  try {
    return await retry({ ...ATTEMPTS, isLasting: (error) => !isUnknownBlock(error) }, () =>
      readTokens(views, collectionId, from, AT_ONCE),
    );
  } catch (error) {
    if (error instanceof ViewError) return { found: [], hasMore: false };
    throw error;
  }
};

const blockHeight = wholeNumber(/^[1-9]\d{0,14}$/, "Give the height of a block as a whole number.", {
  minimum: 1,
  description: "A final block that a node still has; default: the last one.",
}).optional();

const HEADERS = {
  ...LINK,
  "X-Block-Height": { description: "Height of the block that was read.", schema: { type: "integer" } },
  "X-Block-Hash": { description: "Its hash, base58.", schema: { type: "string" } },
} as const;

const TABLE = csvList<Holder>(["account_id", "tokens"]);

export const holdersList = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/holder",
    operationId: "listHolders",
    scope: "read",
    tag: "Collections",
    summary: "List a collection's holders at one final block, largest first",
    description:
      "All pages of a list by `cursor` show the same block. With `Accept: text/csv` the answer is a table.",
    request: { params: collectionParam, query: pageQuery.extend({ block_height: blockHeight }) },
    success: { 200: jsonOrCsv("The holders.", z.array(holderView), HEADERS) },
    errors: ["chain_unavailable"],
  },
  async ({ context, caller, params, query: { limit, cursor = null, block_height: blockHeight } }, c) => {
    const wanted = { cursor, blockHeight };
    const { block, holders, from } = await holdersOf(context, caller, params.collection_uuid, wanted);
    c.header("X-Block-Height", String(block.height));
    c.header("X-Block-Hash", block.hash);
    const format = prefers(CSV, c.req.header("Accept")) ? TABLE : JSON_LIST;
    const page = async (_cursor: string | null, size: number) => ({
      items: holders.slice(from, from + size),
      next: from + size < holders.length ? `${block.height}-${from + size}` : null,
    });
    return listResponse(c, { limit: limit ?? Math.max(holders.length, 1) }, page, format);
  },
);
