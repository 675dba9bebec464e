import { type SQL, sql } from "drizzle-orm";
import { contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { ServiceContext } from "../context.ts";
import { isLeft, wasLeft } from "../db/queries/contracts.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";

/** The condition of a write to a contract, and beside it that the wallet hasn't lost its role there to a hand-over. */
export const unlessLeft = (contract: string, condition: SQL = sql`true`): SQL =>
  sql`((${condition}) AND NOT ${isLeft(contract)})`;

/**
 * Whether a wallet lost its role in a contract to a hand-over and has one all the same: until the hand-over is accepted, the
 * wallet still is the owner, and the next owner may make it an admin again. The contract is asked only after a hand-over.
 * @throws ServiceError conflict where it has none, which the contract would refuse for its gas; ChainUnavailableError
 */
export const hasRoleAgain = async (
  context: ServiceContext,
  integrationId: Uuid,
  contract: string,
): Promise<boolean> => {
  if (!(await wasLeft(context.db, contract))) return false;
  const [roles, integration] = await Promise.all([
    contractViews(connectFor(context), contract).roles(),
    findIntegration(context.db, integrationId),
  ]);
  const wallet = integration?.walletAccountId ?? "";
  if (roles.owner_id === wallet || roles.admin_ids.includes(wallet)) return true;
  throw new ServiceError(
    "conflict",
    `Ask ${roles.owner_id}, the owner of the contract ${contract}, to make the wallet ${wallet} an admin of it: it was handed over, and the wallet kept no role. Nothing was sent.`,
    { outcome: "not_submitted", retryable: false },
  );
};
