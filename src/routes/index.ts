import { assetBulk } from "./asset-bulk.ts";
import { collectionsList } from "./collections-list.ts";
import { collectionsRead } from "./collections-read.ts";
import { draftAssetsDelete, draftAssetsList } from "./draft-assets.ts";
import { draftsCreate } from "./drafts-create.ts";
import { draftsDelete } from "./drafts-delete.ts";
import { draftsList } from "./drafts-list.ts";
import { draftsRead } from "./drafts-read.ts";
import { draftsUpdate } from "./drafts-update.ts";
import type { Endpoint } from "./endpoint.ts";
import { health, ready } from "./health.ts";

/** Everything under /api/v1, in the order in which the reference shows it. */
export const API_ENDPOINTS: readonly Endpoint[] = [
  draftsCreate,
  draftsRead,
  draftsList,
  draftsUpdate,
  draftsDelete,
  assetBulk,
  draftAssetsList,
  draftAssetsDelete,
  collectionsRead,
  collectionsList,
];

/** What says how the service itself is. */
export const SERVICE_ENDPOINTS: readonly Endpoint[] = [health, ready];
