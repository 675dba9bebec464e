import type { Context } from "hono";
import { z } from "zod";
import { THUMBNAIL_WIDTHS } from "../../domain/thumbnails.ts";
import { namesEtag, namesType } from "../../http/acceptance.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { parametrisedList } from "../../http/header-parameters.ts";

export type Format = "content" | "raw";

export interface GatewayRequest {
  readonly format: Format;
  /** Whether only the Accept header named the format. */
  readonly negotiated: boolean;
  readonly filename: string | null;
  readonly download: boolean;
  /** `?img-width=`, width of a thumbnail in pixels; null: the stored picture. */
  readonly width: number | null;
  /** Whether the client names AVIF among what it takes, as browsers do that show it. */
  readonly avif: boolean;
}

const WIDTHS = THUMBNAIL_WIDTHS.map(String);

/** The query of the gateway specifications, and the width of a thumbnail. Other parameters are ignored. */
export const gatewayQuery = z.object({
  format: z
    .literal("raw", "This gateway has the format raw; without a format it sends the content itself.")
    .optional(),
  filename: z.string().optional(),
  download: z.string().optional(),
  "img-width": z.enum(WIDTHS, `Give one of the widths ${WIDTHS.join(", ")}, once.`).optional(),
});

/** Parses a request; the query's `format` takes precedence over the Accept header. */
export function readGatewayRequest(
  { format, filename, download, "img-width": width }: z.infer<typeof gatewayQuery>,
  accept: string | undefined,
): GatewayRequest {
  const accepted =
    format === undefined &&
    parametrisedList(accept ?? "").some(({ value }) => value.toLowerCase() === RAW_BLOCK);
  return {
    format: format ?? (accepted ? "raw" : "content"),
    negotiated: accepted,
    filename: filename ?? null,
    download: download === "true",
    width: width === undefined ? null : Number(width),
    avif: namesType("image/avif", accept),
  };
}

const RAW_BLOCK = "application/vnd.ipld.raw";

/** A part of a representation: RFC 9110, section 14. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Reads a Range header; null if the whole is to be sent: none, several (which may be ignored), or a malformed one. */
function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(/\s/g, "") ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < offset) return null;
  return offset >= size ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

export interface Content {
  readonly headers: Headers;
  /** Bytes. */
  readonly size: number;
  /** Its bytes, or a range of them; null if they were deleted. */
  open(range: ByteRange | null): Promise<ReadableStream<Uint8Array> | null>;
  /** Called if the bytes are not needed. */
  discard?(): Promise<void>;
}

/** Content never changes under its CID. 29,030,400 s is what the path gateway specification recommends. */
export const IMMUTABLE = "public, max-age=29030400, immutable";

/** How long a location caches content: deleted content disappears within a day. */
const KEPT = "public, max-age=86400";
/** Larger content is read separately for the cache, so that a slow client doesn't make it accumulate in memory. Bytes. */
const MOST_IN_MEMORY = 1_048_576;
/** Headers that the cache adds, or that belong to its copy alone. */
const OF_THE_COPY = ["Age", "CF-Cache-Status", "Date", "Expires", "Content-Length"];

/** Cache key of content; null under a file name chosen by the client, which isn't cached. */
export const cacheKey = (
  url: URL,
  { format, filename, download, width, avif }: GatewayRequest,
): string | null =>
  filename !== null || download
    ? null
    : `${url.origin}${url.pathname}?format=${format}${width === null ? "" : `&img-width=${width}${avif ? "&avif" : ""}`}`;

/** Content cached at this location; null if there is none. */
export async function findKept(key: string | null): Promise<Content | null> {
  if (key === null) return null;
  const whole = await caches.default.match(key);
  if (whole === undefined) return null;
  const discard = async () => whole.body?.cancel();
  const size = Number(whole.headers.get("Content-Length"));
  if (whole.status !== 200 || !(size > 0)) {
    await discard();
    return null;
  }
  const headers = new Headers(whole.headers);
  for (const name of OF_THE_COPY) headers.delete(name);
  headers.set("Cache-Control", IMMUTABLE);
  return {
    headers,
    size,
    discard,
    async open(range) {
      if (range === null) return whole.body;
      await discard();
      const part = await caches.default.match(new Request(key, { headers: { Range: rangeText(range) } }));
      if (part?.status === 206) return part.body;
      await part?.body?.cancel();
      return null;
    },
  };
}

const rangeText = ({ offset, length }: ByteRange): string => `bytes=${offset}-${offset + length - 1}`;

/**
 * Answers with content: the whole, a range (`206`, `416`, `If-Range`), or `304`; null if its bytes are gone. @param key
 * to keep the whole under; null: it is not kept, or is already
 */
export async function sendContent(
  c: Context<AppEnv>,
  content: Content,
  key: string | null,
): Promise<Response | null> {
  const headers = new Headers(content.headers);
  const etag = headers.get("ETag") ?? "";
  const answer = async (status: number, body: ReadableStream<Uint8Array> | null = null) => {
    if (body === null) await content.discard?.();
    return new Response(body, { status, headers });
  };
  if (namesEtag(c.req.header("If-None-Match"), etag)) return answer(304);
  const range = rangeOf(c, content);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${content.size}`);
    headers.set("Cache-Control", "no-store");
    return answer(416);
  }
  headers.set("Content-Length", String(range?.length ?? content.size));
  if (range) headers.set("Content-Range", `${rangeText(range).replace("=", " ")}/${content.size}`);
  const status = range ? 206 : 200;
  if (c.req.method === "HEAD") return answer(status);
  const body = await content.open(range);
  if (body === null) return null;
  if (range || key === null) return answer(status, body);
  return keepAndSend(c, content, body, key);
}

function rangeOf(c: Context<AppEnv>, { headers, size }: Content): ByteRange | "unsatisfiable" | null {
  if (headers.get("Accept-Ranges") !== "bytes") return null;
  const ifRange = c.req.header("If-Range");
  const wanted = ifRange === undefined || ifRange === headers.get("ETag") ? c.req.header("Range") : undefined;
  return parseRange(wanted, size);
}

async function keepAndSend(
  c: Context<AppEnv>,
  { headers, size, open }: Content,
  body: ReadableStream<Uint8Array>,
  key: string,
): Promise<Response> {
  const sized = new Headers(headers);
  sized.set("Content-Length", String(size));
  const copied = new Headers(sized);
  copied.set("Cache-Control", KEPT);
  const keep = async (copy: ArrayBuffer | ReadableStream<Uint8Array> | null) => {
    if (copy !== null) await caches.default.put(key, new Response(copy, { headers: copied }));
  };
  const kept = (work: Promise<void>) =>
    c.executionCtx.waitUntil(
      work.catch((error: unknown) => c.get("context").log("gateway.not_kept", { error })),
    );
  if (size > MOST_IN_MEMORY) {
    kept(open(null).then(keep));
    return new Response(body, { headers: sized });
  }
  const bytes = await new Response(body).arrayBuffer();
  kept(keep(bytes));
  return new Response(bytes, { headers: sized });
}
