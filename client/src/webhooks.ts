import type { Event } from "./schema.ts";

/** Headers of a request, as a platform gives them: `Headers`, or Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request that isn't a webhook of this service, or not one of now. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** How far its time may lie from now, seconds, against requests that somebody has kept and sends again. */
const TOLERANCE_S = 300;

/**
 * The event of a webhook, once its signature is verified (Standard Webhooks). It needs WebCrypto alone: Node 20,
 * browsers, Workers, Deno, Bun.
 * @param body the bytes as they came, or their text: JSON that was parsed and written again is another text
 * @param secret `whsec_…`
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<Event> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string") throw new WebhookVerificationError(`The header ${name} is missing.`);
    return value;
  };
  const id = read("webhook-id");
  const timestamp = read("webhook-timestamp");
  const signatures = read("webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError("webhook-timestamp is no time.");
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_S) {
    throw new WebhookVerificationError("webhook-timestamp is too far from this machine's time.");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const message = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await keyOf(secret);
  for (const signature of signatures.split(" ")) {
    const bytes = signature.startsWith("v1,") ? bytesOf(signature.slice(3)) : null;
    // The platform compares in constant time.
    if (bytes !== null && (await crypto.subtle.verify("HMAC", key, bytes, message))) {
      return JSON.parse(text) as Event;
    }
  }
  throw new WebhookVerificationError("No signature fits the secret.");
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith("whsec_") ? bytesOf(secret.slice("whsec_".length)) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError("Give the secret as it was shown: whsec_….");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The bytes of base64; null where a text is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
