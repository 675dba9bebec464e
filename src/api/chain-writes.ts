import { allowlistAddAccounts, allowlistRemoveAccounts } from "./allowlist/change.ts";
import { allowlistClearAccounts } from "./allowlist/clear.ts";
import { collectionsUpdate } from "./collections/update.ts";
import { draftsFinalize } from "./drafts/finalize.ts";
import { dropsClose, dropsCreate, dropsExtend } from "./drops/endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { nftsMint } from "./nfts/mint.ts";
import { nftsUpdate } from "./nfts/update.ts";
import { walletPayout } from "./service/payout.ts";

/** Endpoints whose writes go to the chain, and have a cost that can be quoted. A test compares them with the document. */
export const CHAIN_WRITES: readonly Endpoint[] = [
  draftsFinalize,
  collectionsUpdate,
  allowlistAddAccounts,
  allowlistRemoveAccounts,
  allowlistClearAccounts,
  nftsMint,
  nftsUpdate,
  dropsCreate,
  dropsExtend,
  dropsClose,
  walletPayout,
];
