import { sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { findContract, isReady } from "../../db/queries/contracts.ts";
import type { DraftRow } from "../../db/queries/drafts.ts";
import { keepWithEffect, unlessTaken } from "../../db/queries/idempotency.ts";
import { draftWeight, mayCreateDraft, refuseAbove, weigh } from "../../db/queries/usage.ts";
import { refuseUsedUp, toQuotaError } from "../../db/quota.ts";
import { drafts } from "../../db/schema/index.ts";
import { invalidField, ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { type Draft, draftView } from "../resources/collection.ts";
import { draftBody } from "../schemas/collection-settings.ts";
import { toDraft } from "./read.ts";

/** Requires a ready contract of the integration. @throws ServiceError invalid_request */
export const checkContract = async (context: ServiceContext, caller: Caller, id: Uuid): Promise<void> => {
  const contract = await findContract(context.db, caller.integrationId, id);
  if (contract?.state === "ready") return;
  const path = ["contract_uuid"];
  if (contract?.state !== "deploying")
    throw invalidField(path, "Give the contract_uuid of a contract of this integration that is ready.");
  const message = "This contract is being deployed. Send the request again in a few seconds.";
  throw new ServiceError("invalid_request", message, { issues: [{ path, message }], retryable: true });
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
        ${draft.placeholderSha256}, ${draft.createdAt.getTime()}, ${draft.updatedAt.getTime()}
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

export const draftsCreate = endpoint(
  {
    method: "post",
    path: "/collection-draft",
    operationId: "createCollectionDraft",
    scope: "drafts",
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
  async ({ context, caller, body: { contract_uuid: contractUuid, ...settings } }) => {
    const now = context.now();
    const draft = {
      id: newUuid(),
      integrationId: caller.integrationId,
      contractId: contractUuid as Uuid,
      settings,
      state: "draft" as const,
      operationId: null,
      plannedCollectionId: newUuid(),
      placeholderSha256: null,
      createdAt: now,
      updatedAt: now,
    };
    const answer = toDraft({ draft, collectionId: null }, caller.baseUrl);
    // Where it wasn't stored although nothing refuses it, the contract has become ready, or there is room again.
    while (!(await storeDraft(context, caller, draft, answer))) {
      await checkContract(context, caller, draft.contractId);
      await refuseUsedUp(context, caller.integrationId, ["drafts"]);
    }
    return answer;
  },
);
