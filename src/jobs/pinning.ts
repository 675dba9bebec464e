import type { ServiceContext } from "../context.ts";
import { pageOfAssets } from "../db/queries/assets.ts";
import { leavesOf } from "../db/queries/blobs.ts";
import { ROOT_PINNED } from "../db/queries/collection-media.ts";
import {
  directoryBlocks,
  failPin,
  mediaPinned,
  movePin,
  nextMedia,
  nextToPin,
  type PinningRow,
} from "../db/queries/pinning.ts";
import { toHex } from "../domain/ids.ts";
import { storedBlocks } from "../gateway/stored-blocks.ts";
import { mustRead } from "../ipfs/blocks.ts";
import { carSectionLength } from "../ipfs/car.ts";
import { carLength, carOfBlocks, type SizedBlock } from "../ipfs/car-of-blocks.ts";
import { type BlockId, cidText, DAG_PB, dagPbCid, RAW } from "../ipfs/cid.ts";
import { fileRootLength, leafSizes } from "../ipfs/file.ts";
import { importCar, type Kubo, KuboFailure, pinRoot } from "../storage/kubo.ts";

/** Bytes of one CAR: a step that is small enough to be repeated. */
const MAX_CAR_BYTES = 64 * 1_048_576;
/** Blocks of at most 1 MiB that fit one CAR with what stands between them. */
const BLOCKS = 63;
/** Steps of one run, over all collections. */
const STEPS = 4;
/** Assets that one query reads. */
const PAGE = 500;
/** First wait after a failed step, and the longest, in milliseconds; it doubles each time. */
const FIRST_WAIT = 60_000;
const LONGEST_WAIT = 3_600_000;

/**
 * Goes on with pinning collections at the Kubo node that is configured, a few steps a run. A step is one CAR of at most
 * 64 MB; the files come first and the directory's blocks last, so that the node holds all of a collection when its root
 * is pinned. Files that mints and updates bring by URL follow, one a step, each with a pin of its own. A step that fails
 * is tried again later; one that was done twice does no harm.
 * @returns the number of steps done
 */
export async function continuePinning(context: ServiceContext): Promise<number> {
  const { KUBO_RPC_URL: url, KUBO_RPC_AUTHORIZATION: authorization } = context.settings;
  if (url === undefined) return 0;
  let done = 0;
  for (let step = 0; step < STEPS; step++) {
    const [collection] = await nextToPin(context.db, context.now(), 1);
    if (collection === undefined) break;
    if (await takeStep(context, { url, authorization }, collection)) done++;
  }
  return done;
}

async function takeStep(context: ServiceContext, kubo: Kubo, collection: PinningRow): Promise<boolean> {
  try {
    await movePin(context.db, collection, await sendNext(context, kubo, collection));
    return true;
  } catch (error) {
    // Whatever failed, other collections continue: this one waits.
    const message = error instanceof KuboFailure ? error.message : "The collection's files can't be read.";
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** collection.attempts);
    await failPin(context.db, collection, message, new Date(context.now().getTime() + wait));
    context.log("pinning.failed", { collection_uuid: collection.id, error });
    return false;
  }
}

/** Sends the next CAR. Returns the cursor behind it. */
async function sendNext(
  context: ServiceContext,
  kubo: Kubo,
  collection: PinningRow,
): Promise<PinningRow["cursor"]> {
  const root: BlockId = { codec: DAG_PB, sha256: collection.ipfsRoot };
  if (collection.cursor === ROOT_PINNED) {
    await pinMedia(context, kubo, collection);
    return ROOT_PINNED;
  }
  if (collection.cursor === null) {
    const blocks = await directoryBlocks(context.db, collection.id);
    await send(
      context,
      kubo,
      root,
      blocks.map(({ sha256, size }) => sized(DAG_PB, sha256, size)),
    );
    await pinRoot(kubo, dagPbCid(collection.ipfsRoot));
    return ROOT_PINNED;
  }
  const { blocks, next } = await filesFrom(context, collection, collection.cursor);
  if (blocks.length > 0) await send(context, kubo, root, blocks);
  return next;
}

/** Sends a file by URL, in CARs of at most 64 MB, and pins it. */
async function pinMedia(context: ServiceContext, kubo: Kubo, { id }: PinningRow): Promise<void> {
  const { db } = context;
  const file = await nextMedia(db, id);
  if (file === undefined) return;
  const { sha256, rootSha256, size } = file;
  const root: BlockId = rootSha256 ? { codec: DAG_PB, sha256: rootSha256 } : { codec: RAW, sha256 };
  const blocks = [{ block: root, size: rootSha256 ? fileRootLength(size) : size }];
  if (rootSha256) {
    const sizes = leafSizes(size);
    for (const [index, leaf] of (await leavesOf(db, sha256)).entries())
      blocks.push(sized(RAW, leaf, sizes[index] ?? 0));
  }
  const { length } = blocks;
  for (let from = 0; from < length; from += BLOCKS) {
    await send(context, kubo, root, blocks.slice(from, from + BLOCKS));
  }
  await pinRoot(kubo, cidText(root));
  await mediaPinned(db, id, sha256);
}

const sized = (codec: BlockId["codec"], sha256: Uint8Array, size: number): SizedBlock => ({
  block: { codec, sha256 },
  size,
});

async function send(
  context: ServiceContext,
  kubo: Kubo,
  root: BlockId,
  blocks: readonly SizedBlock[],
): Promise<void> {
  const reader = storedBlocks(context);
  const car = carOfBlocks(root, blocks, (block) => mustRead(reader, block));
  await importCar(kubo, car, carLength(root, blocks));
}

/** The files of assets from a position on that fit one CAR, each once. Uploaded files are one block each. */
async function filesFrom(
  context: ServiceContext,
  { draftId }: PinningRow,
  position: number,
): Promise<{ blocks: SizedBlock[]; next: number | null }> {
  const blocks = new Map<string, SizedBlock>();
  let length = 0;
  for (let after = position - 1; ; ) {
    const page = await pageOfAssets(context.db, draftId, after, PAGE);
    for (const asset of page) {
      const files = [sized(RAW, asset.sha256, asset.size)];
      if (asset.referenceSha256 !== null)
        files.push(sized(RAW, asset.referenceSha256, asset.referenceSize ?? 0));
      const added = files.reduce((sum, { size }) => sum + carSectionLength(size), 0);
      if (length + added > MAX_CAR_BYTES)
        return { blocks: Array.from(blocks.values()), next: asset.position };
      length += added;
      for (const file of files) blocks.set(toHex(file.block.sha256), file);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { blocks: Array.from(blocks.values()), next: null };
    after = last.position;
  }
}
