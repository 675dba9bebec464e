import type { AdminClient } from "../../client/src/admin.ts";
import type { Me } from "../../client/src/index.ts";
import { commandAdmin, UsageError } from "../command.ts";

/** Sets the account that the folder names as the one that sales are paid out to. */
export interface WantedPayout {
  readonly account: string;
  /** The account that it takes the place of, for all collections of the integration; null: none. */
  readonly instead: string | null;
  /** Undefined where it is set already. */
  readonly set?: () => Promise<void>;
}

/**
 * What is to be done about `payout` of the folder. Only the operator sets that account, so that a stolen key pays nobody
 * else: on this machine, or with MINTAGE_ADMIN_TOKEN, the launch is the operator too.
 * @throws UsageError for whoever isn't
 */
export async function wantedPayout(account: string | null, me: Me): Promise<WantedPayout | null> {
  if (account === null) return null;
  const admin = operator();
  if (admin === null) {
    throw new UsageError(
      `payout: only the service's operator can set the payout account. Ask them to run\n  npm run admin -- payout account ${me.integration_uuid} ${account}\nand remove payout from the folder's settings.`,
    );
  }
  const { payout_account: had } = await admin.integrations.get(me.integration_uuid);
  if (had === account) return { account, instead: null };
  return {
    account,
    instead: had,
    set: async () => void (await admin.integrations.setPayoutAccount(me.integration_uuid, account)),
  };
}

function operator(): AdminClient | null {
  try {
    return commandAdmin();
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
