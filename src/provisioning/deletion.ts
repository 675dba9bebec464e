import type { ServiceContext } from "../context.ts";
import type { IntegrationRow } from "../db/queries/integrations.ts";
import { hasOpenOperations, deleteIntegration as markDeleted } from "../db/queries/integrations.ts";
import { exactNear } from "../domain/amounts.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { readIntegration, requireUndeleted } from "../integrations/integrations.ts";
import type { Integration } from "../resources/integration.ts";
import { walletOf } from "../wallet/client.ts";

/** A wallet that can spend no more than this is empty: a tenth of a NEAR. yoctoNEAR. */
const EMPTY = 10n ** 23n;

const conflict = (message: string): ServiceError => new ServiceError("conflict", message);

/**
 * Deletes an integration: its keys are revoked, its webhooks go, the scheduled job deletes its drafts. What is on the
 * chain stays there, files of its collections are still served, and its wallet's sealed key is kept.
 * @param leaveFunds whether its wallet may have money left
 * @throws ServiceError not_found; conflict if it isn't suspended, works on something, or has money
 */
export const deleteIntegration = async (
  context: ServiceContext,
  id: Uuid,
  leaveFunds: boolean,
): Promise<Integration> => {
  const row = await requireUndeleted(context, id);
  if (!row.suspendedAt) throw conflict("Suspend the integration first: PUT it with suspended true.");
  if (await hasOpenOperations(context.db, id)) throw working();
  if (!leaveFunds) await refuseMoney(context, row);
  if (!(await markDeleted(context.db, id, context.now()))) throw working();
  context.log("integration.deleted", { integration_uuid: id });
  return readIntegration(context, id);
};

const working = (): ServiceError =>
  conflict("Operations of this integration are not over. Wait for them, and settle those that are unknown.");

const refuseMoney = async (
  { env }: ServiceContext,
  { id, walletState, walletAccountId }: IntegrationRow,
): Promise<void> => {
  if (walletState === "new") return;
  const { available } = await walletOf(env, id).status();
  if (available === null || available === undefined) {
    throw conflict(
      "The wallet's balance can't be read now. Try again later, or leave it there: leave_funds=true, in the terminal --leave-funds.",
    );
  }
  if (BigInt(available) > EMPTY) {
    throw conflict(
      `The wallet ${walletAccountId} has ${exactNear(available)} NEAR to spend. Resume the integration and have it paid out, or leave it there: leave_funds=true, in the terminal --leave-funds. The wallet's sealed key is kept.`,
    );
  }
};
