import type { ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import { decodeUnixFsNode, type UnixFsNode } from "../ipfs/blocks.ts";
import { type CarRequest, carOf, hasMoreBlocks } from "../ipfs/car.ts";
import { type BlockId, cidText, parseCid } from "../ipfs/cid.ts";
import { findName, listDirectory } from "../ipfs/directory.ts";
import { blockBytes, findStored, type Stored, storedBlocks } from "./stored-blocks.ts";

export { CAR_MEMORY } from "../ipfs/car.ts";

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
const MOST_LISTED = 1000;

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

/** Whether an answer about it reads more than a block: a directory, or a file of several. */
export const isTree = ({ stored }: Resolved): boolean =>
  stored.kind === "directory" || stored.kind === "file";

/** Blocks of a CAR. Every one is read from R2, so that one answer costs no more than so many files. */
const MOST_CAR_BLOCKS = 1000;

/**
 * A CAR of what a path leads to. What would have too many blocks is refused before anything is sent.
 * @throws ServiceError invalid_request
 */
export async function openCar(
  context: ServiceContext,
  resolved: Resolved,
  options: Pick<CarRequest, "scope" | "range">,
): Promise<AsyncGenerator<Uint8Array, void, void>> {
  const reader = storedBlocks(context);
  const request = { root: resolved.block, proof: resolved.proof, ...options };
  if (isTree(resolved) && (await hasMoreBlocks(reader, request, MOST_CAR_BLOCKS))) {
    throw new ServiceError(
      "invalid_request",
      `This CAR would have more than ${MOST_CAR_BLOCKS} blocks. Ask for the directory's own blocks with dag-scope=entity or its page, and for its entries one by one.`,
      { issues: [{ path: ["format"], message: `A CAR has at most ${MOST_CAR_BLOCKS} blocks here.` }] },
    );
  }
  return carOf(reader, request);
}

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
