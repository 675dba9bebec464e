import { z } from "@hono/zod-openapi";
import { proposeNftTransfer } from "../../operations/kinds/nft-moves.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { NOBODY } from "../resources/samples.ts";
import { transferredView } from "../resources/token.ts";
import { accountIdField, referenceField, textField, tokenIdsField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

/** Most tokens of one transaction: all of them are moved, or none. */
export const MOST_MOVED = 50;

const transferBody = z
  .strictObject({
    token_ids: tokenIdsField(MOST_MOVED),
    receiver_address: accountIdField,
    memo: textField(256).nullish().openapi({ description: "Kept in the chain's event." }),
    reference: referenceField,
  })
  .openapi("NftTransferInput");

export const nftsTransfer = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/nft-transfer",
    operationId: "transferNfts",
    scope: "mint",
    tag: "NFTs",
    summary: "Transfer NFTs out of the integration's wallet",
    description:
      "Of NFTs that the integration's wallet owns, in one transaction: all or none. The collection's rules for transfers hold, " +
      "and a receiver with a name must exist on the chain.",
    request: {
      params: collectionParam,
      body: jsonBody(transferBody, { token_ids: ["1:1", "1:2"], receiver_address: NOBODY }),
    },
    success: { 200: json("The tokens as they are now.", transferredView) },
    errors: ["unknown_account"],
  },
  (context, caller, { params, body }) => proposeNftTransfer(context, caller, params.collection_uuid, body),
);
