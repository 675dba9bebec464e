import { z } from "@hono/zod-openapi";
import type { Caller, ServiceContext } from "../../context.ts";
import { mediaType } from "../../domain/media-sniffing.ts";
import { MAX_FILE_BYTES } from "../../domain/quota.ts";
import { memoryShare } from "../../files/isolate-memory.ts";
import {
  DownloadFailure,
  download,
  downloadDeadline,
  unusableUrl,
} from "../../files/uploads/media-download.ts";

/** Files of one call: all are in memory at one time. */
const MOST_FILES = 8;

const asset = z.strictObject({
  url: z.string().describe("https, or data: of a small file such as an SVG. The bytes decide the type."),
  copies: z.int().describe("How many NFTs use it."),
  filename: z.string().optional().describe("Default: from the URL."),
  subtitle: z.string().optional().describe("Follows the collection's title."),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("A JSON object such as { attributes: [...] }."),
});

export const uploadFields = { assets: z.array(asset).min(1).max(MOST_FILES) };

type Asset = z.output<typeof asset>;

const DATA_URL = /^data:([^,]*),/i;

/** What a data: URL contains (RFC 2397). */
const decoded = (url: string, type: string): Buffer<ArrayBuffer> => {
  try {
    const data = decodeURIComponent(url.slice(url.indexOf(",") + 1));
    return Buffer.from(data, /;base64$/i.test(type) ? "base64" : "utf8");
  } catch (cause) {
    throw new DownloadFailure("Its percent-encoding is broken.", cause);
  }
};

const partsAt = async (url: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> => {
  const type = DATA_URL.exec(url)?.[1];
  if (type !== undefined) return [decoded(url, type)];
  const file = await download(url, MAX_FILE_BYTES, signal);
  try {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of file.chunks(() => undefined)) chunks.push(chunk as Uint8Array<ArrayBuffer>);
    return chunks;
  } finally {
    await file.close();
  }
};

/** Extensions that aren't the subtype of the media type. */
const EXTENSIONS: Readonly<Record<string, string>> = { "svg+xml": "svg", mpeg: "mp3", "gltf-binary": "glb" };

/** A file's name: by default one that no other of the form has, with an extension of its type if its URL has none. */
const nameOf = (
  { url, filename }: Asset,
  parts: readonly Uint8Array<ArrayBuffer>[],
  index: number,
): string => {
  if (filename !== undefined) return filename;
  const last = DATA_URL.test(url) ? undefined : URL.parse(url)?.pathname.split("/").at(-1);
  const name = `${index + 1}-${(last || "picture").slice(-100)}`;
  const subtype = name.includes(".") ? undefined : mediaType(Buffer.concat(parts))?.split("/")[1];
  return subtype === undefined ? name : `${name}.${EXTENSIONS[subtype] ?? subtype}`;
};

/**
 * Fetches the files of assets and sends them as the form of asset-bulk, which checks all else.
 * @throws ServiceError asset_url_failed, which names the asset; rate_limited if there is no memory
 */
export const sendForm = async <Result>(
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  assets: readonly Asset[],
  send: (form: FormData) => Promise<Result>,
): Promise<Result> => {
  // What a data: URL contains is no longer than itself.
  const sizes = assets.map(({ url }) => (DATA_URL.test(url) ? url.length : MAX_FILE_BYTES));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const wanted = { bytes, owner: integrationId, what: "files at URLs" };
  const memory = await memoryShare(context, wanted);
  try {
    const form = new FormData();
    const details = [];
    const signal = downloadDeadline();
    for (const [index, each] of assets.entries()) {
      const parts = await partsAt(each.url, signal).catch(failureOf(index));
      const name = nameOf(each, parts, index);
      form.append("asset_file", new Blob(parts), name);
      memory.moved();
      const reference = each.metadata && `${name}.json`;
      if (reference) form.append("reference_file", new Blob([JSON.stringify(each.metadata)]), reference);
      details.push({
        ...{ asset_filename: name, copies: each.copies, asset_subtitle: each.subtitle },
        reference_filename: reference,
      });
    }
    form.append("assets_detail", JSON.stringify(details));
    return await send(form);
  } finally {
    memory.ended();
  }
};

const failureOf = (index: number) => (error: unknown) => {
  throw unusableUrl(error, "The asset", ["assets", index, "url"]);
};
