import { z } from "@hono/zod-openapi";
import { baseDecode, baseEncode } from "near-api-js";
import { isAccountId } from "../../domain/account-ids.ts";
import { mintFeeProblem, priceProblem, YOCTO_PATTERN, yoctoProblem } from "../../domain/amounts.ts";
import { isUuid, type Uuid } from "../../domain/ids.ts";
import type { Issue } from "../../domain/issues.ts";
import { MAX_COPIES } from "../../domain/quota.ts";
import {
  INITIAL_ROYALTY_LIMITS,
  ONGOING_ROYALTY_LIMITS,
  type RoyaltyLimits,
  royaltyIssues,
} from "../../domain/royalties.ts";
import {
  type MintConfig,
  MOST_PHASES,
  type Phase,
  PRIVATE_PHASE,
  PUBLIC_PHASE,
  type Royalties,
} from "../../domain/settings.ts";
import { directionProblem, LINE_BREAKS, textProblem } from "../../domain/texts.ts";

/** A whole number as paths and queries have it: text of this pattern. */
export const wholeNumber = (
  pattern: RegExp,
  message: string,
  shown: { readonly minimum: number; readonly maximum?: number; readonly description?: string },
): z.ZodType<number, string> => {
  const { maximum } = shown;
  const number = z.string().regex(pattern, message).transform(Number);
  const bounded = maximum === undefined ? number : number.pipe(z.number().max(maximum));
  return bounded.openapi({ type: "integer", ...shown });
};

const ED25519 = "ed25519:";
const KEY_BYTES = 32;

/** Whether a text is base58 of so many bytes, in the one way to write them. */
const isBase58 = (text: string, bytes: number): boolean => {
  const decoded = baseDecode(text);
  return decoded.length === bytes && baseEncode(decoded) === text;
};

export const publicKeyField = z
  .string()
  .refine(
    (text) =>
      /^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && isBase58(text.slice(ED25519.length), KEY_BYTES),
    "Give an ed25519 key: ed25519: and 32 bytes in base58.",
  )
  .openapi({ pattern: "^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$" });

const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export const transactionHashField = z
  .string()
  .refine((text) => HASH.test(text) && isBase58(text, 32), "Give a transaction's hash, in base58.")
  .openapi({ pattern: HASH.source });

const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

export const signatureField = z
  .string()
  .regex(SIGNATURE, "Give 64 bytes in base64.")
  .openapi({ pattern: SIGNATURE.source });

/** RFC 3339, section 5.6: date, `T`, time with seconds, and `Z` or an offset. */
const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 time from 1970 on; null if it is none. A leap second counts as the second after it; digits after
 * the milliseconds are dropped.
 */
export const parseInstant = (text: string): Date | null => {
  const match = RFC3339.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // Dates that don't exist, such as 30 February, roll over to another day.
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  const offset = offsetMinutes(zone);
  if (offset === null) return null;
  const milliseconds = Math.floor(Number(`0${fraction}`) * 1000);
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  const time = midnight.getTime() + minutes * 60_000 + Number(second) * 1000 + milliseconds;
  return time >= 0 ? new Date(time) : null;
};

const offsetMinutes = (zone: string): number | null => {
  if (zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
};

const UUID_EXAMPLE = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";

/** A UUID in any case, given on in lower case. */
export const uuidField = z
  .string()
  .refine((text) => isUuid(text), "Give a UUID from an answer of the API.")
  .transform((text) => text.toLowerCase() as Uuid)
  .openapi({ format: "uuid", example: UUID_EXAMPLE });

const text = (most: number, allowed: string, pattern: string) =>
  z
    .string()
    .superRefine((value, context) => {
      const problem = textProblem(value, most, allowed);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    })
    .openapi({ maxLength: most, pattern });

export const LINE_PATTERN = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$";

/** A line of at most `most` code points without control characters. */
export const textField = (most: number) => text(most, "", LINE_PATTERN);

/** Text of at most `most` code points, which may have line breaks. */
export const linesField = (most: number) =>
  text(most, LINE_BREAKS, "^[^\\u0000-\\u0009\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$");

/** A name of a key, an integration or a contract, which logs, pages and terminals show beside other texts. */
export const nameField = textField(100)
  .min(1)
  .superRefine((value, context) => {
    const problem = directionProblem(value);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .openapi({ pattern: "^[^\\u0000-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]*$" });

/** A query's parameter that is there or not. */
export const yesField = z.literal("true", "Give true, or leave it out.");
const REFERENCE = /^[ -~]{1,64}$/;

/** What a caller names a write by: printable ASCII, so that it is the same text in bodies, addresses and tables. */
export const referenceText = z
  .string()
  .regex(
    REFERENCE,
    "Give 1 to 64 characters, each a letter, digit or punctuation mark of ASCII, or a space (U+0020 to U+007E).",
  )
  .openapi({ minLength: 1, maxLength: 64, pattern: REFERENCE.source, example: "order-1042" });

export const referenceField = referenceText.nullish().openapi({
  description:
    "Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.",
});

/** The body of a write to the chain that needs none. */
export const referenceBody = z.strictObject({ reference: referenceField }).openapi("ReferenceInput");
export const tokenIdField = z
  .string()
  .regex(/^[1-9]\d{0,9}:[1-9]\d{0,9}$/, 'Give a token_id, such as "7:42".')
  .openapi({ example: "7:42" });

/** Different tokens. */
export const tokenIdsField = (most: number) =>
  z
    .array(tokenIdField)
    .min(1)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, "Name each token once.")
    .openapi({ uniqueItems: true, example: ["7:42"] });

const ACCOUNT_ID_PATTERN = "^([a-z0-9]+[-_])*[a-z0-9]+(\\.([a-z0-9]+[-_])*[a-z0-9]+)*$";

/** A NEAR account id as a schema without a name, so that what may be null as well says so. */
const accountIdText = z
  .string()
  .refine(
    isAccountId,
    "Give a NEAR account id: 2 to 64 lower-case letters and digits with single -, _ or . between them.",
  )
  .openapi({
    minLength: 2,
    maxLength: 64,
    pattern: ACCOUNT_ID_PATTERN,
    example: "alice.near",
    description: "A NEAR account id, named or implicit.",
  });

export const accountIdField = accountIdText.openapi("ChainAccountId");

/** The same, or null. @param description what null means */
export const accountIdOrNull = (description: string) => accountIdText.nullable().openapi({ description });

/** Most entries of a list of accounts in a collection's settings: all of them travel in one transaction. */
const MAX_LISTED_ACCOUNTS = 1_000;

/** A list of accounts; one that is named twice counts once. */
export const accountListField = z
  .array(accountIdField)
  .max(MAX_LISTED_ACCOUNTS)
  .transform((accounts) => [...new Set(accounts)]);

/** A time as RFC 3339, given on in UTC with milliseconds. */
export const instantField = z
  .string()
  .transform((text, context) => {
    const instant = parseInstant(text);
    if (instant) return instant.toISOString();
    const message = 'Give a time as RFC 3339 from 1970 on, such as "2026-12-24T18:00:00Z".';
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .openapi({ format: "date-time", example: "2026-12-24T18:00:00Z" });

/**
 * A text with a custom rule.
 * @param problem returns the problem as a sentence; null if there is none
 * @param onNull what to do instead of sending null, as a sentence
 */
const checkedText = (problem: (text: string) => string | null, onNull?: string) =>
  z.string({ error: ({ input }) => (input === null ? onNull : undefined) }).superRefine((text, context) => {
    const message = problem(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  });

/** An amount of yoctoNEAR. */
export const yoctoField = checkedText(yoctoProblem).openapi({ pattern: YOCTO_PATTERN });

const mintFeeField = checkedText(
  mintFeeProblem,
  "Give an amount. For no mint from wallets, set the whole config to null.",
).openapi({
  // 0, or from 2.7e21 to what a u128 holds.
  pattern: "^(0|2[7-9][0-9]{20}|[3-9][0-9]{21}|[1-9][0-9]{22,37}|[12][0-9]{38}|3[0-3][0-9]{37})$",
  description: "yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.",
  example: "1000000000000000000000000",
});

/** @param none what a field says that isn't there or is null */
const mintConfigFields = (none: string) => ({
  starts_at: instantField.nullish().openapi({ description: `First moment; ${none} no limit.` }),
  ends_at: instantField.nullish().openapi({ description: `First moment after the end; ${none} no limit.` }),
  limit_per_account: z
    .int()
    .min(1)
    .max(MAX_COPIES)
    .nullish()
    .openapi({ description: `Mints an account may make; ${none} any number.` }),
});

const endsAfterStart = (
  {
    starts_at: start,
    ends_at: end,
  }: { readonly starts_at?: string | null; readonly ends_at?: string | null },
  context: z.RefinementCtx,
): void => {
  if (start && end && start >= end) {
    context.addIssue({ code: "custom", path: ["ends_at"], message: "ends_at must be after starts_at." });
  }
};

export const mintConfigChangesField = z
  .strictObject({ mint_fee: mintFeeField.optional(), ...mintConfigFields("absent: unchanged, null:") })
  .superRefine(endsAfterStart);

/**
 * A direct mint. Here and wherever else null is taken, the schema has no name of its own: the generator would write a
 * reference that leaves the null out.
 */
export const mintConfigField = z
  .strictObject({ mint_fee: mintFeeField, ...mintConfigFields("absent or null:") })
  .superRefine(endsAfterStart)
  .transform(
    (config): MintConfig => ({
      mint_fee: config.mint_fee,
      starts_at: config.starts_at ?? null,
      ends_at: config.ends_at ?? null,
      limit_per_account: config.limit_per_account ?? null,
    }),
  );

/** The number of a phase. */
const phaseNumberField = z.int().min(1).max(MOST_PHASES);

/** The phase whose allowlist a request is about. */
export const listedPhaseField = phaseNumberField
  .refine(
    (phase) => phase !== PUBLIC_PHASE,
    `Give 1, or 3 to ${MOST_PHASES}: phase ${PUBLIC_PHASE} has no allowlist.`,
  )
  .nullish()
  .openapi({
    description: "Number of the phase whose allowlist it is; absent or null: 1, that of private_mint_config.",
    example: 3,
  });

const kindOf = (phase: number): Phase["kind"] | null =>
  phase === PRIVATE_PHASE ? "allowlist" : phase === PUBLIC_PHASE ? "public" : null;

const phaseInput = z
  .strictObject({
    phase: phaseNumberField.openapi({
      description:
        "Its number. 1 is private_mint_config, 2 is public_mint_config. What accounts minted, the allowlist and the supply that is used up belong to the number, whatever its phase becomes.",
      example: 3,
    }),
    kind: z.enum(["allowlist", "public"]).nullish().openapi({
      description: "Who may mint. Default: `allowlist` for phase 1, `public` for the others.",
    }),
    mint_fee: z.string().openapi({
      pattern: YOCTO_PATTERN,
      description:
        "Of each NFT: yoctoNEAR, 0 or at least 2700000000000000000000; or the smallest units of the currency, at least 1.",
      example: "5000000",
    }),
    currency: accountIdOrNull(
      "Account of the NEP-141 token that the price is in; absent or null: NEAR.",
    ).optional(),
    ...mintConfigFields("absent or null:"),
    supply: z
      .int()
      .min(1)
      .max(MAX_COPIES)
      .nullish()
      .openapi({ description: "Mints of all accounts in this phase; absent or null: any number." }),
  })
  .superRefine(({ phase, kind, mint_fee: fee, currency }, context) => {
    const only = kindOf(phase);
    if (kind && only && kind !== only) {
      const message = `Give ${only} or leave it out: phase ${phase} has no other kind. Phases 3 to ${MOST_PHASES} have both.`;
      context.addIssue({ code: "custom", path: ["kind"], message });
    }
    const message = currency ? priceProblem(fee) : mintFeeProblem(fee);
    if (message !== null) context.addIssue({ code: "custom", path: ["mint_fee"], message });
  })
  .superRefine(endsAfterStart)
  .transform(
    ({ phase, kind, mint_fee, currency, ...rest }): Phase => ({
      phase,
      kind: kindOf(phase) ?? kind ?? "public",
      mint_fee,
      currency: currency ? { contract_id: currency, symbol: null, decimals: null } : null,
      starts_at: rest.starts_at ?? null,
      ends_at: rest.ends_at ?? null,
      limit_per_account: rest.limit_per_account ?? null,
      supply: rest.supply ?? null,
    }),
  )
  .openapi("PhaseInput");

/** All phases of a collection. */
export const phasesField = z
  .array(phaseInput)
  .max(MOST_PHASES)
  .superRefine((phases, context) => {
    const numbers = phases.map(({ phase }) => phase);
    for (const [index, number] of numbers.entries()) {
      if (numbers.indexOf(number) === index) continue;
      const message = `Give phase ${number} once.`;
      context.addIssue({ code: "custom", path: [index, "phase"], message });
    }
  });

const royaltiesField = (limits: RoyaltyLimits) =>
  z
    .record(z.string(), z.number())
    .superRefine((royalties, context) => report(royaltyIssues(royalties, limits), context))
    .transform((royalties): Royalties => royalties)
    .openapi({
      additionalProperties: { type: "number", minimum: 0.01, maximum: limits.total / 100, multipleOf: 0.01 },
      // The types of the generator know no propertyNames, which JSON Schema and so OpenAPI 3.1 have.
      ...({ propertyNames: { pattern: ACCOUNT_ID_PATTERN, minLength: 2, maxLength: 64 } } as object),
      maxProperties: limits.accounts,
      description: `Account id to percent with at most two decimals; at most ${limits.total / 100}% together.`,
      example: { "alice.near": 12.5 },
    });

const report = (issues: readonly Issue[], context: z.RefinementCtx): void => {
  for (const { path, message } of issues) context.addIssue({ code: "custom", path: [...path], message });
};

export const initialRoyaltiesField = royaltiesField(INITIAL_ROYALTY_LIMITS);
export const ongoingRoyaltiesField = royaltiesField(ONGOING_ROYALTY_LIMITS);
