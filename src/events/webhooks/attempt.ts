import { ATTEMPT_MS, type AttemptOutcome, retryAfterOf } from "../../domain/webhooks.ts";

/** What is signed: the event's uuid, the time of the attempt in seconds, and the body. */
export interface Message {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The headers of a delivery, by Standard Webhooks: one signature for each secret that is in force. */
export const signedHeaders = async (
  message: Message,
  secrets: readonly Uint8Array[],
): Promise<Record<string, string>> => {
  const text = new TextEncoder().encode(`${message.id}.${message.timestamp}.${message.body}`) as Bytes;
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, text)));
  return {
    "Content-Type": "application/json",
    "User-Agent": "Mintage",
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": signatures.map((one) => `v1,${one}`).join(" "),
  };
};

const signature = async (secret: Uint8Array, text: Bytes): Promise<string> => {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret as Bytes, algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, text)).toString("base64");
};

/** Bytes of an answer that are kept. */
const EXCERPT_BYTES = 256;

/** What came of an attempt. */
export interface Attempt extends AttemptOutcome {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  /** The first 256 bytes of the answer, or why there is none. */
  readonly excerpt: string;
}

/** Where an attempt goes. */
export interface Target {
  readonly url: string;
  /** Why nothing may be sent there; null: it may. */
  readonly fault: string | null;
  readonly secrets: readonly Uint8Array[];
}

/** Sends an event once. Never rejects: what goes wrong is what came of it. */
export const attempt = async (
  { url, fault, secrets }: Target,
  message: Omit<Message, "timestamp">,
): Promise<Attempt> => {
  const at = Date.now();
  const done = (outcome: AttemptOutcome, excerpt: string): Attempt => ({
    ...outcome,
    at,
    ms: Date.now() - at,
    excerpt,
  });
  const nothing = { status: null, retryAfterS: null };
  if (fault !== null) return done(nothing, fault);
  const signal = AbortSignal.timeout(ATTEMPT_MS);
  try {
    const headers = await signedHeaders({ ...message, timestamp: Math.floor(at / 1_000) }, secrets);
    const init = { method: "POST", headers, body: message.body, redirect: "manual", signal } as const;
    const response = await fetch(url, init);
    const retryAfterS = retryAfterOf(response.headers.get("Retry-After"), at);
    return done({ status: response.status, retryAfterS }, await excerptOf(response));
  } catch {
    return done(
      nothing,
      signal.aborted ? `No answer within ${ATTEMPT_MS / 1_000} seconds.` : "The connection failed.",
    );
  }
};

/** The beginning of an answer as text; the rest is not read. */
const excerptOf = async (response: Response): Promise<string> => {
  if (response.body === null) return "";
  const bytes = Buffer.alloc(EXCERPT_BYTES);
  let length = 0;
  for await (const chunk of response.body) {
    bytes.set(chunk.subarray(0, EXCERPT_BYTES - length), length);
    length = Math.min(length + chunk.length, EXCERPT_BYTES);
    if (length === EXCERPT_BYTES) break;
  }
  return bytes.toString("utf8", 0, length);
};
