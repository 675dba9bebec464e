import { z } from "@hono/zod-openapi";

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T;

/** What a resource's schema describes, as code makes it: the schema is the one definition. */
export type Shown<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

/** A text of a resource. */
export const text = (description: string, example?: string) =>
  z.string().openapi({ description, ...(example !== undefined && { example }) });

/**
 * A text of this form, so that it has no words of others: tools of POST /mcp mark every text that no pattern describes
 * (`marking.ts`).
 */
const formed = (pattern: RegExp) => (example?: string, description?: string) =>
  z
    .string()
    .regex(pattern)
    .openapi({
      ...(description !== undefined && { description }),
      ...(example !== undefined && { example }),
    });

/** A NEAR account id. */
export const account = formed(/^[a-z\d._-]{2,64}$/);
/** The CID of a file or directory: CIDv1, base32. */
export const cid = formed(/^b[a-z2-7]{58}$/);
/** Where this service's gateway serves a CID. */
export const cidUrl = (...about: Parameters<typeof cid>) =>
  formed(/^https?:\/\/[\w.:-]+\/ipfs\/b[a-z2-7]{58}$/)(...about).openapi({ format: "uri" });
export const mediaType = formed(/^[a-z]+\/[a-z\d.+-]{1,40}$/);
/** Base58 of 32 bytes, as the chain writes hashes. */
export const hash = formed(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
/** A public key, as NEAR writes it. */
export const publicKey = formed(/^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/);
/** A SHA-256, hexadecimal. */
export const digest = formed(/^[\da-f]{64}$/);
/** A name that the operator or the service gave. */
export const ownName = formed(/^[\w-]+$/);
/** A sentence of the service, in which it quotes nobody. */
export const sentence = formed(/^[A-Z](?:[\w ,:'-]|\.[\w-])*\.$/);

/** A whole number of a resource. */
export const whole = (description: string, example?: number) =>
  z.int().openapi({ description, ...(example !== undefined && { example }) });

/** Values shared by example responses, so that they are consistent. */

const GATEWAY = "https://mint.example.com/ipfs";
export const ACCOUNT = "alice.near";
/**
 * A receiver for examples, which readers may send unchanged. Nobody can own it: only the account `example` could create it, and
 * that account doesn't exist, since the protocol reserves names that short.
 */
export const NOBODY = "alice.example";
/** An integration's wallet, and its key. */
export const WALLET = "w-4b7c91d0e2aa.mint.near";
export const PUBLIC_KEY = "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847";
/** An integration's contract, and the digest of its code. */
export const CONTRACT = "c-3a1f0e6b7c11.mint.near";
export const CODE_HASH = "cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c";
/** A picture by its CID, its digest in base64 as NEP-177 has it, and its address. */
export const FILE_CID = "bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba";
export const FILE_HASH = "TlD3LxjMEkn5LuBSb2MEHJIcT8D89Kd0q0W+Q4I1sAg=";
export const FILE_URL = `${GATEWAY}/${FILE_CID}`;
/** The directory of a collection's files. */
export const DIRECTORY_CID = "bafybeie4fgu4r2g3sobwcwjtkgawppotk66enkhn5babxfh3zwk6wvzel4";
export const DIRECTORY_URL = `${GATEWAY}/${DIRECTORY_CID}`;
export const TOKEN_ID = "7:42";
/** The digest of a later release's code. */
export const NEW_CODE_HASH = "1f0a4d77c2e95b36a8d1f4c07b6e3925d8a1c4f70b3e6d9251c8f4a70b3d6e92";
