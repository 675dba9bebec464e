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
      description: `Media files, one part for each: by their bytes ${MEDIA_NAMES}, each of at most 1 MB (1,048,576 bytes).`,
    },
    reference_file: {
      type: "array",
      items: { type: "string", format: "binary" },
      description: "Metadata files, each a JSON object of at most 1 MB.",
    },
    assets_detail: {
      type: "string",
      contentMediaType: "application/json",
      description: "Exactly one part: a JSON array of asset details, at most 8 MB.",
      contentSchema: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          required: ["asset_filename", "copies"],
          additionalProperties: false,
          properties: {
            asset_filename: { type: "string", description: "File name of a part asset_file of this form." },
            copies: { type: "integer", minimum: 1, maximum: MAX_COPIES },
            reference_filename: { type: "string", description: "File name of a part reference_file." },
            asset_subtitle: {
              type: "string",
              maxLength: MAX_SUBTITLE_LENGTH,
              pattern: LINE_PATTERN,
              description:
                "Joins the collection's title; $TOKEN_NUM and $TOTAL_NUM are filled in when it is viewed.",
            },
          },
        },
      },
    },
  },
} as const;
