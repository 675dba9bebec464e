import { z } from "@hono/zod-openapi";
import { baseDecode, baseEncode } from "near-api-js";

const ED25519 = "ed25519:";
const KEY_BYTES = 32;

/** Whether a text is base58 of so many bytes, in the one way to write them. */
const isBase58 = (text: string, bytes: number): boolean => {
  const decoded = baseDecode(text);
  return decoded.length === bytes && baseEncode(decoded) === text;
};

/** A public key as NEAR writes it. */
export const publicKeyField = z
  .string()
  .refine(
    (text) =>
      /^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && isBase58(text.slice(ED25519.length), KEY_BYTES),
    "Give an ed25519 key: ed25519: and 32 bytes in base58.",
  )
  .openapi({ pattern: "^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$" });

const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** An ed25519 signature. */
export const signatureField = z
  .string()
  .regex(SIGNATURE, "Give 64 bytes in base64.")
  .openapi({ pattern: SIGNATURE.source });
