export { blobLeaves, blobs } from "./blobs.ts";
export {
  claimDrops,
  claims,
  collectionBlobs,
  collectionPages,
  collections,
  mintedHundreds,
  referenceTraits,
} from "./collections.ts";
export { contracts, publications } from "./contracts.ts";
export { draftAssets, drafts } from "./drafts.ts";
export { events, webhooks } from "./events.ts";
export { apiKeys, integrations, sweeps } from "./integrations.ts";
export {
  archives,
  behindWallets,
  broughtFiles,
  idempotencyKeys,
  operationCounts,
  operations,
  quotes,
  transactions,
} from "./operations.ts";
