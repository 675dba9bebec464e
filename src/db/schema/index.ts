// db/schema/: a table a file, from which drizzle-kit generates the migrations.

export { apiKeys } from "./api-keys.ts";
export { archives } from "./archives.ts";
export { behindWallets } from "./behind-wallets.ts";
export { blobLeaves } from "./blob-leaves.ts";
export { blobs } from "./blobs.ts";
export { broughtFiles } from "./brought-files.ts";
export { claimDrops } from "./claim-drops.ts";
export { claims } from "./claims.ts";
export { collectionBlobs } from "./collection-blobs.ts";
export { collectionPages } from "./collection-pages.ts";
export { collections } from "./collections.ts";
export { contracts } from "./contracts.ts";
export { draftAssets } from "./draft-assets.ts";
export { drafts } from "./drafts.ts";
export { events } from "./events.ts";
export { idempotencyKeys } from "./idempotency-keys.ts";
export { integrations } from "./integrations.ts";
export { mintTransactions } from "./mint-transactions.ts";
export { mintedHundreds } from "./minted-hundreds.ts";
export { countedOpen, mintedCounts, operationCounts } from "./operation-counts.ts";
export { operations } from "./operations.ts";
export { publications } from "./publications.ts";
export { quotes } from "./quotes.ts";
export { referenceTraits } from "./reference-traits.ts";
export { sweeps } from "./sweeps.ts";
export { transactions } from "./transactions.ts";
export { webhooks } from "./webhooks.ts";
