import { allowlistEndpoints } from "./collections/allowlist.ts";
import { collectionEndpoints, eligibilityRead } from "./collections/collections.ts";
import { holdersList } from "./collections/holders.ts";
import { pageEndpoints } from "./collections/page.ts";
import { assetEndpoints } from "./drafts/assets.ts";
import { draftEndpoints, draftsFinalize } from "./drafts/drafts.ts";
import { dropEndpoints } from "./drops/endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { eventsList } from "./events/list.ts";
import { nftEndpoints } from "./nfts/endpoints.ts";
import { operationEndpoints } from "./operations/endpoints.ts";
import { quotesCreate } from "./quotes/create.ts";
import { health, ready } from "./service/health.ts";
import { me } from "./service/me.ts";
import { walletPayout } from "./service/payout.ts";
import { webhookEndpoints } from "./webhooks/endpoints.ts";

/** Everything under /api/v1, in the order in which the reference shows it. */
export const API_ENDPOINTS: readonly Endpoint[] = [
  me,
  walletPayout,
  ...draftEndpoints,
  ...assetEndpoints,
  draftsFinalize,
  ...collectionEndpoints,
  ...pageEndpoints,
  eligibilityRead,
  holdersList,
  ...allowlistEndpoints,
  ...nftEndpoints,
  quotesCreate,
  ...dropEndpoints,
  ...operationEndpoints,
  eventsList,
  ...webhookEndpoints,
];

/** Endpoints about the state of the service. */
export const SERVICE_ENDPOINTS: readonly Endpoint[] = [health, ready];
