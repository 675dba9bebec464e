import { z } from "@hono/zod-openapi";
import { holdersOf } from "../../collections/holders.ts";
import { prefers } from "../../http/acceptance.ts";
import { csvList } from "../../http/csv.ts";
import { JSON_LIST, listResponse } from "../../http/list-response.ts";
import { type Holder, holderView } from "../../resources/holder.ts";
import { endpoint } from "../endpoint.ts";
import { CSV, jsonOrCsv } from "../other-types.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { collectionParam } from "../schemas/parameters.ts";

const blockHeight = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "Give the height of a block as a whole number.")
  .transform(Number)
  .optional()
  .openapi({
    type: "integer",
    minimum: 1,
    description: "A final block that a node still has; default: the last one.",
  });

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
    tag: "Collections",
    summary: "List a collection's holders at one final block, largest first",
    description:
      "All pages of a list by `cursor` show the same block. With `Accept: text/csv` the answer is a table.",
    request: { params: collectionParam, query: pageQuery.extend({ block_height: blockHeight }) },
    success: { 200: jsonOrCsv("The holders.", z.array(holderView), HEADERS) },
    errors: ["chain_unavailable"],
  },
  async (c, { params, query: { limit, cursor, block_height } }) => {
    const { block, holders, from } = await holdersOf(
      c.get("context"),
      c.get("caller"),
      params.collection_uuid,
      { cursor: cursor ?? null, blockHeight: block_height },
    );
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
