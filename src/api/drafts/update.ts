import type { Caller, ServiceContext } from "../../context.ts";
import { changeDraft } from "../../db/queries/drafts.ts";
import { noRoom } from "../../db/quota.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import {
  changedSettings,
  configIssues,
  hasConfigChanges,
  type SettingsChanges,
} from "../../domain/settings.ts";
import { noDraft } from "../../files/uploads/assets.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { draftView } from "../resources/collection.ts";
import { draftChangesBody } from "../schemas/collection-settings.ts";
import { draftParam } from "../schemas/parameters.ts";
import { checkContract } from "./create.ts";
import { requireDraft, toDraft } from "./read.ts";

/** The refusal of a change that comes too late. */
export const draftLocked = () =>
  new ServiceError("draft_locked", "The draft's finalization has begun: it can't change.");

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
  const answered =
    requestKey && (await requestKey.keeps(200, JSON.stringify(toDraft({ ...read, draft }, caller.baseUrl))));
  return { read, changed, answered };
};

export const draftsUpdate = endpoint(
  {
    method: "put",
    path: "/collection-draft/{collection_draft_uuid}",
    operationId: "updateCollectionDraft",
    scope: "drafts",
    tag: "Collection drafts",
    summary: "Change a draft",
    description:
      "Absent fields stay; null clears, also within public_mint_config and private_mint_config. `phases` replaces all phases. Refused once the finalization has begun.",
    request: {
      params: draftParam,
      body: jsonBody(draftChangesBody, { title: "Night Herons II", description: null }),
    },
    success: { 200: json("The draft as it is now.", draftView) },
    errors: ["draft_locked"],
  },
  async ({ context, caller, params: { collection_draft_uuid: id }, body }) => {
    const { contract_uuid: contractUuid, ...changes } = body;
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
      if (isChanged) return toDraft(row, caller.baseUrl);
      // Another request has changed it since, and the response must show both changes.
      if (asRead && row.draft.updatedAt.getTime() !== asRead.read.draft.updatedAt.getTime()) continue;
      if (contractId !== undefined) await checkContract(context, caller, contractId);
      throw row.draft.state === "draft" ? await noRoom(context, integrationId) : draftLocked();
    }
  },
);
