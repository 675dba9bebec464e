import type { Override } from "../../chain/contract/calls.ts";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { pinAgain, pinMedia, releaseMedia } from "../../db/queries/collection-media.ts";
import type { Operation } from "../kind.ts";

/** Files of a mint or of a token's update. */

/** SHA-256 in base64 of the files in the metadata. */
export const filesOf = (metadata: Override | null): string[] =>
  [metadata?.media, metadata?.reference].flatMap((file) => (file ? [file.sha256] : []));

/** What has an operation's files pinned after its success. */
export const pinning = (
  context: ServiceContext,
  { integrationId, subjectId: collectionId }: Pick<Operation<unknown>, "integrationId" | "subjectId">,
  digests: readonly string[],
) => ({
  statements: pinAgain(ledgerOf(context, integrationId), { collectionId, digests }),
  indexed: pinMedia(context.db, { collectionId, digests }),
});

/** Drops files that an operation has brought and that no token shows, after its failure. */
export const releasing = (
  { db }: ServiceContext,
  { id, subjectId: collectionId }: Pick<Operation<unknown>, "id" | "subjectId">,
  digests: readonly string[],
) => ({ indexed: releaseMedia(db, { collectionId, operationId: id, digests }) });
