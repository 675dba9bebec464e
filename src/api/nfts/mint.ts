import { proposeMint } from "../../operations/kinds/mint.ts";
import { mintedView } from "../../resources/token.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { mintBody } from "./metadata-schemas.ts";

export const nftsMint = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/mint",
    operationId: "mint",
    tag: "NFTs",
    summary: "Mint NFTs to accounts",
    description:
      "At most 25 NFTs a call: receivers times quantity. Each takes one of the remaining copies at random.",
    request: {
      params: collectionParam,
      body: jsonBody(mintBody, {
        receiver_addresses: ["6f32d9832f4b08752106a782aad702a3210e47906fce4a0cab9df0e1ba62f4ab"],
        quantity_per_receiver: 2,
        metadata: { subtitle: "No. $TOKEN_NUM of $TOTAL_NUM", extra: '{"edition":"first"}' },
      }),
    },
    success: { 201: json("The tokens as they are on-chain.", mintedView) },
    errors: ["mint_limit_exceeded", "sold_out", "asset_url_failed", "unknown_account"],
  },
  (context, caller, { params, body }) => proposeMint(context, caller, params.collection_uuid, body),
);
