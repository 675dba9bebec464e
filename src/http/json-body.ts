import { parse } from "content-type";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ServiceError } from "../domain/errors.ts";
import { fieldName } from "../domain/issues.ts";
import { hasMoreValues, type JsonPath, largestContainer, prototypeField } from "../domain/json-shape.ts";
import { JSON_TYPE } from "../domain/media-types.ts";
import { addressOf, countPublic } from "./address-limit.ts";
import type { AppEnv } from "./app-env.ts";
import { MAX_JSON_BYTES, MAX_PUBLIC_BYTES, OPERATOR, readBody, tooLarge } from "./whole-body.ts";

/**
 * Most fields and list entries of a JSON body, all levels together. The largest valid body has four lists of 1,000
 * accounts.
 */
const MAX_JSON_VALUES = 5_000;

/** JSON types with a meaning of their own (RFC 6839), which no address accepts. */
const OTHER_JSON = /^application\/.*\+json$/;

/** Whether the handler reads the body itself, as it streams in. */
export const isStreamed = (c: Context<AppEnv>): boolean => /\/asset-bulk$/.test(c.req.path);

/**
 * Reads a body once, up to its limit, before anything else looks at it: validators and the idempotency fingerprint
 * find it in hono's cache. One that needs no key counts against its address before it is read. A body that declares more is refused unread; one with too many values is refused before a
 * validator checks each.
 * @throws ServiceError payload_too_large, invalid_json (not UTF-8, incomplete), unsupported_content_type (`…+json`,
 * compressed), invalid_request (too many values, a field named `__proto__`), rate_limited (no memory for it)
 */
export const boundedBody = createMiddleware<AppEnv>(async (c, next) => {
  const stream = c.req.raw.body;
  if (stream !== null && isEncoded(c)) {
    throw new ServiceError("unsupported_content_type", "Send the body as it is, without a Content-Encoding.");
  }
  if (stream === null || isStreamed(c)) return next();
  const { type } = parse(c.req.header("Content-Type") ?? "", { parameters: false });
  if (OTHER_JSON.test(type)) {
    throw new ServiceError("unsupported_content_type", "Send the body as Content-Type: application/json.");
  }
  const integration = c.get("caller")?.integrationId;
  const isPublic = !c.get("isOperator") && integration === undefined;
  const most = isPublic ? MAX_PUBLIC_BYTES : MAX_JSON_BYTES;
  const length = c.req.header("Content-Length") ?? "";
  const declared = /^\d+$/.test(length) ? Number(length) : most;
  if (declared > most) throw tooLarge(most);
  if (isPublic) await countPublic(c, "page");
  const owner = c.get("isOperator") ? OPERATOR : (integration ?? addressOf(c));
  const { signal } = c.req.raw;
  const bytes = await readBody(c.get("context"), stream, { owner, isPublic, declared, signal });
  const cache: Record<string, unknown> = c.req.bodyCache;
  const text = decode(bytes);
  if (type === JSON_TYPE) {
    refuseByShape(text);
    if (c.req.header("Content-Type") !== JSON_TYPE) c.req.raw = withType(c.req.raw, text);
  }
  cache.arrayBuffer = Promise.resolve(bytes.buffer);
  cache.text = Promise.resolve(text);
  await next();
});

/** Whether a body is compressed (RFC 9110, section 8.4): nothing before or in the Worker undoes it. */
const isEncoded = (c: Context<AppEnv>): boolean =>
  !/^(identity)?$/i.test(c.req.header("Content-Encoding") ?? "");

/**
 * For the addresses that take no body: an empty one or `{}`, as some clients always send, is the same as none.
 * @throws ServiceError invalid_request for anything else, so that a field that would be ignored does not pass silently
 */
export const refuseBody = async (c: Context<AppEnv>): Promise<void> => {
  if (c.req.raw.body === null) return;
  const text = (await c.req.text()).trim();
  if (text !== "" && !/^\{\s*\}$/.test(text)) {
    throw new ServiceError("invalid_request", "Send no body: this address doesn't take one.", {
      issues: [{ path: [], message: "Send no body." }],
    });
  }
};

/**
 * For the addresses whose fields may all be absent: the object itself may not.
 * @throws ServiceError invalid_request if there is no body
 */
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
      throw misshapen([], `Send fewer fields and entries: ${most}, however deep.`);
    throw misshapen(path, `Send fewer entries: there are ${entries}, and ${most}.`);
  }
  // Names may be written with escapes.
  const path = /__proto__|\\u/.test(text) ? prototypeField(parsed(text)) : null;
  if (path !== null) throw misshapen(path, "Remove this field: its name is not allowed.");
};

const misshapen = (path: JsonPath, message: string): ServiceError =>
  new ServiceError("invalid_request", `Correct ${fieldName(path) || "the body"}: ${message}`, {
    issues: [{ path, message }],
  });

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
