import type { Collection } from "../api/resources/collection.ts";
import type { Caller, ServiceContext } from "../context.ts";
import * as queries from "../db/queries/collections.ts";
import { cursorUuid, type Page, pageOf } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { inOrder } from "../domain/settings.ts";
import { dagPbCid } from "../files/ipfs/cid.ts";

/** The API's view of a collection. */
export const toCollection = (
  collection: queries.CollectionRow["collection"],
  contractAccountId: string,
): Collection => ({
  collection_uuid: collection.id,
  collection_id: collection.onChainId,
  collection_draft_uuid: collection.draftId,
  contract_uuid: collection.contractId,
  contract_address: contractAccountId,
  ...inOrder(collection.settings),
  total_copies: collection.total,
  total_assets: collection.assets,
  minted: collection.minted,
  earned: collection.earned,
  ipfs_root_cid: dagPbCid(collection.ipfsRoot),
  pin_state: collection.pinState,
  created_at: collection.createdAt.toISOString(),
  updated_at: collection.updatedAt.toISOString(),
});

/** The row of one of the caller's collections, with its contract. @throws ServiceError not_found */
export const requireCollection = async (
  { db }: Pick<ServiceContext, "db">,
  { integrationId }: Pick<Caller, "integrationId">,
  id: Uuid,
) => {
  const row = await queries.findCollection(db, integrationId, id);
  if (!row) throw new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");
  return row;
};

/** One collection. @throws ServiceError not_found */
export const readCollection = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  id: Uuid,
): Promise<Collection> => {
  const { collection, contractAccountId } = await requireCollection(context, caller, id);
  return toCollection(collection, contractAccountId);
};

/** Some collections, newest first; the cursor is the id of the last one before. */
export const listCollections = async (
  context: ServiceContext,
  caller: Caller,
  cursor: string | null,
  size: number,
): Promise<Page<Collection>> => {
  const after = cursorUuid(cursor);
  const rows = await queries.listCollections(context.db, caller.integrationId, after, size + 1);
  const views = rows.map((row) => toCollection(row.collection, row.contractAccountId));
  return pageOf(views, size, (collection) => collection.collection_uuid, rows[0]?.candidates);
};
