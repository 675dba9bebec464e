import { z } from "@hono/zod-openapi";
import { parseYocto } from "../../domain/amounts.ts";
import { DEFAULT_LIMITS, type LimitName } from "../../domain/quota.ts";
import { each, LIMIT_NAMES, MEANINGS, SPENDING_MEANING } from "../../resources/limits.ts";

/** What each limit may be set to. A key has to be able to ask, and 10 GB is what the database has for all. */
const BOUNDS: Readonly<Record<LimitName, readonly [number, number]>> = {
  requests: [1, 1_000_000],
  drafts: [0, 1_000_000],
  stored_bytes: [0, Number.MAX_SAFE_INTEGER],
  database_bytes: [0, 10_000_000_000],
  keys: [0, 10_000],
  operations_waiting: [0, 100_000],
};

const spendingMessage =
  'Give yoctoNEAR as a string of decimal digits without leading zeros, such as "5000000000000000000000000" for 5 NEAR, or null for no limit.';

const spendingPerDay = z
  .string(spendingMessage)
  .refine((text) => parseYocto(text) !== null, spendingMessage)
  .nullish()
  .openapi({
    // What a u128 holds.
    pattern: "^(0|[1-9][0-9]{0,37}|[12][0-9]{38}|3[0-3][0-9]{37})$",
    description: `${SPENDING_MEANING} yoctoNEAR. Null: no limit.`,
  });

/** PUT limits. */
export const limitsBody = z
  .strictObject({
    ...each(LIMIT_NAMES, (name) => {
      const [least, most] = BOUNDS[name];
      const message = `Give a whole number from ${least} to ${most}, or null for the default.`;
      return z
        .int(message)
        .min(least, message)
        .max(most, message)
        .nullish()
        .openapi({ description: `${MEANINGS[name]} Null: the default, ${DEFAULT_LIMITS[name]}.` });
    }),
    spending_per_day: spendingPerDay,
  })
  .openapi("LimitsInput");
