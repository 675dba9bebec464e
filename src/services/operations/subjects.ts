import { findCollection } from "../../db/queries/collections.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { CollectionTarget } from "./kind.ts";

/** Where one of the caller's collections is on the chain. @throws ServiceError not_found */
export const targetOf = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<CollectionTarget> => {
  const row = await findCollection(context.db, caller.integrationId, collectionUuid);
  if (!row) throw new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");
  return { contract: row.contractAccountId, collectionId: row.collection.onChainId };
};
