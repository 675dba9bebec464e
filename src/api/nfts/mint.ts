import { z } from "@hono/zod-openapi";
import { MAX_COPIES, MAX_SUBTITLE_LENGTH } from "../../domain/quota.ts";
import { JSON_WHITESPACE, textProblem } from "../../domain/texts.ts";
import { proposeMint } from "../../operations/kinds/mint.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { NOBODY } from "../resources/samples.ts";
import { mintedView } from "../resources/token.ts";
import { accountIdField, linesField, referenceField, textField, uuidField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

/** Code points of `extra`: every one of them is stored on-chain and paid for. */
const MAX_EXTRA_LENGTH = 16_384;
const MAX_URL_LENGTH = 2_048;

/** http too: the gateway of a local service is read without a request. Any other address has to be https (media-url.ts). */
const isUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

const urlField = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(isUrl, "Give an absolute https address, such as https://example.com/heron.png.")
  .openapi({ format: "uri" });

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const extraField = z
  .string()
  .superRefine((text, context) => {
    const problem = textProblem(text, MAX_EXTRA_LENGTH, JSON_WHITESPACE);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
    else if (!isJson(text)) context.addIssue({ code: "custom", message: "Give JSON as a string." });
  })
  .openapi({ maxLength: MAX_EXTRA_LENGTH, example: '{"edition":"first"}' });

export const metadataFields = {
  asset_file_url: urlField.nullish().openapi({ description: "A media file of at most 100 MB." }),
  reference_file_url: urlField.nullish().openapi({ description: "A JSON file of at most 1 MB." }),
  extra: extraField.nullish().openapi({ description: "JSON as a string, stored on-chain." }),
  copies: z
    .int()
    .min(1)
    .max(MAX_COPIES)
    .nullish()
    .openapi({ description: "Shown on the NFT; default: the collection's total copies." }),
  title: textField(256).min(1).nullish().openapi({ description: "Default: the collection's title." }),
  subtitle: textField(MAX_SUBTITLE_LENGTH).nullish(),
  description: linesField(1024).nullish().openapi({ description: "Default: the collection's." }),
};

const mintBody = z
  .strictObject({
    receiver_addresses: z.array(accountIdField).min(1),
    quantity_per_receiver: z
      .int()
      .min(1)
      .nullish()
      .transform((quantity) => quantity ?? 1)
      .openapi({ default: 1, description: "Receivers times quantity is at most 25." }),
    metadata: z.strictObject(metadataFields).nullish(),
    asset_uuid: uuidField.nullish().openapi({
      description: "Copies of this asset, as the draft lists it; default: copies are drawn at random.",
    }),
    receivers_must_exist: z.boolean().nullish().openapi({
      default: false,
      description:
        "Whether a named receiver that doesn't exist on the chain is refused. Implicit accounts need not exist.",
    }),
    reference: referenceField,
  })
  .openapi("MintInput");

export const nftsMint = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/mint",
    operationId: "mint",
    looksUpKeyLast: true,
    scope: "mint",
    tag: "NFTs",
    summary: "Mint NFTs to accounts",
    description:
      "At most 25 NFTs a call: receivers times quantity. Without `asset_uuid` each takes one of the remaining copies at random.",
    request: {
      params: collectionParam,
      body: jsonBody(mintBody, {
        receiver_addresses: [NOBODY],
        quantity_per_receiver: 2,
        metadata: { subtitle: "No. $TOKEN_NUM of $TOTAL_NUM", extra: '{"edition":"first"}' },
      }),
    },
    success: { 201: json("The tokens as they are on-chain.", mintedView) },
    errors: ["mint_limit_exceeded", "sold_out", "asset_url_failed", "unknown_account"],
  },
  (context, caller, { params, body }) => proposeMint(context, caller, params.collection_uuid, body),
);
