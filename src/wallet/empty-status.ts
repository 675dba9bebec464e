import type { WalletStatus } from "./interface.ts";

/** Status of an object that has no key. */
export const EMPTY: WalletStatus = {
  state: "empty",
  accountId: "",
  publicKey: new Uint8Array(),
  balance: null,
  lanes: [],
  queued: 0,
  open: 0,
  stuck: [],
};
