import { z } from "@hono/zod-openapi";
import { locksView } from "./collection.ts";
import { transactionView } from "./operation.ts";
import { ACCOUNT, CONTRACT, FILE_CID, FILE_HASH, FILE_URL, type Shown, TOKEN_ID } from "./samples.ts";

const text = z.string().nullable();

/** A token as the API shows it: NEP-171 and NEP-177, and where it belongs. */
export const tokenView = z
  .object({
    token_id: z.string().openapi({ example: TOKEN_ID }),
    owner_id: z.string().openapi({ example: ACCOUNT }),
    metadata: z
      .object({
        title: text.openapi({ example: "Night Herons No. 42 of 120" }),
        description: text.openapi({ example: "Twelve herons, painted after dark." }),
        media: text.openapi({ description: "CID, relative to the contract's base_uri.", example: FILE_CID }),
        media_hash: text.openapi({
          description: "base64 of the SHA-256 of the media file.",
          example: FILE_HASH,
        }),
        copies: z.int().nullable().openapi({ example: 120 }),
        issued_at: text,
        expires_at: text,
        starts_at: text,
        updated_at: text,
        extra: text,
        reference: text,
        reference_hash: text,
      })
      .partial()
      .openapi("TokenMetadataView"),
    approved_account_ids: z.record(z.string(), z.int()).nullish().openapi({ example: {} }),
    locks: locksView(
      "What holders were promised for good: the collection's locks, and metadata where the token's own are locked.",
    ),
    collection_uuid: z.uuid(),
    collection_id: z.int().openapi({ example: 7 }),
    contract_address: z.string().openapi({ example: CONTRACT }),
    media_url: text.openapi({ example: FILE_URL }),
    reference_url: text,
  })
  .openapi("Token");

/** A token, as callers see it. */
export type Token = Shown<typeof tokenView>;

/** The response to a mint. */
export const mintedView = z
  .object({
    message: z.literal("success"),
    tokens: z.array(tokenView),
    tx_results: z
      .array(transactionView)
      .openapi({ description: "Mints of a collection that wait at the same time may share a transaction." }),
  })
  .openapi("MintAnswer");

export type MintAnswer = Shown<typeof mintedView>;

/** The response to an update of a token. */
export const updatedView = z
  .object({ message: z.literal("success"), token: tokenView, tx_results: z.array(transactionView) })
  .openapi("NftUpdateAnswer");

export type NftUpdateAnswer = Shown<typeof updatedView>;
