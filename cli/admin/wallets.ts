import type { Wallet } from "../../client/src/index.ts";
import type { Command, Result } from "./command.ts";
import { shown } from "./result.ts";

const walletShown = (status: Wallet): Result => shown(status);

/** Commands on wallets, the platform's own among them. */
export const WALLET_COMMANDS: Readonly<Record<string, Command>> = {
  wallet: {
    takes: "<integration>",
    does: "shows its wallet: balance, lanes, queue",
    run: async (admin, [uuid = ""]) => walletShown(await admin.wallets.status(uuid)),
  },
  "wallet create": {
    takes: "<integration>",
    does: "creates its wallet if that failed before",
    run: async (admin, [uuid = ""]) => shown(await admin.wallets.create(uuid)),
  },
  "wallet restore": {
    takes: "<integration>",
    does: "restores a lost wallet and its ledger from the database and the bucket",
    run: async (admin, [uuid = ""]) => walletShown(await admin.wallets.restore(uuid)),
  },
  "wallet activate": {
    takes: "<integration>",
    does: "lets a restored wallet sign again",
    run: async (admin, [uuid = ""]) => walletShown(await admin.wallets.activate(uuid)),
  },
  platform: {
    takes: "",
    does: "shows the platform's own wallet",
    run: async (admin) => walletShown(await admin.wallets.platform()),
  },
};
