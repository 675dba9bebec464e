import { sql } from "drizzle-orm";
import type { Override } from "../../chain/contract/calls.ts";
import type { ServiceContext } from "../../context.ts";
import { noteAddedFiles } from "../../db/queries/collection-media.ts";
import { putFilesBack } from "../../files/uploads/media-note.ts";
import { type Operation, Unrestorable } from "../kind.ts";

/** Files of a mint or of a token's update. */

/** SHA-256 in base64 of the files in the metadata. */
export const filesOf = (metadata: Override | null): string[] =>
  [metadata?.media, metadata?.reference].flatMap((file) => (file ? [file.sha256] : []));

/** Restores a collection's references to the files of a mint or update. @throws Unrestorable */
export const restoreFiles = async (
  context: ServiceContext,
  { id, integrationId, subjectId }: Pick<Operation<unknown>, "id" | "integrationId" | "subjectId">,
  metadata: Override | null,
): Promise<void> => {
  const files = filesOf(metadata).map((base64) => Buffer.from(base64, "base64").toString("hex"));
  const gone = await putFilesBack(context, { integrationId, id: subjectId }, files);
  const brought = { collectionId: subjectId, operationId: id };
  if (files.length > 0) await noteAddedFiles(context.db, brought, files, sql`true`);
  if (gone.length > 0) throw new Unrestorable(`Files that it brought are gone from R2: ${gone.join(", ")}.`);
};
