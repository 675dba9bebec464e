import { z } from "@hono/zod-openapi";
import { proposeNftUpdate } from "../../operations/kinds/nft-update.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { updatedView } from "../resources/token.ts";
import { referenceField, tokenIdField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { metadataFields } from "./mint.ts";

const nftUpdateBody = z
  .strictObject({
    token_id: tokenIdField,
    ...metadataFields,
    reference: referenceField,
  })
  // The token, and something to change.
  .openapi("NftUpdateInput", { minProperties: 2 });

export const nftsUpdate = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}/nft-update",
    operationId: "updateNft",
    scope: "update",
    tag: "NFTs",
    summary: "Change the metadata of one NFT",
    description: "Absent fields stay; null restores the value of the collection and its asset.",
    request: {
      params: collectionParam,
      body: jsonBody(nftUpdateBody, { token_id: "1:1", title: "Heron at the weir", subtitle: null }),
    },
    success: { 200: json("The token as it is now.", updatedView) },
    errors: ["asset_url_failed"],
  },
  (context, caller, { params, body }) => proposeNftUpdate(context, caller, params.collection_uuid, body),
);
