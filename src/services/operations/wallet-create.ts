import { setWalletState } from "../../db/queries/provisioning.ts";
import { nextStep } from "../../domain/steps.ts";
import { walletOf } from "../../wallet/client.ts";
import { type KindRules, succeeded } from "./kind.ts";

/** What the making of a wallet's account needs. */
export interface WalletCreateOperation {
  readonly accountId: string;
  /** Hexadecimal of 32 bytes. */
  readonly publicKey: string;
  /** yoctoNEAR. */
  readonly funding: string;
}

/** One transaction of the platform account: create, fund, give the key. */
export const walletCreateRules: KindRules<WalletCreateOperation> = {
  wallet: "platform",

  next: (_request, outcomes) => nextStep(["create"], outcomes, () => null),

  transaction: async (_context, { request }) => ({
    receiverId: request.accountId,
    actions: [
      { kind: "create_account" },
      { kind: "transfer", deposit: request.funding },
      { kind: "add_full_access_key", publicKey: Buffer.from(request.publicKey, "hex") },
    ],
  }),

  effects: async (context, { id, request, integrationId }, records) => {
    await walletOf(context.env, integrationId).activate();
    return {
      status: 201,
      body: {
        integration_uuid: integrationId,
        wallet_account_id: request.accountId,
        wallet_state: "ready",
        tx_results: [succeeded(records, "create").result],
      },
      statements: [setWalletState(context.db, integrationId, "ready", id, context.now())],
    };
  },

  // The key and the account's name stay: the next attempt uses them.
  onFailure: (context, { id, integrationId }) => [
    setWalletState(context.db, integrationId, "new", id, context.now()),
  ],
};
