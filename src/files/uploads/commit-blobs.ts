import type { ServiceContext } from "../../context.ts";
import { findGoing, reliesOnGoing, reviveBlobs } from "../../db/queries/blobs.ts";
import { ServiceError } from "../../domain/errors.ts";
import { pause } from "../../waiting.ts";
import { blobKey } from "../storage/keys.ts";

/** How often, and at which interval in milliseconds, a batch is retried while its files are being deleted. */
const TRIES = 20;
const WAIT = 500;

/**
 * Commits a batch that relies on files it has put. Where clean-up deletes one of them at the time, the batch is retried
 * once that has ended, if R2 has the file. @param commit fails on them by `adoptBlobs` @throws ServiceError conflict if
 * a file has to be sent again
 */
export async function commitWithBlobs<Result>(
  context: ServiceContext,
  files: readonly { readonly sha256: string }[],
  commit: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await commit();
    } catch (error) {
      if (!reliesOnGoing(error)) throw error;
      if (attempt > TRIES || !(await afterDeletions(context, files))) throw beingCleared(error);
    }
  }
}

/** Restores the rows of deleted files that are in R2 again. False if one is missing. */
async function afterDeletions(
  context: ServiceContext,
  files: readonly { readonly sha256: string }[],
): Promise<boolean> {
  const going = await findGoing(
    context.db,
    files.map(({ sha256 }) => sha256),
  );
  const deleted = going.filter((file) => file.going === "deleted").map(({ sha256 }) => sha256);
  for (const sha256 of deleted) {
    if ((await context.env.BUCKET.head(blobKey(sha256))) === null) return false;
  }
  for (const statement of reviveBlobs(context.db, deleted, context.now())) await statement;
  if (deleted.length < going.length) await pause(WAIT);
  return true;
}

const beingCleared = (cause: unknown): ServiceError =>
  new ServiceError(
    "conflict",
    "Clean-up deleted files of this request during the upload. Nothing was stored; send the request again.",
    { retryable: true, retryAfter: 10, cause },
  );
