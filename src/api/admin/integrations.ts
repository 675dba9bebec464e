import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { baseEncode } from "near-api-js";
import { requireAccounts } from "../../collections/accounts.ts";
import type { ServiceContext } from "../../context.ts";
import { holds, runBatch } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { recordChange } from "../../db/queries/audit.ts";
import { findContractOf } from "../../db/queries/contracts.ts";
import {
  type IntegrationRow,
  isThere,
  deleteIntegration as markDeleted,
} from "../../db/queries/integrations.ts";
import { OPEN } from "../../db/queries/operations.ts";
import { integrations } from "../../db/schema/index.ts";
import { meta } from "../../db/schema/ledger.ts";
import { isUnavailable } from "../../db/statements.ts";
import { exactNear } from "../../domain/amounts.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { DATABASE_RETRY_AFTER, ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { forgetKeysOf } from "../../http/authentication.ts";
import { requireIntegration, requireUndeleted } from "../../operator/integrations.ts";
import { createIntegration } from "../../operator/provisioning.ts";
import { walletOf } from "../../wallet/client.ts";
import { AUDIT_LIST, listAudit } from "../audit/list.ts";
import { endpoint, json, jsonBody, list } from "../endpoint.ts";
import { type Integration, integrationView, walletCreatedView } from "../resources/wallet.ts";
import { accountIdOrNull, nameField, yesField } from "../schemas/fields.ts";
import { integrationParam } from "../schemas/parameters.ts";

/** Renames an integration, suspends or resumes it; the time of a suspension that lasts stays. */
export const changeIntegration = async (
  context: Pick<ServiceContext, "db" | "actor" | "now" | "env">,
  id: Uuid,
  { name, suspended }: { readonly name?: string; readonly suspended?: boolean },
): Promise<void> => {
  const { db } = context;
  const now = context.now();
  const suspendedAt = suspended ? sql`coalesce(suspended_at, ${now.getTime()})` : sql`NULL`;
  const which = and(eq(integrations.id, id), isNull(integrations.deletedAt));
  const change = { action: "integration.changed", changes: { name, suspended } } as const;
  await runBatch(db, [
    ...recordChange(context, id, change, sql`EXISTS (SELECT 1 FROM integrations WHERE ${which})`),
    db
      .update(integrations)
      .set({
        ...(name !== undefined && { name }),
        ...(suspended !== undefined && { suspendedAt }),
        updatedAt: now,
      })
      .where(which),
  ]);
  // Its ledger refuses what keys in caches of other isolates still accept.
  if (suspended !== undefined) await walletOf(context.env, id).suspend(suspended ? now.getTime() : null);
};

const toIntegration = (row: IntegrationRow): Integration => ({
  integration_uuid: row.id,
  name: row.name,
  state: row.deletedAt ? "deleted" : row.suspendedAt ? "suspended" : "active",
  wallet_account_id: row.walletAccountId,
  wallet_public_key: row.walletPublicKey && `ed25519:${baseEncode(row.walletPublicKey)}`,
  wallet_state: row.walletState,
  payout_account: row.payoutAccount,
  created_at: row.createdAt.toISOString(),
});

const readIntegration = async (context: ServiceContext, id: Uuid): Promise<Integration> =>
  toIntegration(await requireIntegration(context, id));

/** A wallet that can spend no more than this is empty: a tenth of a NEAR. yoctoNEAR. */
const EMPTY = 10n ** 23n;

const conflict = (message: string): ServiceError => new ServiceError("conflict", message);

/**
 * Deletes an integration: its keys are revoked, its webhooks stop, the scheduled job deletes these and its drafts. What is on the
 * chain stays there, files of its collections are still served, and its wallet's sealed key is kept.
 * @throws ServiceError not_found; conflict if it isn't suspended, works on something, or has money
 */
const deleteIntegration = async (
  context: ServiceContext,
  id: Uuid,
  leaveFunds: boolean,
): Promise<Integration> => {
  const row = await requireUndeleted(context, id);
  if (!row.suspendedAt) throw notSuspended();
  // A ledger that was lost since doesn't know of it.
  await walletOf(context.env, id).suspend(row.suspendedAt.getTime());
  if (await holds(ledgerOf(context, id), HAS_OPEN)) throw working();
  if (!leaveFunds) await refuseMoney(context, row);
  if (!(await markDeleted(context, id))) {
    const { suspendedAt } = await requireUndeleted(context, id);
    if (suspendedAt) throw working();
    // It was resumed meanwhile, and its ledger may have been told of the suspension after that.
    await walletOf(context.env, id).suspend(null);
    throw notSuspended();
  }
  context.log("integration.deleted", { integration_uuid: id });
  forgetKeysOf(id);
  return readIntegration(context, id);
};

/** Condition: a ledger has an operation that has not ended. */
const HAS_OPEN = sql`EXISTS (SELECT 1 FROM operations WHERE ${OPEN})`;

const notSuspended = (): ServiceError =>
  conflict("Suspend the integration first: PUT it with suspended true.");

const working = (): ServiceError =>
  conflict("Operations of this integration are not over. Wait for them, and settle those that are unknown.");

const refuseMoney = async (
  { env }: ServiceContext,
  { id, walletState, walletAccountId }: IntegrationRow,
): Promise<void> => {
  if (walletState === "new") return;
  const { available } = await walletOf(env, id).status();
  if (available === null || available === undefined) {
    throw conflict(
      "The wallet's balance can't be read now. Try again later, or leave it there: leave_funds=true, in the terminal --leave-funds.",
    );
  }
  if (BigInt(available) > EMPTY) {
    throw conflict(
      `The wallet ${walletAccountId} has ${exactNear(available)} NEAR to spend. Resume the integration and have it paid out, or leave it there: leave_funds=true, in the terminal --leave-funds. The wallet's sealed key is kept.`,
    );
  }
};

const payoutsStopped = (cause: unknown): ServiceError =>
  new ServiceError(
    "database_unavailable",
    "Repeat the request until it succeeds: nothing is paid out before, because a database didn't answer and may have either account.",
    { outcome: "unknown", retryable: true, retryAfter: DATABASE_RETRY_AFTER, cause },
  );

const integrationBody = z.strictObject({ name: nameField }).openapi("IntegrationInput");

const payoutAccountBody = z
  .strictObject({ account_id: accountIdOrNull("null: no account; nothing is paid out.") })
  .openapi("PayoutAccountInput");

const integrationChanges = z
  .strictObject({
    name: nameField.optional(),
    suspended: z.boolean().optional().openapi({
      description:
        "true: its keys are refused everywhere within five seconds. false: they are accepted again.",
    }),
  })
  .openapi("IntegrationChanges");

const deletionQuery = z.strictObject({
  leave_funds: yesField.optional().openapi({ description: "Delete it even if its wallet has money left." }),
});

const COMMON = { tag: "Operator: integrations", scope: "operator" } as const;

export const integrationEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/integration",
      operationId: "adminCreateIntegration",
      summary: "Create an integration with a funded wallet",
      description:
        "If the wallet can't be created now, the integration keeps the wallet_state `new`; create its wallet again later.",
      request: { body: jsonBody(integrationBody, { name: "Heron shop" }) },
      success: { 201: json("The integration and its wallet.", walletCreatedView) },
      operation: true,
    },
    ({ context, body }) => createIntegration(context, body.name),
  ),
  list(
    {
      ...COMMON,
      path: "/integration",
      operationId: "adminListIntegrations",
      summary: "List integrations, newest first",
      filters: {
        name: nameField.optional().openapi({ description: "Only those with exactly this name." }),
        deleted: yesField.optional().openapi({ description: "Deleted integrations instead of the others." }),
      },
      entries: ["The integrations.", integrationView],
    },
    async ({ context: { db }, query: { name, deleted } }, cursor, size) => {
      const after = cursorUuid(cursor);
      const rows = await db
        .select()
        .from(integrations)
        .where(
          and(
            name === undefined ? undefined : eq(integrations.name, name),
            deleted ? isNotNull(integrations.deletedAt) : isNull(integrations.deletedAt),
            after ? lt(integrations.id, after) : undefined,
          ),
        )
        .orderBy(desc(integrations.id))
        .limit(size + 1);
      return pageOf(rows.map(toIntegration), size, (row) => row.integration_uuid);
    },
  ),
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/integration/{integration_uuid}",
      operationId: "adminGetIntegration",
      summary: "Read one integration",
      request: { params: integrationParam },
      success: { 200: json("The integration.", integrationView) },
    },
    ({ context, params }) => readIntegration(context, params.integration_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/integration/{integration_uuid}/audit",
      operationId: "adminListAudit",
      summary: "List who changed what of an integration, oldest first",
      description:
        "What GET /api/v1/audit lists for the integration's own keys, also once it was deleted. With `Accept: application/x-ndjson` the answer has an entry a line.",
      request: { params: integrationParam, query: AUDIT_LIST.query },
      success: AUDIT_LIST.success,
    },
    async ({ context, params: { integration_uuid: id }, query }, c) => {
      await requireIntegration(context, id);
      return listAudit(c, id, query);
    },
  ),
  endpoint(
    {
      ...COMMON,
      method: "put",
      path: "/integration/{integration_uuid}/payout-account",
      operationId: "adminSetPayoutAccount",
      summary: "Set the account that an integration's money is paid out to",
      request: {
        params: integrationParam,
        body: jsonBody(payoutAccountBody, { account_id: "treasury.near" }),
      },
      success: { 200: json("The integration.", integrationView) },
      errors: ["unknown_account", "chain_unavailable"],
    },
    async ({ context, params: { integration_uuid: id }, body: { account_id: accountId } }) => {
      const { walletAccountId, payoutAccount: before } = await requireIntegration(context, id);
      if (
        accountId !== null &&
        (accountId === walletAccountId || (await findContractOf(context.db, accountId)))
      ) {
        const message =
          "Name an account outside the service: the money would stay in this wallet or contract.";
        throw new ServiceError("invalid_request", message, { issues: [{ path: ["account_id"], message }] });
      }
      await requireAccounts(
        context,
        accountId === null ? [] : [{ path: ["account_id"], accountId }],
        "Name an account that exists on the chain: a payout to this one would come back.",
      );
      const { db } = context;
      const ledger = ledgerOf(context, id);
      // While D1 and the ledger may name different accounts nothing is paid out.
      await ledger.update(meta).set({ payoutAccount: null });
      const change = { action: "payout_account.changed", changes: { account_id: accountId } } as const;
      let isStored = false;
      try {
        await runBatch(db, [
          ...recordChange(context, id, change, isThere(id)),
          db
            .update(integrations)
            .set({ payoutAccount: accountId, updatedAt: context.now() })
            .where(eq(integrations.id, id)),
        ]);
        isStored = true;
        await ledger.update(meta).set({ payoutAccount: accountId });
      } catch (error) {
        if (isStored || isUnavailable(error)) throw payoutsStopped(error);
        await ledger.update(meta).set({ payoutAccount: before });
        throw error;
      }
      context.log("integration.payout_account", { integration_uuid: id, account_id: accountId });
      return readIntegration(context, id);
    },
  ),
  endpoint(
    {
      ...COMMON,
      method: "put",
      path: "/integration/{integration_uuid}",
      operationId: "adminChangeIntegration",
      summary: "Rename an integration, suspend or resume it",
      description:
        "Requests with the keys of a suspended integration get 403 `integration_suspended`. Accepted operations continue, webhooks are sent, and collections, pages and files stay. Claim links get 503 `claims_paused`, because its wallet would pay for them.",
      request: { params: integrationParam, body: jsonBody(integrationChanges, { suspended: true }) },
      success: { 200: json("The integration as it is now.", integrationView) },
      errors: ["conflict"],
    },
    async ({ context, params: { integration_uuid: id }, body }) => {
      await requireUndeleted(context, id);
      await changeIntegration(context, id, body);
      context.log("integration.changed", { integration_uuid: id, ...body });
      forgetKeysOf(id);
      return readIntegration(context, id);
    },
  ),
  endpoint(
    {
      ...COMMON,
      method: "delete",
      path: "/integration/{integration_uuid}",
      operationId: "adminDeleteIntegration",
      summary: "Delete a suspended integration",
      description:
        "Revokes its keys, stops its webhooks and, within minutes, deletes them with their attempts, and its drafts. What is on the chain stays: contracts, tokens, and the wallet's account, whose sealed key is kept. Files of its collections are still served. 409 while it isn't suspended, while operations are not over, and while its wallet has more than 0.1 NEAR to spend, unless `leave_funds` is true.",
      request: { params: integrationParam, query: deletionQuery },
      success: { 200: json("The integration as it is now.", integrationView) },
      errors: ["conflict", "wallet_busy"],
    },
    ({ context, params, query }) =>
      deleteIntegration(context, params.integration_uuid, query.leave_funds !== undefined),
  ),
];
