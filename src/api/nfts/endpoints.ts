import { z } from "@hono/zod-openapi";
import { tokensOf, tokensOfOwner } from "../../collections/tokens.ts";
import { MAX_COPIES, MAX_SUBTITLE_LENGTH } from "../../domain/quota.ts";
import { JSON_WHITESPACE, textProblem } from "../../domain/texts.ts";
import { prefers } from "../../http/acceptance.ts";
import { csvList, JSON_LIST, listResponse } from "../../http/list-response.ts";
import { proposeMint } from "../../operations/kinds/mint.ts";
import { proposeNftUpdate } from "../../operations/kinds/nft-update.ts";
import { chainWrite } from "../chain-write.ts";
import { CSV, endpoint, json, jsonBody, jsonOrCsv } from "../endpoint.ts";
import { mintedView, type Token, tokenView, updatedView } from "../resources/token.ts";
import { accountIdField, linesField, referenceField, textField, uuidField } from "../schemas/fields.ts";
import { collectionParam, LINK, pageQuery } from "../schemas/parameters.ts";

/** Code points of `extra`: every one of them is stored on-chain and paid for. */
const MAX_EXTRA_LENGTH = 16_384;
const MAX_URL_LENGTH = 2_048;

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

const metadataFields = {
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
      .openapi({
        default: 1,
        description: "Receivers times quantity is at most 25.",
      }),
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

const nftUpdateBody = z
  .strictObject({
    token_id: z
      .string()
      .regex(/^[1-9]\d{0,9}:[1-9]\d{0,9}$/, 'Give a token_id, such as "7:42".')
      .openapi({ example: "7:42" }),
    ...metadataFields,
    reference: referenceField,
  })
  // The token, and something to change.
  .openapi("NftUpdateInput", { minProperties: 2 });

/** Without title and description: what people wrote could be a formula to a spreadsheet. */
const TABLE = csvList<Token>(["token_id", "owner_id", "media_url", "reference_url"]);
const TAG = "NFTs";

export const nftEndpoints = [
  chainWrite(
    {
      method: "post",
      path: "/collection/{collection_uuid}/mint",
      operationId: "mint",
      tag: TAG,
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
  ),
  chainWrite(
    {
      method: "put",
      path: "/collection/{collection_uuid}/nft-update",
      operationId: "updateNft",
      tag: TAG,
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
  ),
  endpoint(
    {
      method: "get",
      path: "/collection/{collection_uuid}/token",
      operationId: "listTokens",
      tag: TAG,
      summary: "List a collection's NFTs, from the chain",
      description:
        "`owner` selects an account's NFTs; a page then may have fewer entries than `limit`, or none, and still have a next " +
        "one. With `Accept: text/csv` the answer is a table.",
      request: { params: collectionParam, query: pageQuery.extend({ owner: accountIdField.optional() }) },
      success: { 200: jsonOrCsv("The tokens.", z.array(tokenView), LINK) },
      errors: ["chain_unavailable"],
    },
    ({ context, caller, params: { collection_uuid: uuid }, query: { owner, ...part } }, c) => {
      const format = prefers(CSV, c.req.header("Accept")) ? TABLE : JSON_LIST;
      const read = (cursor: string | null, limit: number) =>
        owner === undefined
          ? tokensOf(context, caller, uuid, { cursor, limit })
          : tokensOfOwner(context, caller, uuid, { owner, cursor, limit });
      return listResponse<Token>(c, part, read, format);
    },
  ),
];
