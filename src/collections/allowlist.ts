// collections/: collections and tokens as D1 and the chain show them, and the directory of a collection's files.

import type { Caller, ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import { readableOf } from "./collection-target.ts";

/** Whether an account is on a collection's allowlist, as the last final block says. @throws ServiceError not_found, chain_unavailable */
export const allowlistCheck = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  account: string,
): Promise<{ readonly is_allowlisted: boolean }> => {
  const { collectionId, views } = await readableOf(context, caller, collectionUuid);
  return { is_allowlisted: await views.isAllowlisted(collectionId, account) };
};
