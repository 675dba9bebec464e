import { z } from "@hono/zod-openapi";
import { MEDIA_NAMES } from "../../domain/media-sniffing.ts";
import { MAX_COPIES, MAX_SUBTITLE_LENGTH, MAX_UPLOAD_BYTES } from "../../domain/quota.ts";
import { type MemoryShare, memoryShare } from "../../files/isolate-memory.ts";
import { attachAssets, jsonArray } from "../../files/uploads/attach-assets.ts";
import { FORM_MEMORY } from "../../files/uploads/receive-form.ts";
import { typedResponse } from "../../http/app-env.ts";
import { streamOf } from "../../http/generated-stream.ts";
import { tooLarge } from "../../http/multipart/byte-window.ts";
import { boundaryOf, readForm } from "../../http/multipart/multipart.ts";
import { endpoint, json } from "../endpoint.ts";
import { type Asset, assetView } from "../resources/collection.ts";
import { LINE_PATTERN } from "../schemas/fields.ts";
import { draftParam } from "../schemas/parameters.ts";

/** The form of asset-bulk for the OpenAPI document; the handler reads the body itself, as it streams in. */
const assetForm = {
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
    asset_placeholder: {
      type: "string",
      format: "binary",
      description:
        "At most one media file of at most 1 MB: what NFTs show until a reveal. It may come alone, and replaces an earlier one.",
    },
    assets_detail: {
      type: "string",
      contentMediaType: "application/json",
      example:
        '[{"asset_filename":"heron.png","copies":10,"asset_subtitle":"No. $TOKEN_NUM of $TOTAL_NUM"},{"asset_filename":"egret.png","copies":1}]',
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

/** How long a client may read nothing of a response. Milliseconds. */
const ANSWER_MS = 30_000;

/** The response. The data of a long one stays in memory until the client has read it. */
async function textOf(
  assets: Iterable<Asset>,
  memory: MemoryShare,
): Promise<string | ReadableStream<Uint8Array>> {
  const pieces = jsonArray(assets);
  const [first, second] = [await pieces.next(), await pieces.next()];
  if (first.value === undefined || second.value === undefined) {
    memory.ended();
    return new TextDecoder().decode(first.value ?? undefined);
  }
  return streamOf(following([first.value, second.value], pieces), { patienceMs: ANSWER_MS, ...memory });
}

async function* following<T>(first: readonly T[], rest: AsyncGenerator<T, void, void>) {
  yield* first;
  yield* rest;
}

export const assetsAttach = endpoint(
  {
    method: "post",
    path: "/collection-draft/{collection_draft_uuid}/asset-bulk",
    operationId: "attachAssets",
    scope: "drafts",
    tag: "Collection drafts",
    summary: "Attach assets to a draft",
    description:
      "One form contains the files and says how they are used: at most 100 MB (104,857,600 bytes), 20,000 files and 20,000 asset details, with parts in any order. Either all of it is attached, or nothing is stored and `issues` names the first 100 problems. Send larger collections in several forms.",
    request: { params: draftParam },
    rawBody: { contentType: "multipart/form-data", schema: assetForm },
    success: { 201: json("The assets, in the order of assets_detail.", z.array(assetView)) },
    errors: [
      "invalid_multipart",
      "invalid_assets",
      "file_too_large",
      "unsupported_media",
      "payload_too_large",
      "draft_locked",
      "conflict",
    ],
  },
  async ({ context, caller, params }, c) => {
    const boundary = boundaryOf(c.req.header("Content-Type"));
    if (Number(c.req.header("Content-Length")) > MAX_UPLOAD_BYTES) throw tooLarge(MAX_UPLOAD_BYTES);
    const body = c.req.raw.body ?? new Blob([]).stream();
    const wanted = { bytes: FORM_MEMORY, owner: caller.integrationId, what: "forms with files" };
    const memory = await memoryShare(context, wanted);
    try {
      const parts = readForm(body, boundary, MAX_UPLOAD_BYTES, memory.moved);
      const assets = await attachAssets(context, caller, params.collection_draft_uuid, parts);
      const text = await textOf(assets, memory);
      return typedResponse<readonly Asset[], 201>(c.body(text, 201, { "Content-Type": "application/json" }));
    } catch (error) {
      memory.ended();
      throw error;
    }
  },
);
