import { z } from "@hono/zod-openapi";
import { DEFAULT_LIMITS, type LimitName, REQUEST_PERIOD_S, USED_NAMES } from "../../domain/quota.ts";

/** What each limit may be set to. A key has to be able to ask, and 10 GB is what the database has for all. */
const BOUNDS: Readonly<Record<LimitName, readonly [number, number]>> = {
  requests: [1, 1_000_000],
  drafts: [0, 1_000_000],
  stored_bytes: [0, Number.MAX_SAFE_INTEGER],
  database_bytes: [0, 10_000_000_000],
  keys: [0, 10_000],
  operations_waiting: [0, 100_000],
};

const MEANINGS: Readonly<Record<LimitName, string>> = {
  requests: `Requests of one key in any ${REQUEST_PERIOD_S} seconds.`,
  drafts: "Drafts that are not finalized.",
  stored_bytes:
    "Bytes of the files that assets and collections refer to, each as often as it is referred to.",
  database_bytes:
    "Bytes that drafts, assets, kept answers and failed operations take in the database, about.",
  keys: "Keys that are neither revoked nor expired.",
  operations_waiting: "Operations that are accepted and not over.",
};

const NAMES = Object.keys(DEFAULT_LIMITS) as LimitName[];

const each = <Names extends string, Schema extends z.ZodType>(
  names: readonly Names[],
  schema: (name: Names) => Schema,
) => Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Names, Schema>;

const shown = (name: LimitName) =>
  z.int().openapi({ description: MEANINGS[name], example: DEFAULT_LIMITS[name] });

const { requests, ...others } = each(NAMES, shown);

/** Limits of an integration, and what it uses of them. */
export const limitsView = z
  .object({
    requests,
    period_s: z.int().openapi({ description: "Seconds in which `requests` are counted.", example: 10 }),
    ...others,
    used: z.object(each(USED_NAMES, () => z.int().openapi({ example: 12 }))),
  })
  .openapi("Limits");

/** PUT limits. */
export const limitsBody = z
  .strictObject(
    each(NAMES, (name) => {
      const [least, most] = BOUNDS[name];
      const message = `Give a whole number from ${least} to ${most}, or null for the default.`;
      return z
        .int(message)
        .min(least, message)
        .max(most, message)
        .nullish()
        .openapi({ description: `${MEANINGS[name]} Null: the default, ${DEFAULT_LIMITS[name]}.` });
    }),
  )
  .openapi("LimitsInput");
