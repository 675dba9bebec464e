import { buildCollectionDirectory, type CollectionDirectory } from "../../src/collections/directory.ts";
import { DraftAssets } from "../../src/db/draft-assets.ts";
import { adoptBlobs } from "../../src/db/queries/blobs.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { contextAt } from "./uploads.ts";

/** The directory of a draft's files, with its blocks where the gateway finds them. */
export const storedDirectory = async ({
  draftId,
}: {
  readonly draftId: Uuid;
}): Promise<CollectionDirectory> => {
  const context = contextAt();
  const directory = await buildCollectionDirectory(context, new DraftAssets(context.db, draftId));
  for (const statement of adoptBlobs(context.db, directory.blocks, new Date(), new Date())) await statement;
  return directory;
};
