import { Webhook } from "standardwebhooks";
import { ATTEMPT_MS, type AttemptOutcome, retryAfterOf } from "../../domain/webhooks.ts";

/** The signed message: the event's uuid, the time of the attempt in seconds, and the body. */
export interface Message {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a delivery, by Standard Webhooks: one signature for each valid secret. */
export const signedHeaders = (
  { id, timestamp, body }: Message,
  secrets: readonly Uint8Array[],
): Record<string, string> => {
  const time = new Date(timestamp * 1_000);
  const signatures = secrets.map((secret) => new Webhook(secret, { format: "raw" }).sign(id, time, body));
  return {
    "Content-Type": "application/json",
    "User-Agent": "Mintage",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
};

const EXCERPT_BYTES = 256;

export interface Attempt extends AttemptOutcome {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly ms: number;
  /** The first 256 bytes of the response, fewer if it breaks off, or why there is none. */
  readonly excerpt: string;
}

export interface Target {
  readonly url: string;
  /** Why its URL is not allowed; null: it is. */
  readonly fault: string | null;
  readonly secrets: readonly Uint8Array[];
}

/** Sends an event once. Never rejects: a failure is its result. */
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
    const headers = signedHeaders({ ...message, timestamp: Math.floor(at / 1_000) }, secrets);
    const init = { method: "POST", headers, body: message.body, redirect: "manual", signal } as const;
    const response = await fetch(url, init);
    const retryAfterS = retryAfterOf(response.headers.get("Retry-After"), at);
    return done({ status: response.status, retryAfterS }, await excerptOf(response));
  } catch {
    return done(
      nothing,
      signal.aborted ? `No response within ${ATTEMPT_MS / 1_000} seconds.` : "The connection failed.",
    );
  }
};

/** The start of a response as text; the rest is not read. Never rejects: the status alone decides. */
const excerptOf = async (response: Response): Promise<string> => {
  if (response.body === null) return "";
  const bytes = Buffer.alloc(EXCERPT_BYTES);
  let length = 0;
  try {
    for await (const chunk of response.body) {
      bytes.set(chunk.subarray(0, EXCERPT_BYTES - length), length);
      length = Math.min(length + chunk.length, EXCERPT_BYTES);
      if (length === EXCERPT_BYTES) break;
    }
  } catch {
    // It broke off, or stalled until its time was over.
  }
  return bytes.toString("utf8", 0, length);
};
