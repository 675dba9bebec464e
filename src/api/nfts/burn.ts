import { z } from "@hono/zod-openapi";
import { proposeNftBurn } from "../../operations/kinds/nft-moves.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { burntView } from "../resources/token.ts";
import { referenceField, tokenIdsField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { MOST_MOVED } from "./transfer.ts";

const burnBody = z
  .strictObject({ token_ids: tokenIdsField(MOST_MOVED), reference: referenceField })
  .openapi("NftBurnInput");

export const nftsBurn = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/nft-burn",
    operationId: "burnNfts",
    scope: "update",
    tag: "NFTs",
    summary: "Burn NFTs of the integration's wallet, for ever",
    description:
      "Of NFTs that the integration's wallet owns, in one transaction: all or none. This can't be undone. Numbers and copies of " +
      "burnt NFTs aren't used again.",
    request: { params: collectionParam, body: jsonBody(burnBody, { token_ids: ["1:1", "1:2"] }) },
    success: { 200: json("The NFTs that are gone.", burntView) },
  },
  (context, caller, { params, body }) => proposeNftBurn(context, caller, params.collection_uuid, body),
);
