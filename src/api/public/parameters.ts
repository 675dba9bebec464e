import { z } from "@hono/zod-openapi";
import type { TokenFilter } from "../../collections/public-tokens.ts";
import { MOST_LINKS, MOST_PER_LINK } from "../../domain/claim-proofs.ts";
import type { Trait } from "../../domain/traits.ts";
import { accountIdField, publicKeyField, signatureField, wholeNumber } from "../schemas/fields.ts";
import { currencyQuery } from "../schemas/parameters.ts";

/** Any text: an invalid slug is a page that doesn't exist. */
export const slug = z.string().max(200).openapi({ example: "night-herons" });
export const slugParam = z.object({ slug });
export const slugAccountParam = z.object({ slug, account_id: accountIdField });

export const slugNumberParam = z.object({
  slug,
  number: wholeNumber(/^[1-9]\d{0,9}$/, "Give the number of an NFT within its collection.", { minimum: 1 }),
});

export const dropNumber = z.int().min(1).max(999_999_999).openapi({ example: 3 });

export const linkNumber = z
  .int()
  .min(0)
  .max(MOST_LINKS - 1)
  .openapi({ example: 41 });

const whole = (maximum: number) =>
  wholeNumber(/^(0|[1-9]\d{0,8})$/, "Give a whole number.", { minimum: 0, maximum });

/** Which link it is, by its key. */
export const claimedQuery = z.strictObject({
  drop_id: whole(999_999_999),
  link: whole(MOST_LINKS - 1),
  link_public_key: publicKeyField,
});

/** The public part of a link. It can't redeem the link. */
export const claimableQuery = claimedQuery.extend({ certificate: signatureField });

/** A voucher, which is for its receiver whoever knows it. */
export const voucherQuery = z.strictObject({
  drop_id: whole(999_999_999),
  nonce: whole(MOST_LINKS - 1),
  receiver_id: accountIdField,
  quantity: wholeNumber(/^[1-9]\d?$/, `Give a whole number from 1 to ${MOST_PER_LINK}.`, {
    minimum: 1,
    maximum: MOST_PER_LINK,
  }),
  price: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,38})$/, "Give yoctoNEAR, or the smallest units of the currency.")
    .openapi({ example: "500000000000000000000000" }),
  ...currencyQuery.shape,
  expires_at_ms: wholeNumber(/^[1-9]\d{0,14}$/, "Give milliseconds since 1970.", { minimum: 1 }),
  signature: signatureField,
});

/** base58 of 32 bytes. */
const hash = z
  .string()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, "Give a transaction's hash in base58.")
  .openapi({ example: "6zgh2u9DqHHiXzdy9ouTP7oGky2T4nugqzqt9wJZwNFm" });

export const slugHashParam = z.object({ slug, hash });
export const signerQuery = z.strictObject({ account_id: accountIdField });

/** Most tokens of one signature (docs/contract.md). */
const MOST_AT_ONCE = 25;

export const paymentQuery = z.strictObject({
  ...currencyQuery.shape,
  quantity: wholeNumber(/^[1-9]\d?$/, `Give a whole number from 1 to ${MOST_AT_ONCE}.`, {
    minimum: 1,
    maximum: MOST_AT_ONCE,
    description: "Default 1.",
  }).optional(),
});

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

const readTrait = (text: string): Trait | null => {
  const [type = "", value = "", ...more] = text.split("=").map(decoded);
  return more.length === 0 && type && value ? { type, value } : null;
};

/** `type=value`, each percent-encoded; empty ones, as forms send them, are ignored. */
const traits = z
  .preprocess(
    (given) => [given ?? []].flat(),
    z
      .array(z.string().max(2_000))
      .max(32)
      .transform((texts, context): Trait[] =>
        texts
          .filter((text) => text !== "")
          .flatMap((text) => {
            const trait = readTrait(text);
            if (trait) return trait;
            context.addIssue({ code: "custom", message: "Give type=value, each percent-encoded." });
            return [];
          }),
      ),
  )
  .optional()
  .openapi({
    type: "array",
    items: { type: "string" },
    description:
      "`type=value`, each percent-encoded. An NFT matches if it has, for each type that is named, one of the values.",
  });

const MOST_TOKENS = 100;

const ORDERS = ["number", "latest", "rarity"] as const;

/** An empty field of a form is ignored. */
const emptyIsAbsent = (value: unknown) => (value === "" ? undefined : value);

export const tokenQuery = z.strictObject({
  limit: wholeNumber(/^[1-9]\d{0,2}$/, `Give a whole number from 1 to ${MOST_TOKENS}.`, {
    minimum: 1,
    maximum: MOST_TOKENS,
    description: "Default 48.",
  }).optional(),
  cursor: z.string().min(1).max(20).optional(),
  owner: z.preprocess(emptyIsAbsent, accountIdField.optional()).openapi({ type: "string" }),
  sort: z.preprocess(emptyIsAbsent, z.enum(ORDERS).optional()).openapi({
    type: "string",
    enum: [...ORDERS],
    description:
      "Default `number`. `rarity`: the rarest first; of more than 1,000 NFTs once the service has read all of them.",
  }),
  trait: traits,
});

/** Tokens of a page by default: rows of 2, 3 and 4 are full. */
const TOKENS_A_PAGE = 48;

export const filterOf = (query: z.output<typeof tokenQuery>): TokenFilter => {
  const { limit = TOKENS_A_PAGE, cursor = null, owner, sort = "number", trait = [] } = query;
  return { limit, cursor, owner, sort, traits: trait };
};
