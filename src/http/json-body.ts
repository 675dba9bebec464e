import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";

/** Most bytes of a JSON body. */
export const MAX_JSON_BYTES = 1_048_576;

/** Types that are JSON with a meaning of their own (RFC 6839), which nothing here takes. */
const OTHER_JSON = /^\s*application\/[^;]*\+json/i;

/** Paths whose handlers read the body themselves, as it streams in. */
const STREAMED = /\/asset-bulk$/;

/**
 * Reads a body once, up to its limit, before anything else looks at it: validators and the idempotency fingerprint
 * find it in hono's cache. What claims to be larger is refused unread.
 * @throws ServiceError payload_too_large, invalid_json (not UTF-8), unsupported_content_type (`…+json`)
 */
export const boundedBody = createMiddleware<AppEnv>(async (c, next) => {
  const stream = c.req.raw.body;
  if (stream === null || STREAMED.test(c.req.path)) return next();
  if (OTHER_JSON.test(c.req.header("Content-Type") ?? "")) {
    throw new ServiceError("unsupported_content_type", "Send the body as Content-Type: application/json.");
  }
  const declared = Number(c.req.header("Content-Length") ?? 0);
  if (declared > MAX_JSON_BYTES) throw tooLarge();
  const bytes = await readAll(stream);
  const cache: Record<string, unknown> = c.req.bodyCache;
  cache.arrayBuffer = Promise.resolve(bytes.buffer);
  cache.text = Promise.resolve(decode(bytes));
  await next();
});

/**
 * For the addresses that take no body: an empty one or `{}`, as some clients always send, is the same as none.
 * @throws ServiceError invalid_request for anything else, so that a field that would be ignored does not pass silently
 */
export const refuseBody = async (c: Context<AppEnv>): Promise<void> => {
  if (c.req.raw.body === null) return;
  const text = (await c.req.text()).trim();
  if (text !== "" && !/^\{\s*\}$/.test(text)) {
    throw new ServiceError("invalid_request", "Send no body: this address takes none.", {
      issues: [{ path: [], message: "Leave the body out." }],
    });
  }
};

const tooLarge = () =>
  new ServiceError("payload_too_large", `Send a body of at most ${MAX_JSON_BYTES} bytes.`);

const readAll = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MAX_JSON_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
};

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ServiceError("invalid_json", "Send the body in UTF-8.");
  }
};
