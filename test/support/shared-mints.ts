import { env } from "cloudflare:workers";
import type { Uuid } from "../../src/domain/ids.ts";
import { walletOf } from "../../src/wallet/client.ts";
import { until } from "./waiting.ts";
import { setWalletSettings } from "./wallets.ts";

/** Has a wallet sign nothing and add no keys while `work` is done, so that what comes waits together. */
export const unsigned = async <T>(integrationUuid: string, work: () => Promise<T>): Promise<T> => {
  // A restarted object has no lane that is on its way, and settings of its own.
  await until(async () => (await walletOf(env, integrationUuid as Uuid).status()).open === 0);
  const setBack = await setWalletSettings(integrationUuid, { LANE_DEPTH: 0, MAX_LANES: 1 });
  try {
    return await work();
  } finally {
    await setBack();
  }
};
