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
