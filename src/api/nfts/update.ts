import { z } from "@hono/zod-openapi";
import { proposeNftUpdate } from "../../operations/kinds/nft-update.ts";
import { endpoint, json, jsonBody, run } from "../endpoint.ts";
import { transactionView } from "../schemas/chain.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { nftUpdateBody } from "./metadata-schemas.ts";
import { tokenView } from "./token-schema.ts";

const updatedView = z
  .object({ message: z.literal("success"), token: tokenView, tx_results: z.array(transactionView) })
  .openapi("NftUpdateAnswer");

/** PUT /collection/{collection_uuid}/nft-update */
export const nftsUpdate = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/nft-update",
    operationId: "updateNft",
    tag: "NFTs",
    summary: "Change the metadata of one NFT",
    description: "Absent fields stay as they are; null goes back to what the collection and its asset say.",
    request: {
      params: collectionParam,
      body: jsonBody(nftUpdateBody, { token_id: "1:1", title: "Heron at the weir", subtitle: null }),
    },
    success: { 200: json("The token as it is now.", updatedView) },
    errors: ["asset_url_failed"],
    operation: true,
  },
  async (c, { params, body }) =>
    run(c, await proposeNftUpdate(c.get("context"), c.get("caller"), params.collection_uuid, body)),
);
