import { pageOfAssets } from "../db/queries/assets.ts";
import { directoryBlocks, failPin, movePin, nextToPin, type PinningRow } from "../db/queries/pinning.ts";
import { toHex } from "../domain/ids.ts";
import { mustRead } from "../ipfs/blocks.ts";
import { carSectionLength } from "../ipfs/car.ts";
import { carLength, carOfBlocks, type SizedBlock } from "../ipfs/car-of-blocks.ts";
import { type BlockId, DAG_PB, dagPbCid, RAW } from "../ipfs/cid.ts";
import { importCar, type Kubo, KuboFailure, pinRoot } from "../storage/kubo.ts";
import type { ServiceContext } from "./context.ts";
import { storedBlocks } from "./stored-blocks.ts";

/** Bytes of one CAR: a step that is small enough to be repeated. */
const MAX_CAR_BYTES = 64 * 1_048_576;
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
 * is pinned. A step that fails is tried again later; one that was done twice does no harm.
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
    const cursor = await sendNext(context, kubo, collection);
    const pinState = cursor === "pinned" ? "pinned" : "pending";
    await movePin(context.db, collection, { pinCursor: cursor === "pinned" ? null : cursor, pinState });
    return true;
  } catch (error) {
    // Whatever it is, the other collections' turn comes: this one waits.
    const message = error instanceof KuboFailure ? error.message : "The collection's files can't be read.";
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** collection.attempts);
    await failPin(context.db, collection, message, new Date(context.now().getTime() + wait));
    context.log("pinning.failed", { collection_uuid: collection.id, message, cause: String(error) });
    return false;
  }
}

/** Sends the next CAR. Returns where the one after begins; null: all files are sent; "pinned": it is all done. */
async function sendNext(
  context: ServiceContext,
  kubo: Kubo,
  collection: PinningRow,
): Promise<number | null | "pinned"> {
  if (collection.cursor === null) {
    const blocks = await directoryBlocks(context.db, collection.id);
    await send(
      context,
      kubo,
      collection,
      blocks.map(({ sha256, size }) => sized(DAG_PB, sha256, size)),
    );
    await pinRoot(kubo, dagPbCid(collection.ipfsRoot));
    return "pinned";
  }
  const { blocks, next } = await filesFrom(context, collection, collection.cursor);
  if (blocks.length > 0) await send(context, kubo, collection, blocks);
  return next;
}

const sized = (codec: BlockId["codec"], sha256: Uint8Array, size: number): SizedBlock => ({
  block: { codec, sha256 },
  size,
});

async function send(
  context: ServiceContext,
  kubo: Kubo,
  { ipfsRoot }: PinningRow,
  blocks: readonly SizedBlock[],
): Promise<void> {
  const root = { codec: DAG_PB, sha256: ipfsRoot } as const;
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
