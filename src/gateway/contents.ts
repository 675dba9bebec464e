import type { ServiceContext } from "../context.ts";
import { ServiceError } from "../domain/errors.ts";
import { decodeUnixFsNode, type UnixFsNode } from "../ipfs/blocks.ts";
import { type CarRequest, carOf } from "../ipfs/car.ts";
import { type BlockId, cidText, parseCid } from "../ipfs/cid.ts";
import { findName, listDirectory } from "../ipfs/directory-reads.ts";
import { blockBytes, findStored, type Stored, storedBlocks } from "./stored-blocks.ts";

/** Where a path of the gateway leads. */
export interface Resolved {
  readonly block: BlockId;
  readonly cid: string;
  readonly stored: Stored;
  /** Blocks from the path's root to before `block`, which prove that it leads there. */
  readonly proof: readonly BlockId[];
  /** CIDs of the path's root and of each segment, for X-Ipfs-Roots. */
  readonly roots: readonly string[];
}

/** Entries that a listing of a directory shows. */
export const MOST_LISTED = 1000;

/**
 * Follows a path from a CID through directories.
 * @param names the segments below the CID, decoded
 * @throws ServiceError not_found, invalid_request if the text isn't a CID
 */
export async function resolvePath(
  context: ServiceContext,
  cid: string,
  names: readonly string[],
): Promise<Resolved> {
  const root = parseCid(cid);
  if (root === null) {
    throw new ServiceError(
      "invalid_request",
      "This is not a CID of a UnixFS file or directory with SHA-256.",
      {
        issues: [{ path: ["cid"], message: "Give a CID such as `bafkrei…` or `bafybei…`." }],
      },
    );
  }
  const reader = storedBlocks(context);
  const proof: BlockId[] = [];
  const roots = [cidText(root)];
  let block = root;
  for (const name of names) {
    const stored = await findStored(context, block);
    if (stored?.kind !== "directory") throw notFound();
    const found = await findName(reader, block, name);
    if (found === null) throw notFound();
    proof.push(...found.proof);
    block = found.block;
    roots.push(cidText(block));
  }
  const stored = await findStored(context, block);
  if (stored === null) throw notFound();
  return { block, cid: cidText(block), stored, proof, roots };
}

/** The bytes of the block itself. */
export const rawBlock = (context: ServiceContext, { stored }: Resolved): Promise<Uint8Array> =>
  blockBytes(context, stored);

/** A CAR of what a path leads to. */
export const carStream = (
  context: ServiceContext,
  { block, proof }: Resolved,
  options: Pick<CarRequest, "scope" | "range">,
): AsyncGenerator<Uint8Array, void, void> => carOf(storedBlocks(context), { root: block, proof, ...options });

/** An entry of a directory as a page shows it. */
export interface ShownEntry {
  readonly name: string;
  readonly cid: string;
  /** Bytes of all blocks below. */
  readonly size: number;
}

/** A directory's entries, the first 1,000 of them, and whether there are more. */
export async function listing(
  context: ServiceContext,
  { stored }: Resolved,
): Promise<{ entries: ShownEntry[]; more: boolean }> {
  const node: UnixFsNode = decodeUnixFsNode(await blockBytes(context, stored));
  const entries: ShownEntry[] = [];
  for await (const { name, block, totalSize } of listDirectory(storedBlocks(context), node)) {
    if (entries.length === MOST_LISTED) return { entries, more: true };
    entries.push({ name, cid: cidText(block), size: totalSize });
  }
  return { entries, more: false };
}

const notFound = (): ServiceError => new ServiceError("not_found", "This gateway doesn't have this content.");
