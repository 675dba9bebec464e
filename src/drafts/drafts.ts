// drafts/: collections before they are on the chain, and the manifest that a finalization keeps of one.

import { sql } from "drizzle-orm";
import type { Caller, RequestKey, ServiceContext } from "../context.ts";
import { findContract, isReady } from "../db/queries/contracts.ts";
import * as queries from "../db/queries/drafts.ts";
import { keepWithEffect, unlessTaken } from "../db/queries/idempotency.ts";
import { draftWeight, mayCreateDraft, refuseAbove, weigh } from "../db/queries/usage.ts";
import type { Statement } from "../db/statements.ts";
import { cursorUuid, type Page, pageOf } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import type { DraftRequest } from "../domain/requests.ts";
import {
  changedSettings,
  configIssues,
  hasConfigChanges,
  inOrder,
  type SettingsChanges,
} from "../domain/settings.ts";
import { explained, noRoom, refuseUsedUp } from "../integrations/quota.ts";
import type { Draft } from "../resources/draft.ts";

const toDraft = ({ draft, collectionId }: queries.DraftRow): Draft => ({
  collection_draft_uuid: draft.id,
  contract_uuid: draft.contractId,
  state: draft.state,
  collection_uuid: collectionId,
  operation_uuid: draft.operationId,
  ...inOrder(draft.settings),
  created_at: draft.createdAt.toISOString(),
  updated_at: draft.updatedAt.toISOString(),
});

const missing = () =>
  new ServiceError("not_found", "There is no such collection draft. Check its collection_draft_uuid.");

/** A draft goes to a contract of the integration's own that is ready. */
const checkContract = async (context: ServiceContext, caller: Caller, contractUuid: Uuid): Promise<void> => {
  const contract = await findContract(context.db, caller.integrationId, contractUuid);
  if (contract?.state === "ready") return;
  const message =
    contract?.state === "deploying"
      ? "This contract is still being deployed. Try again when it is ready."
      : "Give the contract_uuid of a contract of this integration that is ready.";
  throw new ServiceError("invalid_request", `Correct contract_uuid: ${message}`, {
    issues: [{ path: ["contract_uuid"], message }],
  });
};

/** Creates a draft. @throws ServiceError invalid_request if the contract is not the integration's or not ready */
export const createDraft = async (
  context: ServiceContext,
  caller: Caller,
  request: DraftRequest,
): Promise<Draft> => {
  const { contract_uuid: contractUuid, ...settings } = request;
  const contractId = contractUuid as Uuid;
  const now = context.now();
  const draft = {
    id: newUuid(),
    integrationId: caller.integrationId,
    contractId,
    settings,
    state: "draft" as const,
    operationId: null,
    plannedCollectionId: newUuid(),
    createdAt: now,
    updatedAt: now,
  };
  const answer = toDraft({ draft, collectionId: null });
  await keepCreated(context, caller, draft, answer);
  return answer;
};

/**
 * Stores a draft, with the answer that the caller's Idempotency-Key stands for from now on in the same batch: a crash
 * between the two would let a repeat make a second draft, as would a claim that another request has taken over.
 */
const keepCreated = async (
  context: ServiceContext,
  caller: Caller,
  draft: queries.NewDraft,
  answer: Draft,
): Promise<void> => {
  const { db } = context;
  const { integrationId, requestKey } = caller;
  const answered = requestKey && (await requestKey.keeps(201, JSON.stringify(answer)));
  const insertion = queries.insertDraft(
    db,
    draft,
    sql`${isReady(integrationId, draft.contractId)} AND ${mayCreateDraft(integrationId)}`,
  );
  const statements = [
    insertion,
    weigh(db, integrationId, draftWeight(integrationId, draft.id), 1),
    ...keepWithEffect(db, answered, queries.isThere(draft.id)),
    refuseAbove(db, integrationId, "database_bytes"),
  ] as unknown as [typeof insertion, Statement];
  const [stored] = await db.batch(statements).catch(async (error: unknown) => {
    throw await explained(context, integrationId, unlessTaken(error));
  });
  if (stored.length > 0) return;
  await checkContract(context, caller, draft.contractId);
  await refuseUsedUp(context, integrationId, ["drafts"]);
  // What was in its way is gone by now.
  await keepCreated(context, caller, draft, answer);
};

/** One draft. @throws ServiceError not_found */
export const readDraft = async (context: ServiceContext, caller: Caller, id: Uuid): Promise<Draft> => {
  const row = await queries.findDraft(context.db, caller.integrationId, id);
  if (!row) throw missing();
  return toDraft(row);
};

/** Some drafts, newest first; the cursor is the id of the last one before. */
export const listDrafts = async (
  context: ServiceContext,
  caller: Caller,
  cursor: string | null,
  size: number,
): Promise<Page<Draft>> => {
  const rows = await queries.listDrafts(context.db, caller.integrationId, cursorUuid(cursor), size + 1);
  return pageOf(rows.map(toDraft), size, (draft) => draft.collection_draft_uuid, rows[0]?.candidates);
};

/** Changes an open draft; absent fields stay. @throws ServiceError not_found, draft_locked, invalid_request, quota_exceeded */
export const updateDraft = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
  request: SettingsChanges & { readonly contract_uuid?: string },
): Promise<Draft> => {
  const { contract_uuid: contractUuid, ...changes } = request;
  const contractId = contractUuid as Uuid | undefined;
  const { db } = context;
  const { integrationId, requestKey } = caller;
  const dependsOnRead = requestKey !== null || hasConfigChanges(changes);
  for (;;) {
    const now = context.now();
    const change = { changes, contractId, now };
    const asRead = dependsOnRead
      ? await asReadWith(context, { integrationId, requestKey, id }, change)
      : null;
    const { isChanged, row } = await queries.updateDraft(
      db,
      { integrationId, id },
      { changes: asRead?.changed ?? changes, contractId, asRead },
      now,
    );
    if (!row) throw missing();
    if (isChanged) return toDraft(row);
    // Another request has changed it meanwhile, which the answer has to show.
    if (asRead && row.draft.updatedAt.getTime() !== asRead.read.draft.updatedAt.getTime()) continue;
    if (contractId !== undefined) await checkContract(context, caller, contractId);
    throw row.draft.state === "draft" ? await noRoom(context, integrationId) : locked();
  }
};

/**
 * A draft as it is, what changes make of its settings, and how the answer is kept that shows it with them.
 * @throws ServiceError not_found, invalid_request
 */
const asReadWith = async (
  { db }: ServiceContext,
  {
    integrationId,
    requestKey,
    id,
  }: { readonly integrationId: Uuid; readonly requestKey: RequestKey | null; readonly id: Uuid },
  {
    changes,
    contractId,
    now,
  }: { readonly changes: SettingsChanges; readonly contractId: Uuid | undefined; readonly now: Date },
) => {
  const read = await queries.findDraft(db, integrationId, id);
  if (!read) throw missing();
  const { settings } = read.draft;
  const issues = configIssues(settings, changes);
  if (issues.length > 0) throw new ServiceError("invalid_request", issues[0]!.message, { issues });
  const changed = changedSettings(settings, changes);
  const draft = {
    ...read.draft,
    settings: { ...settings, ...changed },
    contractId: contractId ?? read.draft.contractId,
    updatedAt: new Date(Math.max(now.getTime(), read.draft.updatedAt.getTime() + 1)),
  };
  const answered = requestKey && (await requestKey.keeps(200, JSON.stringify(toDraft({ ...read, draft }))));
  return { read, changed, answered };
};

/** Deletes an open draft with its assets. @throws ServiceError not_found, draft_locked */
export const deleteDraft = async (context: ServiceContext, caller: Caller, id: Uuid): Promise<void> => {
  const answered = caller.requestKey && (await caller.requestKey.keeps(204, null));
  if (await queries.deleteDraft(context.db, caller.integrationId, id, answered)) return;
  await readDraft(context, caller, id);
  throw locked();
};

const locked = () => new ServiceError("draft_locked", "The draft's finalization has begun: it can't change.");
