import type { z } from "@hono/zod-openapi";
import { desc, eq, sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { withinBytes } from "../../db/page-bytes.ts";
import { findContract, isReady } from "../../db/queries/contracts.ts";
import { changeDraft, type DraftRow, findDraft, removeDraft } from "../../db/queries/drafts.ts";
import { keepWithEffect, unlessTaken } from "../../db/queries/idempotency.ts";
import { draftWeight, mayCreateDraft, refuseAbove, weigh } from "../../db/queries/usage.ts";
import { noRoom, refuseUsedUp, toQuotaError } from "../../db/quota.ts";
import { collections, drafts } from "../../db/schema/index.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { invalidField, ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { DraftRequest } from "../../domain/requests.ts";
import {
  changedSettings,
  configIssues,
  hasConfigChanges,
  inOrder,
  type SettingsChanges,
} from "../../domain/settings.ts";
import { noDraft } from "../../files/uploads/assets.ts";
import { finalizeDraft, proposeFinalization } from "../../operations/finalize-draft.ts";
import { chainWrite } from "../chain-write.ts";
import { endpoint, json, jsonBody, list, optionalBody } from "../endpoint.ts";
import { type Draft, draftView, finalizedView } from "../resources/collection.ts";
import { draftBody, draftChangesBody } from "../schemas/collection-settings.ts";
import { referenceBody } from "../schemas/fields.ts";
import { draftParam } from "../schemas/parameters.ts";

const toDraft = ({ draft, collectionId }: DraftRow): Draft => ({
  collection_draft_uuid: draft.id,
  contract_uuid: draft.contractId,
  state: draft.state,
  collection_uuid: collectionId,
  operation_uuid: draft.operationId,
  ...inOrder(draft.settings),
  created_at: draft.createdAt.toISOString(),
  updated_at: draft.updatedAt.toISOString(),
});

/** A draft of the caller's integration. @throws ServiceError not_found */
const requireDraft = async ({ db }: ServiceContext, caller: Caller, id: Uuid): Promise<DraftRow> => {
  const row = await findDraft(db, caller.integrationId, id);
  if (!row) throw noDraft();
  return row;
};

/** Requires a ready contract of the integration. @throws ServiceError invalid_request */
const checkContract = async (context: ServiceContext, caller: Caller, contractId: Uuid): Promise<void> => {
  const contract = await findContract(context.db, caller.integrationId, contractId);
  if (contract?.state === "ready") return;
  throw invalidField(
    ["contract_uuid"],
    contract?.state === "deploying"
      ? "This contract is still being deployed. Try again when it is ready."
      : "Give the contract_uuid of a contract of this integration that is ready.",
  );
};

const draftLocked = () =>
  new ServiceError("draft_locked", "The draft's finalization has begun: it can't change.");

/** Creates a draft. @throws ServiceError invalid_request if the contract is not the integration's or not ready */
const createDraft = async (
  context: ServiceContext,
  caller: Caller,
  { contract_uuid: contractUuid, ...settings }: DraftRequest,
): Promise<Draft> => {
  const now = context.now();
  const draft = {
    id: newUuid(),
    integrationId: caller.integrationId,
    contractId: contractUuid as Uuid,
    settings,
    state: "draft" as const,
    operationId: null,
    plannedCollectionId: newUuid(),
    createdAt: now,
    updatedAt: now,
  };
  const answer = toDraft({ draft, collectionId: null });
  // Where it wasn't stored although nothing refuses it, the contract has become ready, or there is room again.
  while (!(await storeDraft(context, caller, draft, answer))) {
    await checkContract(context, caller, draft.contractId);
    await refuseUsedUp(context, caller.integrationId, ["drafts"]);
  }
  return answer;
};

/** Stores a draft with the answer under the caller's Idempotency-Key, in one batch: a repetition creates no other. */
const storeDraft = async (
  context: ServiceContext,
  { integrationId, requestKey }: Caller,
  draft: DraftRow["draft"],
  answer: Draft,
): Promise<boolean> => {
  const { db } = context;
  const answered = requestKey && (await requestKey.keeps(201, JSON.stringify(answer)));
  const insertion = db
    .insert(drafts)
    .select(sql`
      SELECT ${uuidToBytes(draft.id)}, ${uuidToBytes(integrationId)}, ${uuidToBytes(draft.contractId)},
        ${JSON.stringify(draft.settings)}, 'draft', NULL, ${uuidToBytes(draft.plannedCollectionId)},
        ${draft.createdAt.getTime()}, ${draft.updatedAt.getTime()}
      WHERE ${isReady(integrationId, draft.contractId)} AND ${mayCreateDraft(integrationId)}`)
    .returning({ id: drafts.id });
  const isStored = sql`EXISTS (SELECT 1 FROM drafts WHERE id = ${uuidToBytes(draft.id)})`;
  const statements = [
    insertion,
    weigh(db, integrationId, draftWeight(integrationId, draft.id), 1),
    ...keepWithEffect(db, answered, isStored),
    refuseAbove(db, integrationId, "database_bytes"),
  ] as const;
  const [stored] = await runBatch(db, statements).catch(async (error: unknown) => {
    throw await toQuotaError(context, integrationId, unlessTaken(error));
  });
  return stored.length > 0;
};

/** Changes an open draft; absent fields stay. @throws ServiceError not_found, draft_locked, invalid_request, quota_exceeded */
const updateDraft = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
  { contract_uuid: contractUuid, ...changes }: z.output<typeof draftChangesBody>,
): Promise<Draft> => {
  const contractId = contractUuid as Uuid | undefined;
  const { integrationId, requestKey } = caller;
  const dependsOnRead = requestKey !== null || hasConfigChanges(changes);
  for (;;) {
    const change = { changes, contractId, now: context.now() };
    const asRead = dependsOnRead ? await asReadWith(context, caller, id, change) : null;
    const { isChanged, row } = await changeDraft(
      context.db,
      { integrationId, id },
      { changes: asRead?.changed ?? changes, contractId, asRead },
      change.now,
    );
    if (!row) throw noDraft();
    if (isChanged) return toDraft(row);
    // Another request has changed it since, and the response must show both changes.
    if (asRead && row.draft.updatedAt.getTime() !== asRead.read.draft.updatedAt.getTime()) continue;
    if (contractId !== undefined) await checkContract(context, caller, contractId);
    throw row.draft.state === "draft" ? await noRoom(context, integrationId) : draftLocked();
  }
};

interface DraftChange {
  readonly changes: SettingsChanges;
  readonly contractId: Uuid | undefined;
  readonly now: Date;
}

/** The draft, its settings after the changes, and the answer to keep. @throws ServiceError not_found, invalid_request */
const asReadWith = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
  { changes, contractId, now }: DraftChange,
) => {
  const read = await requireDraft(context, caller, id);
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
  const { requestKey } = caller;
  const answered = requestKey && (await requestKey.keeps(200, JSON.stringify(toDraft({ ...read, draft }))));
  return { read, changed, answered };
};

const TAG = "Collection drafts";
const PATH = "/collection-draft";
const ONE = `${PATH}/{collection_draft_uuid}` as const;

export const draftEndpoints = [
  endpoint(
    {
      method: "post",
      path: PATH,
      operationId: "createCollectionDraft",
      tag: TAG,
      summary: "Create a collection draft",
      description:
        "A draft is off-chain and free. Attach assets to it, then finalize it to create the collection.",
      request: {
        body: jsonBody(draftBody, {
          contract_uuid: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11",
          title: "Night Herons",
          description: "Twelve herons, painted after dark.",
          public_mint_config: { mint_fee: "1000000000000000000000000", limit_per_account: 5 },
          initial_royalties: { "alice.near": 60, "bob.near": 12.5 },
          ongoing_royalties: { "alice.near": 5 },
        }),
      },
      success: { 201: json("The draft.", draftView) },
    },
    ({ context, caller, body }) => createDraft(context, caller, body),
  ),
  endpoint(
    {
      method: "get",
      path: ONE,
      operationId: "getCollectionDraft",
      tag: TAG,
      summary: "Read one draft",
      request: { params: draftParam },
      success: { 200: json("The draft.", draftView) },
    },
    async ({ context, caller, params }) =>
      toDraft(await requireDraft(context, caller, params.collection_draft_uuid)),
  ),
  list(
    {
      path: PATH,
      operationId: "listCollectionDrafts",
      tag: TAG,
      summary: "List all drafts, newest first",
      entries: ["The drafts.", draftView],
    },
    async ({ context: { db }, caller }, cursor, size) => {
      const after = cursorUuid(cursor);
      const behind = after ? sql`AND id < ${uuidToBytes(after)}` : sql``;
      const { places, candidates } = withinBytes({
        rows: sql`SELECT id AS place, octet_length(settings) AS bytes FROM drafts
          WHERE integration_id = ${uuidToBytes(caller.integrationId)} ${behind} ORDER BY id DESC LIMIT ${size + 1}`,
        order: sql`place DESC`,
      });
      const rows = await db
        .select({ draft: drafts, collectionId: collections.id, candidates })
        .from(drafts)
        .leftJoin(collections, eq(collections.draftId, drafts.id))
        .where(sql`${drafts.id} IN ${places}`)
        .orderBy(desc(drafts.id));
      return pageOf(rows.map(toDraft), size, (draft) => draft.collection_draft_uuid, rows[0]?.candidates);
    },
  ),
  endpoint(
    {
      method: "put",
      path: ONE,
      operationId: "updateCollectionDraft",
      tag: TAG,
      summary: "Change a draft",
      description:
        "Absent fields stay; null clears, also within public_mint_config and private_mint_config. Refused once the finalization has begun.",
      request: {
        params: draftParam,
        body: jsonBody(draftChangesBody, { title: "Night Herons II", description: null }),
      },
      success: { 200: json("The draft as it is now.", draftView) },
      errors: ["draft_locked"],
    },
    ({ context, caller, params, body }) => updateDraft(context, caller, params.collection_draft_uuid, body),
  ),
  endpoint(
    {
      method: "delete",
      path: ONE,
      operationId: "deleteCollectionDraft",
      tag: TAG,
      summary: "Delete a draft and its assets",
      request: { params: draftParam },
      success: { 204: { description: "The draft was deleted." } },
      errors: ["draft_locked"],
    },
    async ({ context, caller, params: { collection_draft_uuid: id } }) => {
      const answered = caller.requestKey && (await caller.requestKey.keeps(204, null));
      if (await removeDraft(context.db, caller.integrationId, id, answered)) return;
      await requireDraft(context, caller, id);
      throw draftLocked();
    },
  ),
];

export const draftsFinalize = chainWrite(
  {
    method: "post",
    path: `${ONE}/finalize`,
    operationId: "finalizeCollectionDraft",
    tag: TAG,
    summary: "Create the collection on-chain",
    description:
      "Spends funds of the integration's wallet. A draft becomes only one collection, however often this is sent.",
    request: { params: draftParam, body: optionalBody(referenceBody, { reference: "order-1042" }) },
    success: { 201: json("The collection, with its files and transactions.", finalizedView) },
    errors: ["draft_empty", "draft_finalized", "draft_locked", "unknown_account"],
  },
  (context, caller, { params }) => proposeFinalization(context, caller, params.collection_draft_uuid),
  (context, caller, { params }) => finalizeDraft(context, caller, params.collection_draft_uuid),
);
