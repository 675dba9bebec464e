import type { ServiceContext } from "../../context.ts";
import { toHex } from "../../domain/ids.ts";
import { JSON_TYPE } from "../../domain/media-types.ts";
import type { FileDigests } from "../ipfs/file-hasher.ts";
import { mediaNoteKey } from "../storage/keys.ts";
import { putSame } from "../storage/put-blob.ts";

/** The row of a file above one block. Digests are lower-case hexadecimal. */
interface MediaNote {
  readonly key: string;
  readonly size: number;
  readonly mediaType: string;
  readonly root: string | null;
  readonly leaves: readonly string[];
}

/** Stores a note on a file above one block, from which its row can be restored. */
export const keepMediaNote = async (
  { env }: ServiceContext,
  file: FileDigests & { readonly mediaType: string },
  key: string,
): Promise<void> => {
  const { sha256, rootSha256, leaves, size, mediaType } = file;
  const root = rootSha256 && toHex(rootSha256);
  const note: MediaNote = { key, size, mediaType, root, leaves: leaves.map(toHex) };
  await putSame(env.BUCKET, mediaNoteKey(toHex(sha256)), JSON.stringify(note), {
    contentType: JSON_TYPE,
  });
};
