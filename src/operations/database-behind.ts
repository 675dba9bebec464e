import type { ServiceContext } from "../context.ts";
import { hasOperation } from "../db/queries/rollback.ts";
import type { Uuid } from "../domain/ids.ts";
import { walletOf } from "../wallet/client.ts";

/** Whether the database lacks operations of the integration: what they did is reported when they are restored. */
export const isDatabaseBehind = async (
  { db, env }: ServiceContext,
  integrationId: Uuid,
): Promise<boolean> => {
  const { state, latest } = await walletOf(env, integrationId).rollbackCheck();
  return state === "behind" || (latest !== null && !(await hasOperation(db, latest)));
};
