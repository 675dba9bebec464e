import type { CodeState } from "../api/resources/contract.ts";
import type { ServiceContext } from "../context.ts";
import { runBatch } from "../db/client.ts";
import type { DraftAssets } from "../db/draft-assets.ts";
import { ledgerOf } from "../db/ledger.ts";
import { insertCollection } from "../db/queries/collection-effects.ts";
import type { Statement } from "../db/statements.ts";
import type { Uuid } from "../domain/ids.ts";
import type { LockRecord } from "../domain/locks.ts";
import type { RevealRecord } from "../domain/reveal.ts";
import type { CollectionSettings } from "../domain/settings.ts";
import { commitWithBlobs } from "../files/uploads/commit-blobs.ts";
import { requireAccounts } from "./accounts.ts";
import { buildCollectionDirectory, keepDirectory } from "./directory.ts";

const TABLES = ["initial_royalties", "ongoing_royalties"] as const;

/** Makes sure that all who receive royalties exist. @throws ServiceError unknown_account, chain_unavailable */
export const requirePayees = (
  context: ServiceContext,
  settings: Partial<Pick<CollectionSettings, (typeof TABLES)[number]>>,
): Promise<void> =>
  requireAccounts(
    context,
    TABLES.flatMap((table) =>
      Object.keys(settings[table] ?? {}).map((accountId) => ({ path: [table, accountId], accountId })),
    ),
    "Name an account that exists on the chain: this one could never receive its share.",
  );

/** A collection on the chain that its ledger doesn't have yet. */
export interface NewCollection {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly contractId: Uuid;
  readonly contractAccountId: string;
  readonly codeState: CodeState;
  readonly draftId: Uuid;
  readonly onChainId: number;
  readonly settings: CollectionSettings;
  readonly total: number;
  readonly assets: number;
  readonly minted: number;
  readonly locks: LockRecord;
  /** Height of a final block that has the collection. */
  readonly height: number;
  /** Null: its assets were never hidden. */
  readonly reveal: RevealRecord | null;
  readonly revealAt: Date | null;
}

/** Builds a collection's directory and stores it, and the row and statements of the ledger that insert the collection. */
export const newCollection = async (
  context: ServiceContext,
  collection: NewCollection,
  assets: DraftAssets,
) => {
  const startedAt = context.now();
  const directory = await buildCollectionDirectory(context, assets);
  const now = context.now();
  const { reveal } = collection;
  const isHidden = reveal !== null && reveal.shown < collection.assets;
  const row = {
    ...collection,
    earned: "0",
    earnedOwn: true,
    eventsReportedTo: 0,
    scannedSeq: 0,
    phaseCounts: null,
    hasPage: false,
    ledgerVersion: 0,
    ipfsRoot: directory.rootSha256,
    // A node would announce the files of hidden assets.
    pinState: context.settings.KUBO_RPC_URL && !isHidden ? ("pending" as const) : null,
    pinError: null,
    pinCursor: 0,
    pinAttempts: 0,
    pinRetryAt: null,
    createdAt: now,
    updatedAt: now,
  };
  // Before the collection is known, so that none is known without its files. Repeatable.
  await commitWithBlobs(context, directory.blocks, () =>
    runBatch(context.db, keepDirectory(context, collection, directory, startedAt)),
  );
  const statements: Statement[] = [insertCollection(ledgerOf(context, collection.integrationId), row)];
  return { directory, row, statements };
};
