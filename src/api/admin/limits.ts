import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { recordChange } from "../../db/queries/audit.ts";
import { isThere } from "../../db/queries/integrations.ts";
import { requireUsage, toLimits } from "../../db/quota.ts";
import { integrations } from "../../db/schema/index.ts";
import { YOCTO_PATTERN } from "../../domain/amounts.ts";
import type { Uuid } from "../../domain/ids.ts";
import { DEFAULT_LIMITS, type LimitName } from "../../domain/quota.ts";
import { forgetKeysOf } from "../../http/authentication.ts";
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

/** The range of each limit. A key must be able to send requests, and the whole database has 10 GB. */
const BOUNDS: Readonly<Record<LimitName, readonly [number, number]>> = {
  requests: [1, 1_000_000],
  drafts: [0, 1_000_000],
  stored_bytes: [0, Number.MAX_SAFE_INTEGER],
  database_bytes: [0, 10_000_000_000],
  keys: [0, 10_000],
  operations_waiting: [0, 100_000],
  audit_entries: [0, 10_000_000],
};

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
    spending_per_day: yoctoField.nullish().openapi({
      pattern: YOCTO_PATTERN,
      description: `${SPENDING_MEANING} yoctoNEAR. Null: no limit.`,
    }),
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

const COMMON = {
  tag: "Operator: integrations",
  scope: "operator",
  path: "/integration/{integration_uuid}/limits",
  errors: ["wallet_busy"],
} as const;

export const limitEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "get",
      operationId: "adminGetLimits",
      summary: "Show an integration's limits and its use of them",
      request: { params: integrationParam },
      success: { 200: json("The limits.", limitsView) },
    },
    ({ context, params }) => readLimits(context, params.integration_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      method: "put",
      operationId: "adminSetLimits",
      summary: "Set limits of an integration",
      description:
        "An absent limit stays; null restores the default. If a limit is lowered below its use, what exists stays, and nothing can be added until the use is below it. `requests`, `operations_waiting` and `spending_per_day` take effect everywhere within five seconds; while the database doesn't answer, within a quarter of an hour.",
      request: { params: integrationParam, body: jsonBody(limitsBody, { drafts: 5_000, requests: null }) },
      success: { 200: json("The limits as they are now.", limitsView) },
    },
    async ({ context, params: { integration_uuid: id }, body }) => {
      const { spending_per_day: spendingPerDay, ...changes } = body;
      const { db } = context;
      await runBatch(db, [
        ...recordChange(context, id, { action: "limits.changed", changes: body }, isThere(id)),
        db
          .update(integrations)
          .set({
            limits: sql`json_patch(coalesce(limits, '{}'), ${JSON.stringify(changes)})`,
            ...(spendingPerDay !== undefined && { spendingPerDay }),
            updatedAt: context.now(),
          })
          .where(eq(integrations.id, id)),
      ]);
      forgetKeysOf(id);
      return readLimits(context, id);
    },
  ),
];
