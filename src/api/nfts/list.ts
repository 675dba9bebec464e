import { z } from "@hono/zod-openapi";
import { tokensOf, tokensOfOwner } from "../../collections/tokens.ts";
import { prefers } from "../../http/acceptance.ts";
import { csvList, JSON_LIST, listResponse } from "../../http/list-response.ts";
import { CSV, endpoint, jsonOrCsv } from "../endpoint.ts";
import { type Token, tokenView } from "../resources/token.ts";
import { accountIdField } from "../schemas/fields.ts";
import { collectionParam, LINK, pageQuery } from "../schemas/parameters.ts";

/** Without title and description: what people wrote could be a formula to a spreadsheet. */
const TABLE = csvList<Token>(["token_id", "owner_id", "media_url", "reference_url"]);

export const nftsList = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/token",
    operationId: "listTokens",
    scope: "read",
    tag: "NFTs",
    summary: "List a collection's NFTs, from the chain",
    description:
      "`owner` selects an account's NFTs; a page then may have fewer entries than `limit`, or none, and still have a next " +
      "one. With `Accept: text/csv` the answer is a table.",
    request: { params: collectionParam, query: pageQuery.extend({ owner: accountIdField.optional() }) },
    success: { 200: jsonOrCsv("The tokens.", z.array(tokenView), LINK) },
    errors: ["chain_unavailable"],
  },
  ({ context, caller, params: { collection_uuid: uuid }, query: { owner, ...part } }, c) => {
    const format = prefers(CSV, c.req.header("Accept")) ? TABLE : JSON_LIST;
    const read = (cursor: string | null, limit: number) =>
      owner === undefined
        ? tokensOf(context, caller, uuid, { cursor, limit })
        : tokensOfOwner(context, caller, uuid, { owner, cursor, limit });
    return listResponse<Token>(c, part, read, format);
  },
);
