import { parse } from "content-type";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { duration } from "../domain/counted.ts";
import { invalidField, ServiceError } from "../domain/errors.ts";
import { hasMoreValues, largestContainer, prototypeField } from "../domain/json-shape.ts";
import { JSON_TYPE } from "../domain/media-types.ts";
import { MAX_JSON_VALUES } from "../domain/quota.ts";
import { type MemoryShare, memoryShare } from "../files/isolate-memory.ts";
import { within } from "../waiting.ts";
import { countAddress } from "./address-limit.ts";
import type { AppEnv } from "./app-env.ts";
import { type BodyName, endedEarly, nextPiece } from "./body-pieces.ts";

/** Limits of a body: its bytes, and the longest time for all of it, however steadily it comes, milliseconds. */
interface BodyLimits {
  readonly most: number;
  readonly wholeMs: number;
}

const KEYED: BodyLimits = { most: 1_048_576, wholeMs: 120_000 };

/** Of a body that needs no key: a claim has 600 bytes. */
const PUBLIC: BodyLimits = { most: 4_096, wholeMs: 5_000 };
const BODY: BodyName = { code: "invalid_json", name: "body" };

/** What a body of unknown size is read into at first. It doubles. */
const FIRST_BYTES = 65_536;

const UTF_8 = /^utf-?8$/i;

const tooLarge = (most: number) =>
  new ServiceError("payload_too_large", `Send a body of at most ${most} bytes.`);

/** The operator's bodies are few and don't wait for memory. */
const UNSHARED: Pick<MemoryShare, "moved" | "ended"> = { moved: () => undefined, ended: () => undefined };

/** Reads a body as long as its client is there, and for its time at most. @param signal aborts when it disconnects */
const readInTime = async (
  stream: ReadableStream<Uint8Array>,
  { most, wholeMs }: BodyLimits,
  { declared, signal, moved }: { declared: number; signal: AbortSignal; moved: () => void },
): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = stream.getReader();
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const leave = () => reject(endedEarly(BODY, signal.reason));
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    const reading = readAll(reader, Math.min(declared, FIRST_BYTES), most, moved);
    const body = await within(wholeMs, Promise.race([reading, gone]));
    if (body !== null) return body;
    throw new ServiceError(
      "invalid_json",
      `The body took longer than ${duration(wholeMs / 1_000)}. Send the whole body again, faster.`,
    );
  } catch (error) {
    // Cancelling a stream that has failed already fails with the same error.
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
};

/** Copies each piece, so that a body sent byte by byte takes no more memory than its bytes. */
const readAll = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  expected: number,
  most: number,
  moved: () => void,
): Promise<Uint8Array<ArrayBuffer>> => {
  let memory = new Uint8Array(expected);
  let size = 0;
  for (;;) {
    const { value, done } = await nextPiece(reader.read(), BODY);
    if (done) return memory.slice(0, size);
    moved();
    if (size + value.length > most) throw tooLarge(most);
    if (size + value.length > memory.length) {
      const larger = new Uint8Array(Math.max(size + value.length, 2 * memory.length));
      larger.set(memory.subarray(0, size));
      memory = larger;
    }
    memory.set(value, size);
    size += value.length;
  }
};

/** JSON types with a meaning of their own (RFC 6839), which no address accepts. */
const OTHER_JSON = /^application\/.*\+json$/;

/**
 * Reads a request body once, up to its limit; validators and the idempotency fingerprint take it from hono's cache. As
 * long as its client takes to send it, it has a share of the isolate's memory, which others may hold: then it waits,
 * unread. A request without a key counts against its address before.
 * @throws ServiceError payload_too_large, invalid_json (not UTF-8, incomplete, too slow), unsupported_content_type
 * (`…+json`, compressed), invalid_request (too many values, a field named `__proto__`), rate_limited (no memory for it)
 */
export const readBody = async (c: Context<AppEnv>): Promise<void> => {
  const stream = c.req.raw.body;
  if (stream !== null && isEncoded(c)) {
    throw new ServiceError("unsupported_content_type", "Send the body as it is, without a Content-Encoding.");
  }
  if (stream === null || c.get("endpoint")?.isStreamed) return;
  const { type, parameters } = parse(c.req.header("Content-Type") ?? "");
  if (!UTF_8.test(parameters.charset ?? "utf-8")) {
    throw new ServiceError("unsupported_content_type", "Send the body in UTF-8, as its charset says.");
  }
  if (OTHER_JSON.test(type)) {
    throw new ServiceError("unsupported_content_type", "Send the body as Content-Type: application/json.");
  }
  const context = c.get("context");
  const isOperator = c.get("isOperator") ?? false;
  const integration = c.get("caller")?.integrationId;
  const limits = isOperator || integration !== undefined ? KEYED : PUBLIC;
  const length = c.req.header("Content-Length") ?? "";
  const declared = /^\d+$/.test(length) ? Number(length) : limits.most;
  if (declared > limits.most) throw tooLarge(limits.most);
  if (limits === PUBLIC) await countAddress(c, "page");
  const wanted = { bytes: declared, owner: integration ?? "public", what: "bodies" };
  const share = isOperator ? UNSHARED : await memoryShare(context, wanted);
  const how = { declared, signal: c.req.raw.signal, moved: share.moved };
  const reading = readInTime(stream, limits, how).finally(share.ended);
  // The platform ends a request whose client has disconnected, unless work is pending; this returns the share.
  context.waitUntil(reading.catch(() => undefined));
  const bytes = await reading;
  const cache: Record<string, unknown> = c.req.bodyCache;
  const text = decode(bytes);
  if (type === JSON_TYPE) {
    refuseByShape(text);
    if (c.req.header("Content-Type") !== JSON_TYPE) c.req.raw = withType(c.req.raw, text);
  }
  cache.arrayBuffer = Promise.resolve(bytes.buffer);
  cache.text = Promise.resolve(text);
};

/** Whether a body is compressed (RFC 9110, section 8.4): nothing before or in the Worker undoes it. */
const isEncoded = (c: Context<AppEnv>): boolean =>
  !/^(identity)?$/i.test(c.req.header("Content-Encoding") ?? "");

/** Whether a request has no field in its body: an empty one, `{}` or `null`, as some clients always send, is as none. */
const isEmpty = async (c: Context<AppEnv>): Promise<boolean> =>
  c.req.raw.body === null || /^\s*(?:(?:\{\s*\}|null)\s*)?$/.test(await c.req.text());

/** For endpoints with an optional body: an empty one becomes `{}`, whatever its type, before a validator requires JSON. */
export const emptyBody = createMiddleware<AppEnv>(async (c, next) => {
  if (await isEmpty(c)) {
    const cache: Record<string, unknown> = c.req.bodyCache;
    cache.text = Promise.resolve("{}");
    c.req.raw = withType(c.req.raw, "{}");
  }
  await next();
});

/** For the addresses that take no body. @throws ServiceError invalid_request, so that no field is silently ignored */
export const refuseBody = async (c: Context<AppEnv>): Promise<void> => {
  if (await isEmpty(c)) return;
  throw new ServiceError("invalid_request", "Send no body: this address doesn't take one.", {
    issues: [{ path: [], message: "Send no body." }],
  });
};

/** For endpoints whose fields may all be absent; the object may not. @throws ServiceError invalid_request */
export const requireBody = async (c: Context<AppEnv>): Promise<void> => {
  if (c.req.raw.body !== null && (await c.req.text()).trim() !== "") return;
  throw new ServiceError("invalid_request", "Send a JSON object as the body; {} changes nothing.", {
    issues: [{ path: [], message: "Send a JSON object." }],
  });
};

/** @throws ServiceError invalid_request, invalid_json */
const refuseByShape = (text: string): void => {
  if (hasMoreValues(text, MAX_JSON_VALUES)) {
    const { path, entries } = largestContainer(parsed(text));
    const most = `a whole body has at most ${MAX_JSON_VALUES}`;
    if (entries <= MAX_JSON_VALUES)
      throw invalidField([], `Send fewer fields and entries: ${most}, however deep.`);
    throw invalidField(path, `Send fewer entries: there are ${entries}, and ${most}.`);
  }
  // Names may be written with escapes.
  const path = /__proto__|\\u/.test(text) ? prototypeField(parsed(text)) : null;
  if (path !== null) throw invalidField(path, "Remove this field: its name is not allowed.");
};

/** The request with its type spelled as the validators know it: RFC 9110 allows spaces and parameters that they don't. */
const withType = ({ url, method, headers: given, signal }: Request, body: string): Request => {
  const headers = new Headers(given);
  headers.set("Content-Type", JSON_TYPE);
  return new Request(url, { method, headers, body, signal });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError("invalid_json", "Send a body that is valid JSON.");
  }
};

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ServiceError("invalid_json", "Send the body in UTF-8.");
  }
};
