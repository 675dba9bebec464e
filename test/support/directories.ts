import { buildCollectionDirectory, type CollectionDirectory } from "../../src/collections/directory.ts";
import { DraftAssets } from "../../src/db/draft-assets.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { contextAt } from "./uploads.ts";

/** The directory of a draft's files, with its blocks where the gateway finds them. */
export const storedDirectory = ({ draftId }: { readonly draftId: Uuid }): Promise<CollectionDirectory> => {
  const context = contextAt();
  return buildCollectionDirectory(context, new DraftAssets(context.db, draftId));
};
