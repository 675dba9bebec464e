import { z } from "@hono/zod-openapi";
import { proposeNftLock } from "../../operations/kinds/locks.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { updatedView } from "../resources/token.ts";
import { referenceField, tokenIdField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

const nftLockBody = z
  .strictObject({ token_id: tokenIdField, reference: referenceField })
  .openapi("NftLockInput");

export const nftsLock = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}/nft-lock",
    operationId: "lockNft",
    scope: "settings",
    tag: "NFTs",
    summary: "Lock what one NFT shows, for ever",
    description:
      "The NFT keeps its picture and metadata, and the collection's title and description as they are now. This can't be undone.",
    request: { params: collectionParam, body: jsonBody(nftLockBody, { token_id: "1:1" }) },
    success: { 200: json("The token as it is now.", updatedView) },
  },
  (context, caller, { params, body }) =>
    proposeNftLock(context, caller, params.collection_uuid, body.token_id),
);
