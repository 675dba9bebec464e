import { contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { ServiceContext } from "../context.ts";
import { leftContracts } from "../db/queries/contracts.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { KeptAnswers } from "../kept-answers.ts";

/** Contracts that wallets have left, as this isolate knows them: what changes elsewhere is known half a minute later. */
const left = new KeptAnswers<ReadonlySet<string>>({ lastsMs: 30_000, patienceMs: 5_000, most: 1 });
let turn = 0;

/** Has this isolate read again which contracts were left. */
export const rolesChanged = (): void => {
  turn += 1;
};

/**
 * Refuses a write to a contract in which the integration's wallet has no role any more, which the contract would refuse
 * for its gas. Only where the wallet was taken its role by a hand-over is the contract asked: until that is accepted, the
 * wallet still is the owner, and the next owner may make it an admin again.
 * @throws ServiceError conflict; ChainUnavailableError
 */
export const requireRole = async (
  context: ServiceContext,
  integrationId: Uuid,
  contract: string,
): Promise<void> => {
  const contracts = await left.get(context, String(turn), () => leftContracts(context.db));
  if (!contracts.has(contract)) return;
  const [roles, integration] = await Promise.all([
    contractViews(connectFor(context), contract).roles(),
    findIntegration(context.db, integrationId),
  ]);
  const wallet = integration?.walletAccountId ?? "";
  if (roles.owner_id === wallet || roles.admin_ids.includes(wallet)) return;
  throw new ServiceError(
    "conflict",
    `Ask ${roles.owner_id}, the owner of the contract ${contract}, to make the wallet ${wallet} an admin of it: it was handed over, and the wallet kept no role. Nothing was sent.`,
    { outcome: "not_submitted", retryable: false },
  );
};
