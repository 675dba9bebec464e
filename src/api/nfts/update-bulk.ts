import { z } from "@hono/zod-openapi";
import { proposeNftUpdateBulk } from "../../operations/kinds/nft-update-bulk.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { updatedBulkView } from "../resources/token.ts";
import { referenceField, tokenIdField, uuidField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { metadataFields } from "./mint.ts";

const MOST_UPDATES = 1_000;

const updateField = z
  .strictObject({
    token_id: tokenIdField,
    metadata: z.strictObject(metadataFields).nullish(),
    asset_uuid: uuidField.nullish().openapi({
      description: "The NFT shows this asset of the collection: its file, reference file and subtitle.",
    }),
  })
  .openapi("NftBulkUpdate");

const bulkBody = z
  .strictObject({
    updates: z
      .array(updateField)
      .min(1)
      .max(MOST_UPDATES)
      .refine(
        (updates) => new Set(updates.map(({ token_id: id }) => id)).size === updates.length,
        "Name each token once.",
      ),
    reference: referenceField,
  })
  .openapi("NftUpdateBulkInput");

export const nftsUpdateBulk = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/nft-update-bulk",
    operationId: "updateNfts",
    scope: "update",
    tag: "NFTs",
    summary: "Change the metadata of up to 1,000 NFTs",
    description:
      "In as few transactions as fit. Each NFT has a result: one that can't be changed is named and keeps no other from being " +
      "changed; `results` has the order of `updates`. If a later transaction can't be carried out, its NFTs are named as failed; send " +
      "those again under a new Idempotency-Key. Fields are those of nft-update; at most 25 different files are named by URL.",
    request: {
      params: collectionParam,
      body: jsonBody(bulkBody, {
        updates: [
          { token_id: "1:1", metadata: { title: "Heron at the weir" } },
          { token_id: "1:2", metadata: { title: null } },
        ],
      }),
    },
    success: { 200: json("A result for each NFT.", updatedBulkView) },
    errors: ["asset_url_failed"],
  },
  (context, caller, { params, body }) =>
    proposeNftUpdateBulk(context, caller, params.collection_uuid, body.updates),
);
