import type { AdminClient } from "../../client/src/admin.ts";
import type { ContractHandOver } from "../../client/src/index.ts";
import { UsageError } from "../command.ts";

/** To whom a contract goes. */
interface HandOverOptions {
  readonly to?: string;
  readonly withdraw?: boolean;
  readonly leave?: boolean;
}

/** What was proposed, and what its next owner does. */
interface HandOverResult {
  readonly data: ContractHandOver;
  readonly text: string;
}

/** Proposes another owner for a contract, or ends a proposal. @throws UsageError unless it is clear which */
export async function handOverContract(
  admin: AdminClient,
  contract: string,
  { to, withdraw = false, leave = false }: HandOverOptions,
): Promise<HandOverResult> {
  if ((to === undefined) !== withdraw) throw new UsageError("Give --to ACCOUNT, or --withdraw.");
  const data = await admin.contracts.handOver(contract, { account_id: to ?? null, keep_admin: !leave });
  return { data, text: told(data) };
}

const told = ({
  account_id: contract,
  owner_id,
  proposed_owner_id: next,
  wallet_is_admin,
}: ContractHandOver) => {
  const service = wallet_is_admin
    ? "The service's wallet is an admin: it can mint, whoever the owner is."
    : "The service's wallet isn't an admin: once it is no longer the owner, the service can't mint there.";
  if (next === null) return `${owner_id} stays the owner of ${contract}. ${service}`;
  return `${next} becomes the owner of ${contract} once it accepts; until then ${owner_id} is. ${service}

The next owner accepts with a full-access key, for example by near-cli:
  near contract call-function as-transaction ${contract} owner_accept json-args '{}' prepaid-gas '10 Tgas' attached-deposit '1 yoctoNEAR' sign-as ${next}
A wallet of another Mintage service accepts by: npm run admin -- contract accept <integration> ${contract}
An account of npm start's chain: npm run chain -- accept ${next} ${contract}`;
};
