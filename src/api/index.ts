import { allowlistAdd, allowlistRemove } from "./allowlist/change.ts";
import { allowlistCheck } from "./allowlist/check.ts";
import { allowlistClear } from "./allowlist/clear.ts";
import { auditList } from "./audit/list.ts";
import { currencyRead } from "./collections/currency.ts";
import { eligibilityRead } from "./collections/eligibility.ts";
import { holdersList } from "./collections/holders.ts";
import { collectionsList } from "./collections/list.ts";
import { collectionsLock } from "./collections/lock.ts";
import { collectionsRead } from "./collections/read.ts";
import { pageRead } from "./collections/read-page.ts";
import { collectionsReveal } from "./collections/reveal.ts";
import { collectionsUpdate } from "./collections/update.ts";
import { pageUpdate } from "./collections/update-page.ts";
import { assetsAttach } from "./drafts/attach-assets.ts";
import { draftsCreate } from "./drafts/create.ts";
import { draftsDelete } from "./drafts/delete.ts";
import { assetsDelete } from "./drafts/delete-asset.ts";
import { draftsFinalize } from "./drafts/finalize.ts";
import { draftsList } from "./drafts/list.ts";
import { assetsList } from "./drafts/list-assets.ts";
import { draftsRead } from "./drafts/read.ts";
import { draftsUpdate } from "./drafts/update.ts";
import { dropsClose } from "./drops/close.ts";
import { dropsCreate } from "./drops/create.ts";
import { dropsList } from "./drops/list.ts";
import { dropsRead } from "./drops/read.ts";
import { dropsUpdate } from "./drops/update.ts";
import type { Endpoint } from "./endpoint.ts";
import { eventsList } from "./events/list.ts";
import { keysCreate } from "./keys/create.ts";
import { keysDelete } from "./keys/delete.ts";
import { keysList } from "./keys/list.ts";
import { keysRotate } from "./keys/rotate.ts";
import { nftsBurn } from "./nfts/burn.ts";
import { nftsList } from "./nfts/list.ts";
import { nftsLock } from "./nfts/lock.ts";
import { nftsMint } from "./nfts/mint.ts";
import { nftsTransfer } from "./nfts/transfer.ts";
import { nftsUpdate } from "./nfts/update.ts";
import { nftsUpdateBulk } from "./nfts/update-bulk.ts";
import { operationEndpoints } from "./operations/endpoints.ts";
import { quotesCreate } from "./quotes/create.ts";
import { health, ready } from "./service/health.ts";
import { me } from "./service/me.ts";
import { walletPayout } from "./service/payout.ts";
import { webhooksCreate } from "./webhooks/create.ts";
import { webhooksDelete } from "./webhooks/delete.ts";
import { webhooksList } from "./webhooks/list.ts";
import { deliveriesList } from "./webhooks/list-deliveries.ts";
import { webhooksRead } from "./webhooks/read.ts";
import { webhooksReplay } from "./webhooks/replay.ts";
import { webhooksRotateSecret } from "./webhooks/rotate-secret.ts";
import { webhooksSendTest } from "./webhooks/send-test.ts";
import { webhooksUpdate } from "./webhooks/update.ts";

/** Everything under /api/v1, in the order in which the reference shows it. */
export const API_ENDPOINTS: readonly Endpoint[] = [
  [me, walletPayout],
  [keysCreate, keysList, keysRotate, keysDelete, auditList],
  [draftsCreate, draftsRead, draftsList, draftsUpdate, draftsDelete],
  [assetsAttach, assetsList, assetsDelete, draftsFinalize],
  [
    collectionsRead,
    collectionsList,
    collectionsUpdate,
    collectionsReveal,
    collectionsLock,
    pageRead,
    pageUpdate,
    eligibilityRead,
    currencyRead,
    holdersList,
  ],
  [allowlistAdd, allowlistRemove, allowlistClear, allowlistCheck],
  [nftsMint, nftsUpdate, nftsUpdateBulk, nftsLock, nftsTransfer, nftsBurn, nftsList, quotesCreate],
  [dropsCreate, dropsRead, dropsList, dropsUpdate, dropsClose],
  operationEndpoints,
  [eventsList],
  [webhooksCreate, webhooksList, webhooksRead, webhooksUpdate, webhooksDelete],
  [webhooksRotateSecret, webhooksSendTest, webhooksReplay, deliveriesList],
].flat();

/** Endpoints about the state of the service. */
export const SERVICE_ENDPOINTS: readonly Endpoint[] = [health, ready];
