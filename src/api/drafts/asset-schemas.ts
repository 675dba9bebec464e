import { z } from "@hono/zod-openapi";
import { MAX_COPIES, MAX_SUBTITLE_LENGTH } from "../../domain/limits.ts";
import { MEDIA_NAMES } from "../../domain/media-sniffing.ts";
import { LINE_PATTERN, uuidField } from "../schemas/fields.ts";

/** Parameters of an asset's path. */
export const assetParam = z.object({ collection_draft_uuid: uuidField, asset_uuid: uuidField });

/** The form of asset-bulk for the OpenAPI document; the handler reads the body itself, as it streams in. */
export const assetForm = {
  type: "object",
  required: ["asset_file", "assets_detail"],
  additionalProperties: false,
  properties: {
    asset_file: {
      type: "array",
      items: { type: "string", format: "binary" },
      description: `A media file of at most 1 MB (1,048,576 bytes); one part for each. Its bytes decide its type: ${MEDIA_NAMES}.`,
    },
    reference_file: {
      type: "array",
      items: { type: "string", format: "binary" },
      description: "A metadata file: a JSON object of at most 1 MB; one part for each.",
    },
    assets_detail: {
      type: "string",
      contentMediaType: "application/json",
      description:
        "Exactly one part of at most 8 MB: a JSON array that says for each media file how it is used.",
      contentSchema: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          required: ["asset_filename", "copies"],
          additionalProperties: false,
          properties: {
            asset_filename: { type: "string", description: "File name of an asset_file part of this form." },
            copies: {
              type: "integer",
              minimum: 1,
              maximum: MAX_COPIES,
              description: "How many NFTs use this asset.",
            },
            reference_filename: {
              type: "string",
              description: "File name of a reference_file part of this form.",
            },
            asset_subtitle: {
              type: "string",
              maxLength: MAX_SUBTITLE_LENGTH,
              pattern: LINE_PATTERN,
              description: "Follows the collection's title. The contract fills in $TOKEN_NUM and $TOTAL_NUM.",
            },
          },
        },
      },
    },
  },
} as const;
