import type { Caller, ServiceContext } from "../../context.ts";
import { type DraftRow, findDraft } from "../../db/queries/drafts.ts";
import type { Uuid } from "../../domain/ids.ts";
import { requireReach } from "../../domain/key-rights.ts";
import { asShown } from "../../domain/settings.ts";
import { gatewayUrl, rawCid } from "../../files/ipfs/cid.ts";
import { noDraft } from "../../files/uploads/assets.ts";
import { endpoint, json } from "../endpoint.ts";
import { type Draft, draftView } from "../resources/collection.ts";
import { draftParam } from "../schemas/parameters.ts";

const placeholderOf = (base: string, cid: string) => ({ asset_cid: cid, asset_url: gatewayUrl(base, cid) });

/** A draft as the API shows it. @param base address of the gateway */
export const toDraft = ({ draft, collectionId }: DraftRow, base: string): Draft => ({
  collection_draft_uuid: draft.id,
  contract_uuid: draft.contractId,
  state: draft.state,
  collection_uuid: collectionId,
  operation_uuid: draft.operationId,
  ...asShown(draft.settings),
  reveal: draft.settings.reveal ?? false,
  asset_placeholder: draft.placeholderSha256 && placeholderOf(base, rawCid(draft.placeholderSha256)),
  created_at: draft.createdAt.toISOString(),
  updated_at: draft.updatedAt.toISOString(),
});

/** A draft of the caller's integration. @throws ServiceError not_found */
export const requireDraft = async ({ db }: ServiceContext, caller: Caller, id: Uuid): Promise<DraftRow> => {
  const row = await findDraft(db, caller.integrationId, id);
  if (!row) throw noDraft();
  if (caller.rights.collections !== null) requireReach(caller.rights, row.collectionId ?? "");
  return row;
};

export const draftsRead = endpoint(
  {
    method: "get",
    path: "/collection-draft/{collection_draft_uuid}",
    operationId: "getCollectionDraft",
    scope: "read",
    limitsCollections: true,
    tag: "Collection drafts",
    summary: "Read one draft",
    request: { params: draftParam },
    success: { 200: json("The draft.", draftView) },
  },
  async ({ context, caller, params }) =>
    toDraft(await requireDraft(context, caller, params.collection_draft_uuid), caller.baseUrl),
);
