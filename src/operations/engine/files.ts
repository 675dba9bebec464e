import type { Override } from "../../chain/contract/calls.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import { keepBlobs, reliesOnGone } from "../../db/queries/blobs.ts";
import type { NewOperation } from "../../db/queries/operations.ts";
import { keyInFlight, ServiceError } from "../../domain/errors.ts";
import { putFilesBack } from "../../uploads/media-note.ts";
import { type Operation, Unrestorable } from "../kind.ts";
import { accept } from "./accept.ts";
import { carryOut } from "./carry-out.ts";

/** SHA-256 in base64 of the files that metadata names. */
export const filesOf = (metadata: Override | null): string[] =>
  [metadata?.media, metadata?.reference].flatMap((file) => (file ? [file.sha256] : []));

/** Has the collection of a mint or an update keep the files again that it brought. @throws Unrestorable */
export const restoreFiles = async (
  context: ServiceContext,
  { integrationId, subjectId }: Pick<Operation<unknown>, "integrationId" | "subjectId">,
  metadata: Override | null,
): Promise<void> => {
  const files = filesOf(metadata).map((base64) => Buffer.from(base64, "base64").toString("hex"));
  const gone = await putFilesBack(context, { integrationId, id: subjectId }, files);
  if (gone.length > 0) throw new Unrestorable(`Files that it brought are gone from R2: ${gone.join(", ")}.`);
};

/**
 * Accepts an operation on a collection together with files that its request names, so that the collection keeps them
 * from the moment of acceptance, and carries it out.
 * @param files SHA-256 of each in lower-case hexadecimal
 */
export const performWithFiles = async (
  context: ServiceContext,
  caller: Caller,
  operation: Omit<NewOperation, "id" | "integrationId">,
  files: readonly string[],
): Promise<Answer> => {
  const before = files.length === 0 ? [] : keepBlobs(context.db, operation.subjectId, files);
  const row = await accept(context, caller, { operation, before }).catch((error: unknown) => {
    throw reliesOnGone(error) ? clearedAway(error) : error;
  });
  if (!row) throw keyInFlight();
  return carryOut(context, caller, row, { brought: true });
};

const clearedAway = (cause: unknown): ServiceError =>
  new ServiceError(
    "asset_url_failed",
    "Send the request again: a file of it was being cleared away just now.",
    {
      outcome: "not_submitted",
      retryable: true,
      cause,
    },
  );
