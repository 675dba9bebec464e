import type { ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type BlockId, cidText, parseCid } from "../ipfs/cid.ts";
import { findName, listDirectory } from "../ipfs/directory.ts";
import { decodeUnixFsNode } from "../ipfs/unixfs.ts";
import { blockBytes, findStored, type Stored, storedBlocks } from "./stored-blocks.ts";

export interface Resolved {
  readonly block: BlockId;
  readonly cid: string;
  readonly stored: Stored;
  /** CIDs of the path's root and of each segment, for X-Ipfs-Roots. */
  readonly roots: readonly string[];
}

const MOST_LISTED = 1000;

/** Follows a path of decoded names from a CID. @throws ServiceError not_found, invalid_request if it is no CID */
export async function resolvePath(
  context: ServiceContext,
  cid: string,
  names: readonly string[],
): Promise<Resolved> {
  const root = parseCid(cid);
  if (root === null) {
    const issues = [{ path: ["cid"], message: "Give a CID such as `bafkrei…` or `bafybei…`." }];
    const message = "This is not a CID of a UnixFS file or directory with SHA-256.";
    throw new ServiceError("invalid_request", message, { issues });
  }
  const reader = storedBlocks(context);
  const roots = [cidText(root)];
  let block = root;
  for (const name of names) {
    const stored = await findStored(context, block);
    if (stored?.kind !== "directory") throw notFound();
    const found = await findName(reader, block, name);
    if (found === null) throw notFound();
    block = found;
    roots.push(cidText(block));
  }
  const stored = await findStored(context, block);
  if (stored === null) throw notFound();
  return { block, cid: cidText(block), stored, roots };
}

/** An entry of a directory; its size in bytes is that of all blocks below. */
export interface ShownEntry {
  readonly name: string;
  readonly cid: string;
  readonly size: number;
}

/** The first 1,000 entries of a directory, and whether there are more. */
export async function listing(
  context: ServiceContext,
  { stored }: Resolved,
): Promise<{ entries: ShownEntry[]; more: boolean }> {
  const node = decodeUnixFsNode(await blockBytes(context, stored));
  const entries: ShownEntry[] = [];
  for await (const { name, block, totalSize } of listDirectory(storedBlocks(context), node)) {
    if (entries.length === MOST_LISTED) return { entries, more: true };
    entries.push({ name, cid: cidText(block), size: totalSize });
  }
  return { entries, more: false };
}

const notFound = (): ServiceError => new ServiceError("not_found", "This gateway doesn't have this content.");
