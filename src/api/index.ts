import { allowlistAddAccounts, allowlistRemoveAccounts } from "./allowlist/change.ts";
import { allowlistCheckAccount } from "./allowlist/check.ts";
import { allowlistClearAccounts } from "./allowlist/clear.ts";
import { eligibilityRead } from "./collections/eligibility.ts";
import { holdersList } from "./collections/holders.ts";
import { collectionsList } from "./collections/list.ts";
import { pageRead, pageUpdate } from "./collections/page.ts";
import { collectionsRead } from "./collections/read.ts";
import { collectionsUpdate } from "./collections/update.ts";
import { assetBulk } from "./drafts/asset-bulk.ts";
import { draftAssetsDelete, draftAssetsList } from "./drafts/assets.ts";
import { draftsCreate } from "./drafts/create.ts";
import { draftsDelete } from "./drafts/delete.ts";
import { draftsFinalize } from "./drafts/finalize.ts";
import { draftsList } from "./drafts/list.ts";
import { draftsRead } from "./drafts/read.ts";
import { draftsUpdate } from "./drafts/update.ts";
import { dropsClose, dropsCreate, dropsExtend, dropsList, dropsRead } from "./drops/endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { eventsList } from "./events/list.ts";
import { nftsList } from "./nfts/list.ts";
import { nftsMint } from "./nfts/mint.ts";
import { nftsUpdate } from "./nfts/update.ts";
import { operationsList } from "./operations/list.ts";
import { operationsRead } from "./operations/read.ts";
import { transactionsList } from "./operations/transactions.ts";
import { quotesCreate } from "./quotes/create.ts";
import { health, ready } from "./service/health.ts";
import { me } from "./service/me.ts";
import { walletPayout } from "./service/payout.ts";
import {
  webhookDeliveries,
  webhooksCreate,
  webhooksDelete,
  webhooksList,
  webhooksRead,
  webhooksReplay,
  webhooksRotate,
  webhooksTest,
  webhooksUpdate,
} from "./webhooks/endpoints.ts";

/** Everything under /api/v1, in the order in which the reference shows it. */
export const API_ENDPOINTS: readonly Endpoint[] = [
  me,
  walletPayout,
  draftsCreate,
  draftsRead,
  draftsList,
  draftsUpdate,
  draftsDelete,
  assetBulk,
  draftAssetsList,
  draftAssetsDelete,
  draftsFinalize,
  collectionsRead,
  collectionsList,
  collectionsUpdate,
  pageRead,
  pageUpdate,
  eligibilityRead,
  holdersList,
  allowlistAddAccounts,
  allowlistRemoveAccounts,
  allowlistClearAccounts,
  allowlistCheckAccount,
  nftsMint,
  nftsUpdate,
  nftsList,
  quotesCreate,
  dropsCreate,
  dropsRead,
  dropsList,
  dropsExtend,
  dropsClose,
  operationsRead,
  operationsList,
  transactionsList,
  eventsList,
  webhooksCreate,
  webhooksList,
  webhooksRead,
  webhooksUpdate,
  webhooksDelete,
  webhooksRotate,
  webhooksTest,
  webhooksReplay,
  webhookDeliveries,
];

/** Endpoints about the state of the service. */
export const SERVICE_ENDPOINTS: readonly Endpoint[] = [health, ready];
