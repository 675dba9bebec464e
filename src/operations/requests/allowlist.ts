import { readableOf, targetOf } from "../../collections/collection-target.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { perform } from "../engine/accept.ts";
import type { AllowlistOperation } from "../kinds/allowlist.ts";

const change = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  kind: AllowlistOperation["change"],
  accounts: readonly string[],
): Promise<Answer> => {
  const target = await targetOf(context, caller, collectionUuid);
  const request: AllowlistOperation = { ...target, change: kind, accounts: [...new Set(accounts)] };
  return perform(context, caller, { kind, subjectId: collectionUuid, request });
};

/** Puts up to 500 accounts on a collection's allowlist. @throws ServiceError not_found and those of a chain write */
export const allowlistAdd = (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  accounts: readonly string[],
): Promise<Answer> => change(context, caller, collectionUuid, "allowlist_add", accounts);

/** Takes up to 500 accounts off it. @throws ServiceError not_found and those of a chain write */
export const allowlistRemove = (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  accounts: readonly string[],
): Promise<Answer> => change(context, caller, collectionUuid, "allowlist_remove", accounts);

/** Empties it in one transaction, whatever its size. @throws ServiceError not_found and those of a chain write */
export const allowlistClear = (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
): Promise<Answer> => change(context, caller, collectionUuid, "allowlist_clear", []);

/** Whether an account is on it, as the last final block says. @throws ServiceError not_found, chain_unavailable */
export const allowlistCheck = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  account: string,
): Promise<Answer<{ readonly is_allowlisted: boolean }>> => {
  const { collectionId, views } = await readableOf(context, caller, collectionUuid);
  return { status: 200, body: { is_allowlisted: await views.isAllowlisted(collectionId, account) } };
};
