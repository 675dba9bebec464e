// api/nfts/: mints, updates and the list of a collection's NFTs.

import { z } from "@hono/zod-openapi";
import { tokensOf } from "../../collections/tokens.ts";
import { listResponse } from "../../http/list-response.ts";
import { tokenView } from "../../resources/token.ts";
import { endpoint, json } from "../endpoint.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { collectionParam } from "../schemas/parameters.ts";

export const nftsList = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/token",
    operationId: "listTokens",
    tag: "NFTs",
    summary: "List a collection's NFTs, from the chain",
    request: { params: collectionParam, query: pageQuery },
    success: { 200: json("The tokens.", z.array(tokenView), LINK) },
    errors: ["chain_unavailable"],
  },
  (c, { params, query }) =>
    listResponse(c, query, async (cursor, limit) => {
      const page = { cursor, limit };
      const { tokens, next } = await tokensOf(
        c.get("context"),
        c.get("caller"),
        params.collection_uuid,
        page,
      );
      return { items: tokens, next };
    }),
);
