import { type SQL, sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import { type Database, runBatch } from "../../db/client.ts";
import { findContract, isReady } from "../../db/queries/contracts.ts";
import type { DraftRow } from "../../db/queries/drafts.ts";
import { keepWithEffect, unlessTaken } from "../../db/queries/idempotency.ts";
import { draftWeight, mayCreateDraft, refuseAbove, weigh } from "../../db/queries/usage.ts";
import { refuseUsedUp, toQuotaError } from "../../db/quota.ts";
import { drafts } from "../../db/schema/index.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { DraftRequest } from "../../domain/requests.ts";
import { show } from "../../http/typed-response.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { type Draft, draftView } from "../resources/draft.ts";
import { draftBody } from "../schemas/collection-settings.ts";
import { toDraft } from "./read.ts";

/** A new draft: open, without a finalization. */
type NewDraft = Omit<DraftRow["draft"], "state" | "operationId">;

/** Stores a new draft if `condition` holds. The result has its id if it was stored. */
const insertDraft = (db: Database, draft: NewDraft, condition: SQL) =>
  db
    .insert(drafts)
    .select(sql`
      SELECT ${uuidToBytes(draft.id)}, ${uuidToBytes(draft.integrationId)}, ${uuidToBytes(draft.contractId)},
        ${JSON.stringify(draft.settings)}, 'draft', NULL, ${uuidToBytes(draft.plannedCollectionId)},
        ${draft.createdAt.getTime()}, ${draft.updatedAt.getTime()}
      WHERE ${condition}`)
    .returning({ id: drafts.id });

/** Condition: a draft exists. */
const isThere = (id: Uuid): SQL => sql`EXISTS (SELECT 1 FROM drafts WHERE id = ${uuidToBytes(id)})`;

/** Requires a ready contract of the integration. @throws ServiceError invalid_request */
export const checkContract = async (
  context: ServiceContext,
  caller: Caller,
  contractUuid: Uuid,
): Promise<void> => {
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
const createDraft = async (
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
 * Stores a draft and, in the same batch, the response under the caller's Idempotency-Key: a crash between the two would
 * let a repeated request create a second draft.
 */
const keepCreated = async (
  context: ServiceContext,
  caller: Caller,
  draft: NewDraft,
  answer: Draft,
): Promise<void> => {
  const { db } = context;
  const { integrationId, requestKey } = caller;
  const answered = requestKey && (await requestKey.keeps(201, JSON.stringify(answer)));
  const insertion = insertDraft(
    db,
    draft,
    sql`${isReady(integrationId, draft.contractId)} AND ${mayCreateDraft(integrationId)}`,
  );
  const statements = [
    insertion,
    weigh(db, integrationId, draftWeight(integrationId, draft.id), 1),
    ...keepWithEffect(db, answered, isThere(draft.id)),
    refuseAbove(db, integrationId, "database_bytes"),
  ] as const;
  const [stored] = await runBatch(db, statements).catch(async (error: unknown) => {
    throw await toQuotaError(context, integrationId, unlessTaken(error));
  });
  if (stored.length > 0) return;
  await checkContract(context, caller, draft.contractId);
  await refuseUsedUp(context, integrationId, ["drafts"]);
  // The contract has become ready, or there is room again.
  await keepCreated(context, caller, draft, answer);
};

export const draftsCreate = endpoint(
  {
    method: "post",
    path: "/collection-draft",
    operationId: "createCollectionDraft",
    tag: "Collection drafts",
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
  async (c, { body }) => show(c, await createDraft(c.get("context"), c.get("caller"), body), 201),
);
