import { z } from "@hono/zod-openapi";

const text = z.string().nullable();

/** A token as the API shows it: NEP-171 and NEP-177, and where it belongs. */
export const tokenView = z
  .object({
    token_id: z.string(),
    owner_id: z.string(),
    metadata: z
      .object({
        title: text,
        description: text,
        media: text.openapi({ description: "CID, relative to the contract's base_uri." }),
        media_hash: text.openapi({ description: "base64 of the SHA-256 of the media file." }),
        copies: z.int().nullable(),
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
    approved_account_ids: z.record(z.string(), z.int()).nullish(),
    collection_uuid: z.uuid(),
    collection_id: z.int(),
    contract_address: z.string(),
    media_url: text,
    reference_url: text,
  })
  .openapi("Token");
