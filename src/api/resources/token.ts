import { z } from "@hono/zod-openapi";
import { ERROR_CODES } from "../../domain/errors.ts";
import { locksView } from "./collection.ts";
import { transactionView } from "./operation.ts";
import {
  ACCOUNT,
  account,
  CONTRACT,
  cid,
  cidUrl,
  FILE_CID,
  FILE_HASH,
  FILE_URL,
  type Shown,
  TOKEN_ID,
} from "./samples.ts";

const nullable = z.string().nullable();

export const tokenView = z
  .object({
    token_id: z.string().openapi({ example: TOKEN_ID }),
    owner_id: account(ACCOUNT),
    metadata: z
      .object({
        title: nullable.openapi({ example: "Night Herons No. 42 of 120" }),
        description: nullable.openapi({ example: "Twelve herons, painted after dark." }),
        media: cid(FILE_CID, "CID, relative to the contract's base_uri.").nullable(),
        media_hash: nullable.openapi({
          description: "base64 of the SHA-256 of the media file.",
          example: FILE_HASH,
        }),
        copies: z.int().nullable().openapi({ example: 120 }),
        issued_at: nullable,
        expires_at: nullable,
        starts_at: nullable,
        updated_at: nullable,
        extra: nullable,
        reference: nullable,
        reference_hash: nullable,
      })
      .partial()
      .openapi("TokenMetadataView"),
    approved_account_ids: z.record(account(), z.int()).nullish().openapi({ example: {} }),
    locks: locksView(
      "What holders were promised for good: the collection's locks, and metadata where the token's own are locked.",
    ),
    collection_uuid: z.uuid(),
    collection_id: z.int().openapi({ example: 7 }),
    contract_address: account(CONTRACT),
    media_url: cidUrl(FILE_URL).nullable(),
    reference_url: cidUrl().nullable(),
  })
  .openapi("Token");
export type Token = Shown<typeof tokenView>;

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

export const updatedView = z
  .object({ message: z.literal("success"), token: tokenView, tx_results: z.array(transactionView) })
  .openapi("NftUpdateAnswer");
export type NftUpdateAnswer = Shown<typeof updatedView>;

export const transferredView = z
  .object({
    message: z.literal("success"),
    tokens: z.array(tokenView).openapi({
      description: "The tokens after the transfer; without those that their new owner has burnt since.",
    }),
    tx_results: z.array(transactionView),
  })
  .openapi("TransferAnswer");
export type TransferAnswer = Shown<typeof transferredView>;

export const burntView = z
  .object({
    message: z.literal("success"),
    tokens: z.array(
      z
        .object({
          token_id: z.string().openapi({ example: TOKEN_ID }),
          owner_id: account(ACCOUNT, "Who burnt it."),
          collection_uuid: z.uuid(),
          collection_id: z.int().openapi({ example: 7 }),
          contract_address: account(CONTRACT),
        })
        .openapi("BurntToken"),
    ),
    tx_results: z.array(transactionView),
  })
  .openapi("BurnAnswer");
export type BurnAnswer = Shown<typeof burntView>;

const updateResultView = z
  .object({
    token_id: z.string().openapi({ example: TOKEN_ID }),
    status: z.enum(["updated", "failed"]).openapi({ example: "updated" }),
    code: z.enum(ERROR_CODES).nullable().openapi({ description: "Why it failed.", example: null }),
    message: nullable,
  })
  .openapi("NftUpdateResult");
export type NftUpdateResult = Shown<typeof updateResultView>;

export const updatedBulkView = z
  .object({
    message: z.literal("success"),
    updated: z.int().openapi({ example: 2 }),
    failed: z.int().openapi({ example: 0 }),
    results: z.array(updateResultView),
    tx_results: z.array(transactionView),
  })
  .openapi("NftUpdateBulkAnswer");
export type NftUpdateBulkAnswer = Shown<typeof updatedBulkView>;
