import { sql } from "drizzle-orm";
import type { Draft } from "../api/resources/draft.ts";
import type { ContractCollection } from "../chain/contract/views.ts";
import { connect } from "../chain/rpc.ts";
import { accountCode } from "../chain/views.ts";
import type { Caller, RequestKey, ServiceContext } from "../context.ts";
import { runBatch } from "../db/client.ts";
import type { DraftAssets } from "../db/draft-assets.ts";
import { draftTotals } from "../db/queries/assets.ts";
import { adoptBlobs, type StoredBlob } from "../db/queries/blobs.ts";
import { findContract, isReady } from "../db/queries/contracts.ts";
import * as queries from "../db/queries/drafts.ts";
import { keepWithEffect, unlessTaken } from "../db/queries/idempotency.ts";
import { type LostAsset, type LostDraft, putBackDraft } from "../db/queries/lost-drafts.ts";
import { insertContract } from "../db/queries/provisioning.ts";
import { draftWeight, mayCreateDraft, refuseAbove, weigh } from "../db/queries/usage.ts";
import { noRoom, refuseUsedUp, toQuotaError } from "../db/quota.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { JSON_TYPE } from "../domain/media-types.ts";
import type { DraftRequest } from "../domain/requests.ts";
import {
  changedSettings,
  configIssues,
  hasConfigChanges,
  inOrder,
  type SettingsChanges,
} from "../domain/settings.ts";
import { manifestKey } from "../files/storage/keys.ts";
import { putSame } from "../files/storage/put-blob.ts";
import { commitWithBlobs } from "../files/uploads/commit-blobs.ts";

/** An asset with what its files' rows say. */
interface ManifestAsset extends LostAsset {
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  readonly referenceSize: number | null;
}

/**
 * A draft as its finalization found it, kept in R2 under the uuid of the collection that it becomes. A rollback of
 * the database leaves R2 as it is, and neither a wallet's journal nor the chain has the names of files.
 */
interface Manifest {
  readonly version: 1;
  readonly draftUuid: Uuid;
  readonly integrationUuid: Uuid;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly assets: readonly ManifestAsset[];
}

/** Keeps the manifest of a draft that is locked. It is there before anything of the collection is on the chain. */
export const keepManifest = async (
  context: ServiceContext,
  collectionUuid: Uuid,
  draft: Pick<LostDraft, "id" | "integrationId" | "createdAt">,
  assets: DraftAssets,
): Promise<void> => {
  const manifest: Manifest = {
    version: 1,
    draftUuid: draft.id,
    integrationUuid: draft.integrationId,
    createdAt: draft.createdAt.getTime(),
    assets: await listed(assets),
  };
  await putSame(context.env.BUCKET, manifestKey(collectionUuid), JSON.stringify(manifest), JSON_TYPE);
};

const listed = async (draft: DraftAssets): Promise<ManifestAsset[]> => {
  const assets: ManifestAsset[] = [];
  for await (const { sha256, referenceSha256, rootSha256, createdAt, ...asset } of draft.behind()) {
    assets.push({
      ...asset,
      sha256: toHex(sha256),
      referenceSha256: referenceSha256 && toHex(referenceSha256),
    });
  }
  return assets;
};

/** Whether a finalization into a collection of this uuid has ever begun. */
export const hasManifest = async ({ env }: ServiceContext, collectionUuid: Uuid): Promise<boolean> =>
  (await env.BUCKET.head(manifestKey(collectionUuid))) !== null;

/** The manifest of a collection; null if R2 has none. */
export const readManifest = async (
  { env }: ServiceContext,
  collectionUuid: Uuid,
): Promise<Manifest | null> => {
  const object = await env.BUCKET.get(manifestKey(collectionUuid));
  return object === null ? null : object.json<Manifest>();
};

/** The data of a restored draft, with its contract. */
type Home = Omit<LostDraft, "id" | "integrationId" | "createdAt"> & {
  /** The contract's account. */
  readonly contract: string;
};

/**
 * Puts a draft back as its manifest has it, locked, with its contract where the database has lost that as well.
 * @throws ServiceError conflict if files of it are gone
 */
export const putDraftBack = async (
  context: ServiceContext,
  manifest: Manifest,
  { contract, ...home }: Home,
): Promise<void> => {
  const { db, now } = context;
  const { draftUuid: id, integrationUuid: integrationId, assets } = manifest;
  await putContractBack(context, { id: home.contractId, integrationId, accountId: contract });
  const files = filesOf(manifest);
  const draft = { id, integrationId, createdAt: new Date(manifest.createdAt), ...home };
  // Files were put long ago: a row that says one is deleted is believed unless R2 has it.
  const statements = [
    ...adoptBlobs(db, files, new Date(0), now()),
    ...putBackDraft(db, draft, assets, now()),
  ];
  await commitWithBlobs(context, files, () => runBatch(db, statements));
};

/** The files of a manifest, each once. */
const filesOf = ({ assets }: Manifest): StoredBlob[] => {
  const files = new Map<string, StoredBlob>();
  for (const { sha256, size, mediaType, referenceSha256, referenceSize } of assets) {
    files.set(sha256, { sha256, size, mediaType });
    if (referenceSha256 === null || referenceSize === null) continue;
    files.set(referenceSha256, { sha256: referenceSha256, size: referenceSize, mediaType: JSON_TYPE });
  }
  return Array.from(files.values());
};

/** Puts a contract back that a collection is in. @throws ServiceError conflict if the account runs no code */
const putContractBack = async (
  context: ServiceContext,
  contract: { readonly id: Uuid; readonly integrationId: Uuid; readonly accountId: string },
): Promise<void> => {
  const { db, now, settings } = context;
  if (await findContract(db, contract.integrationId, contract.id)) return;
  const codeHash = await accountCode(connect(settings), contract.accountId);
  if (codeHash === null)
    throw new ServiceError("conflict", `The account ${contract.accountId} runs no contract.`);
  const times = { createdAt: now(), updatedAt: now() };
  await insertContract(db, { ...contract, codeHash, state: "ready", ...times });
};

/** Whether a draft has as many assets and copies as its collection on the chain. */
export const isAsOnChain = async (
  { db }: ServiceContext,
  draftId: Uuid,
  shown: Pick<ContractCollection, "assets" | "total">,
): Promise<boolean> => {
  const { copies, assets } = await draftTotals(db, draftId);
  return copies === shown.total && assets === shown.assets;
};

/** The API's view of a draft. */
export const toDraft = ({ draft, collectionId }: queries.DraftRow): Draft => ({
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
  ] as const;
  const [stored] = await runBatch(db, statements).catch(async (error: unknown) => {
    throw await toQuotaError(context, integrationId, unlessTaken(error));
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
    // Another request has changed it since, and the response must show that.
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
