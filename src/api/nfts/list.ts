import { z } from "@hono/zod-openapi";
import { tokensOf, tokensOfOwner } from "../../collections/tokens.ts";
import { prefers } from "../../http/acceptance.ts";
import { csvList, JSON_LIST, listResponse } from "../../http/list-response.ts";
import { endpoint } from "../endpoint.ts";
import { CSV, jsonOrCsv } from "../other-types.ts";
import { type Token, tokenView } from "../resources/token.ts";
import { accountIdField } from "../schemas/fields.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { collectionParam } from "../schemas/parameters.ts";

/** Without title and description: what people wrote could be a formula to a spreadsheet. */
const TABLE = csvList<Token>(["token_id", "owner_id", "media_url", "reference_url"]);

export const nftsList = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/token",
    operationId: "listTokens",
    tag: "NFTs",
    summary: "List a collection's NFTs, from the chain",
    description:
      "`owner` selects an account's NFTs; a page then may have fewer entries than `limit`, or none, and still have a next " +
      "one. With `Accept: text/csv` the answer is a table.",
    request: { params: collectionParam, query: pageQuery.extend({ owner: accountIdField.optional() }) },
    success: { 200: jsonOrCsv("The tokens.", z.array(tokenView), LINK) },
    errors: ["chain_unavailable"],
  },
  (c, { params: { collection_uuid: uuid }, query: { owner, ...part } }) => {
    const [context, caller] = [c.get("context"), c.get("caller")];
    const format = prefers(CSV, c.req.header("Accept")) ? TABLE : JSON_LIST;
    const read = async (cursor: string | null, limit: number) => {
      const { tokens, next } =
        owner === undefined
          ? await tokensOf(context, caller, uuid, { cursor, limit })
          : await tokensOfOwner(context, caller, uuid, { owner, cursor, limit });
      return { items: tokens, next };
    };
    return listResponse<Token>(c, part, read, format);
  },
);
