import { z } from "@hono/zod-openapi";
import { YOCTO_PATTERN } from "../../domain/amounts.ts";
import { DEFAULT_LIMITS, type LimitName } from "../../domain/quota.ts";
import { each, LIMIT_NAMES, MEANINGS, SPENDING_MEANING } from "../../resources/limits.ts";
import { yoctoField } from "../schemas/fields.ts";

/** What each limit may be set to. A key has to be able to ask, and 10 GB is what the database has for all. */
const BOUNDS: Readonly<Record<LimitName, readonly [number, number]>> = {
  requests: [1, 1_000_000],
  drafts: [0, 1_000_000],
  stored_bytes: [0, Number.MAX_SAFE_INTEGER],
  database_bytes: [0, 10_000_000_000],
  keys: [0, 10_000],
  operations_waiting: [0, 100_000],
};

const spendingPerDay = yoctoField.nullish().openapi({
  pattern: YOCTO_PATTERN,
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
