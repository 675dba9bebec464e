import { setWalletState } from "../../db/queries/provisioning.ts";
import { walletOf } from "../../wallet/client.ts";
import { type KindResults, kindOf } from "../kind.ts";
import { succeeded } from "../records.ts";

/** The creation of a wallet's account, as stored with its operation. */
export interface WalletCreateOperation {
  readonly accountId: string;
  /** Hexadecimal of 32 bytes. */
  readonly publicKey: string;
  /** yoctoNEAR. */
  readonly funding: string;
}

/** One transaction of the platform account: creates and funds the account and adds its key. */
export const walletCreateKind = kindOf<WalletCreateOperation, null, KindResults["wallet_create"]>({
  facts: () => null,

  steps: () => ["create"],
  storage: null,

  transaction: async (_context, { request }) => ({
    receiverId: request.accountId,
    actions: [
      { kind: "create_account" },
      { kind: "transfer", deposit: request.funding },
      { kind: "add_full_access_key", publicKey: Buffer.from(request.publicKey, "hex") },
    ],
  }),

  effects: async (context, { request, integrationId }, { records }) => {
    const wallet = walletOf(context.env, integrationId);
    // The operator activates a wallet that was lost and restored since.
    if ((await wallet.status()).state === "prepared") await wallet.activate();
    return {
      status: 201,
      body: {
        integration_uuid: integrationId,
        wallet_account_id: request.accountId,
        wallet_state: "ready",
        tx_results: [succeeded(records, "create").result],
      },
      statements: [],
      indexed: [setWalletState(context.db, integrationId, "ready", context.now())],
    };
  },

  // The key and the account name are kept for the next attempt.
  onFailure: (context, { integrationId }) => ({
    indexed: [setWalletState(context.db, integrationId, "new", context.now())],
  }),
});
