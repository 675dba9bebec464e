// api/drafts/: collections before they are on the chain, and their assets.

import { z } from "@hono/zod-openapi";
import { MAX_UPLOAD_BYTES } from "../../domain/limits.ts";
import { answered } from "../../http/answered.ts";
import { streamOf } from "../../http/generated-stream.ts";
import { tooLarge } from "../../http/multipart/byte-window.ts";
import { readForm } from "../../http/multipart/multipart.ts";
import { boundaryOf } from "../../http/multipart/multipart-headers.ts";
import type { MemoryShare } from "../../isolate-memory.ts";
import type { Asset } from "../../resources/asset.ts";
import { assetView } from "../../resources/asset.ts";
import { attachAssets } from "../../uploads/attach-assets.ts";
import { formMemory } from "../../uploads/form-memory.ts";
import { jsonArray } from "../../uploads/json-array.ts";
import { endpoint, json } from "../endpoint.ts";
import { draftParam } from "../schemas/parameters.ts";
import { assetForm } from "./asset-schemas.ts";

/** How long a client may take nothing of an answer. Milliseconds. */
const ANSWER_MS = 30_000;

/** The answer. What a long one is made of stays in memory until the client has taken it. */
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

export const assetBulk = endpoint(
  {
    method: "post",
    path: "/collection-draft/{collection_draft_uuid}/asset-bulk",
    operationId: "attachAssets",
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
  async (c, { params }) => {
    const boundary = boundaryOf(c.req.header("Content-Type"));
    if (Number(c.req.header("Content-Length")) > MAX_UPLOAD_BYTES) throw tooLarge(MAX_UPLOAD_BYTES);
    const body = c.req.raw.body ?? new Blob([]).stream();
    const memory = await formMemory(c.get("context"), c.get("caller").integrationId);
    try {
      const parts = readForm(body, boundary, MAX_UPLOAD_BYTES, memory.moved);
      const assets = await attachAssets(
        c.get("context"),
        c.get("caller"),
        params.collection_draft_uuid,
        parts,
      );
      const text = await textOf(assets, memory);
      return answered<readonly Asset[], 201>(c.body(text, 201, { "Content-Type": "application/json" }));
    } catch (error) {
      memory.ended();
      throw error;
    }
  },
);
