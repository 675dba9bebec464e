import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { requireUsage, toLimits } from "../../db/quota.ts";
import { integrations } from "../../db/schema/index.ts";
import { YOCTO_PATTERN } from "../../domain/amounts.ts";
import type { Uuid } from "../../domain/ids.ts";
import { DEFAULT_LIMITS, type LimitName } from "../../domain/quota.ts";
import { show } from "../../http/typed-response.ts";
import { walletOf } from "../../wallet/client.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import {
  each,
  LIMIT_NAMES,
  type LimitsShown,
  limitsView,
  MEANINGS,
  SPENDING_MEANING,
} from "../resources/me.ts";
import { yoctoField } from "../schemas/fields.ts";
import { integrationParam } from "../schemas/parameters.ts";

/** Sets limits of an integration; null restores the default, absent ones stay. */
const setLimits = async (
  db: Database,
  integrationId: Uuid,
  {
    changes,
    spendingPerDay,
  }: {
    readonly changes: Readonly<Partial<Record<LimitName, number | null>>>;
    readonly spendingPerDay: string | null | undefined;
  },
  now: Date,
): Promise<void> => {
  await db
    .update(integrations)
    .set({
      limits: sql`json_patch(coalesce(limits, '{}'), ${JSON.stringify(changes)})`,
      ...(spendingPerDay !== undefined && { spendingPerDay }),
      updatedAt: now,
    })
    .where(eq(integrations.id, integrationId));
};

/** The range of each limit. A key must be able to send requests, and the whole database has 10 GB. */
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
const limitsBody = z
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

/** The limits of an integration and their current use. @throws ServiceError not_found, wallet_busy */
const readLimits = async (context: ServiceContext, integrationId: Uuid): Promise<LimitsShown> => {
  const [usage, spentToday] = await Promise.all([
    requireUsage(context, integrationId),
    walletOf(context.env, integrationId).spentToday(),
  ]);
  return toLimits(usage, spentToday);
};

/** What an operator changes of the limits: an absent one stays, null goes back to the default. */
type LimitChanges = Readonly<Partial<Record<LimitName, number | null>>> & {
  /** yoctoNEAR. */
  readonly spending_per_day?: string | null;
};

/** Sets limits of an integration; null goes back to the default. @throws ServiceError not_found, wallet_busy */
const changeLimits = async (
  context: ServiceContext,
  integrationId: Uuid,
  { spending_per_day: spendingPerDay, ...changes }: LimitChanges,
): Promise<LimitsShown> => {
  await setLimits(context.db, integrationId, { changes, spendingPerDay }, context.now());
  return readLimits(context, integrationId);
};

const TAG = "Operator: integrations";

export const limitsRead = endpoint(
  {
    method: "get",
    path: "/integration/{integration_uuid}/limits",
    operationId: "adminGetLimits",
    tag: TAG,
    summary: "Show an integration's limits and its use of them",
    request: { params: integrationParam },
    success: { 200: json("The limits.", limitsView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c, { params }) => show(c, await readLimits(c.get("context"), params.integration_uuid)),
);

export const limitsChange = endpoint(
  {
    method: "put",
    path: "/integration/{integration_uuid}/limits",
    operationId: "adminSetLimits",
    tag: TAG,
    summary: "Set limits of an integration",
    description:
      "An absent limit stays; null restores the default. If a limit is lowered below its use, what exists stays, and nothing can be added until the use is below it. `requests` takes effect everywhere within five seconds.",
    request: { params: integrationParam, body: jsonBody(limitsBody, { drafts: 5_000, requests: null }) },
    success: { 200: json("The limits as they are now.", limitsView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c, { params, body }) => show(c, await changeLimits(c.get("context"), params.integration_uuid, body)),
);
