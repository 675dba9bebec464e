import { and, asc, eq, inArray, isNull, lte, notInArray, or, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { type Ledger, ledgerOf } from "../../db/ledger.ts";
import { pageOfAssets } from "../../db/queries/assets.ts";
import { leavesOf } from "../../db/queries/blobs.ts";
import { ROOT_PINNED } from "../../db/queries/collection-media.ts";
import { blobs, collectionBlobs, collections } from "../../db/schema/index.ts";
import { meta } from "../../db/schema/ledger.ts";
import { toHex, type Uuid } from "../../domain/ids.ts";
import { DAG_PB_TYPE } from "../../domain/media-types.ts";
import { storedBlocks } from "../../files/gateway/stored-blocks.ts";
import { carHeader, carSectionHead, carSectionLength } from "../../files/ipfs/car.ts";
import { type BlockId, cidText, DAG_PB, dagPbCid, RAW } from "../../files/ipfs/cid.ts";
import { fileRootLength, leafSizes } from "../../files/ipfs/file.ts";
import { mustRead } from "../../files/ipfs/unixfs.ts";

/** A collection whose files are not all pinned. */
export type PinningRow = Awaited<ReturnType<typeof nextToPin>>[number];

const pinningOf = (db: DrizzleD1Database) =>
  db
    .select({
      id: collections.id,
      integrationId: collections.integrationId,
      draftId: collections.draftId,
      ipfsRoot: collections.ipfsRoot,
      cursor: collections.pinCursor,
      attempts: collections.pinAttempts,
    })
    .from(collections);

const isDue = (now: Date) =>
  and(
    inArray(collections.pinState, ["pending", "failed"]),
    or(isNull(collections.pinRetryAt), lte(collections.pinRetryAt, now)),
  );

/** Collections whose next step is due, longest waiting first. @param tried those that are passed over */
const nextToPin = (db: Database, now: Date, tried: readonly Uuid[], limit: number) =>
  pinningOf(db)
    .where(and(isDue(now), notInArray(collections.id, [...tried])))
    .orderBy(asc(collections.updatedAt))
    .limit(limit);

/** The last entry that a ledger has for D1, and the last that D1 has. */
const entriesOf = (ledger: Ledger) =>
  ledger.select({ posted: LAST_ENTRY, sent: meta.sentEntry }).from(meta).get();

const LAST_ENTRY = sql<number>`(SELECT coalesce(max(id), 0) FROM outbox)`;

/**
 * Notes a step, unless another run did it first. A collection is pinned once its root is and no file by URL is left.
 * @param known the last entry that D1 had when it was asked for files; null: it lacked some, which may bring more
 */
const movePin = (
  ledger: Ledger,
  { id, cursor }: PinningRow,
  pinCursor: number | null,
  known: number | null,
) =>
  ledger
    .update(collections)
    .set({
      pinCursor,
      pinState:
        pinCursor === ROOT_PINNED && known !== null
          ? sql`CASE WHEN ${LAST_ENTRY} = ${known} THEN 'pinned' ELSE 'pending' END`
          : "pending",
      pinAttempts: 0,
      pinRetryAt: null,
    })
    .where(and(eq(collections.id, id), sql`${collections.pinCursor} IS ${cursor}`));

const failPin = (db: Ledger, { id, attempts }: PinningRow, pinRetryAt: Date) =>
  db
    .update(collections)
    .set({ pinState: "failed", pinAttempts: attempts + 1, pinRetryAt })
    .where(eq(collections.id, id));

const directoryBlocks = (db: Database, collectionId: Uuid) =>
  db
    .select({ sha256: blobs.sha256, size: blobs.size })
    .from(collectionBlobs)
    .innerJoin(blobs, eq(blobs.sha256, collectionBlobs.sha256))
    .where(and(eq(collectionBlobs.collectionId, collectionId), eq(blobs.mediaType, DAG_PB_TYPE)));

/** A file by URL that is to be pinned, if there is one. */
const nextMedia = (db: Database, collectionId: Uuid) =>
  db
    .select({ sha256: blobs.sha256, rootSha256: blobs.rootSha256, size: blobs.size })
    .from(collectionBlobs)
    .innerJoin(blobs, eq(blobs.sha256, collectionBlobs.sha256))
    .where(and(eq(collectionBlobs.collectionId, collectionId), eq(collectionBlobs.pinState, "due")))
    .limit(1)
    .get();

const mediaPinned = (db: Database, collectionId: Uuid, sha256: Uint8Array) =>
  db
    .update(collectionBlobs)
    .set({ pinState: "pinned" })
    .where(and(eq(collectionBlobs.collectionId, collectionId), eq(collectionBlobs.sha256, sha256)));

/** A Kubo node's RPC, for pinning (https://docs.ipfs.tech/reference/kubo/rpc/). */
export interface Kubo {
  /** Base address, such as `http://127.0.0.1:5001`. */
  readonly url: string;
  /** Value of the Authorization header, where the node wants one. */
  readonly authorization?: string;
}

/** Longest time for a call, in milliseconds; Kubo is told as well, so that it gives up looking for blocks. */
const IMPORT_TIMEOUT = 600_000;
const PIN_TIMEOUT = 120_000;

class KuboFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "KuboFailure";
  }
}

/** Has the node take a CAR's blocks in. @param length of the CAR, in bytes @throws KuboFailure */
async function importCar(kubo: Kubo, car: AsyncIterable<Uint8Array>, length: number): Promise<void> {
  const boundary = `car-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const opening = encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="blocks.car"\r\nContent-Type: application/vnd.ipld.car\r\n\r\n`,
  );
  const closing = encoder.encode(`\r\n--${boundary}--\r\n`);
  const { readable, writable } = new FixedLengthStream(opening.length + length + closing.length);
  const writer = writable.getWriter();
  const writing = errorOf(writeAll(writer, [opening], car, [closing]));
  const options = { "pin-roots": "false", timeout: IMPORT_TIMEOUT };
  const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
  const answered = await errorOf(call(kubo, "dag/import", options, { headers, body: readable }));
  // A node may respond before it has read the whole body; then writing has to be aborted.
  if (answered !== null) await writer.abort(answered.error).catch(() => undefined);
  const written = await writing;
  // Unreadable blocks are the cause of the node's error.
  if (written?.error instanceof UnreadableBlocks) throw written.error;
  if (answered !== null) throw answered.error;
  if (written !== null) throw new KuboFailure("The node did not take all blocks.", written.error);
}

class UnreadableBlocks extends Error {}

const errorOf = (work: Promise<unknown>): Promise<{ readonly error: unknown } | null> =>
  work.then(
    () => null,
    (error: unknown) => ({ error }),
  );

async function writeAll(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  before: readonly Uint8Array[],
  car: AsyncIterable<Uint8Array>,
  after: readonly Uint8Array[],
): Promise<void> {
  for (const bytes of before) await writer.write(bytes);
  const pieces = car[Symbol.asyncIterator]();
  for (;;) {
    const piece = await pieces.next().catch(async (cause: unknown) => {
      const failure = new UnreadableBlocks("the blocks of a CAR can't be read", { cause });
      await writer.abort(failure);
      throw failure;
    });
    if (piece.done) break;
    await writer.write(piece.value);
  }
  for (const bytes of after) await writer.write(bytes);
  await writer.close();
}

/** Pins a DAG all of whose blocks the node has. @throws KuboFailure */
async function pinRoot(kubo: Kubo, cid: string): Promise<void> {
  const answer = await call(kubo, "pin/add", { arg: cid, recursive: "true", timeout: PIN_TIMEOUT });
  if (!answer.includes(cid)) throw new KuboFailure("The node did not confirm the pin.");
}

async function call(
  { url, authorization }: Kubo,
  command: string,
  { timeout, ...query }: { readonly timeout: number } & Readonly<Record<string, string | number>>,
  init: RequestInit = {},
): Promise<string> {
  const address = new URL(`${url}/api/v0/${command}`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  address.searchParams.set("timeout", `${timeout / 1000}s`);
  const headers = new Headers(init.headers);
  if (authorization !== undefined) headers.set("Authorization", authorization);
  const response = await fetch(address, {
    ...init,
    method: "POST",
    headers,
    signal: AbortSignal.timeout(timeout),
  }).catch((error: unknown) => {
    throw new KuboFailure("The node can't be reached.", error);
  });
  const text = await response.text();
  if (!response.ok) throw new KuboFailure(`The node answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
}

export interface SizedBlock {
  readonly block: BlockId;
  readonly size: number;
}

/** Blocks to read ahead: with the CAR's own upload, a Worker's limit of connections. */
const AHEAD = 5;

const carLength = (root: BlockId, blocks: readonly SizedBlock[]): number =>
  blocks.reduce((sum, { size }) => sum + carSectionLength(size), carHeader(root).length);

/** A CAR of exactly these blocks, in their order; some are read ahead. */
async function* carOfBlocks(
  root: BlockId,
  blocks: readonly SizedBlock[],
  read: (block: BlockId) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  yield carHeader(root);
  const ahead: Promise<Uint8Array>[] = [];
  for (const [index, { block, size }] of blocks.entries()) {
    while (ahead.length < AHEAD && index + ahead.length < blocks.length) {
      const reading = read(blocks[index + ahead.length]!.block);
      // A failure is met when its turn comes; until then it must not count as unhandled.
      reading.catch(() => undefined);
      ahead.push(reading);
    }
    const bytes = await ahead.shift()!;
    if (bytes.length !== size) throw new Error("a block has another length than its row says");
    yield carSectionHead(block, size);
    yield bytes;
  }
}

/** Bytes of one CAR: a step that is small enough to be repeated. */
const MAX_CAR_BYTES = 64 * 1_048_576;
/** Blocks of at most 1 MiB that fit one CAR with what stands between them. */
const BLOCKS = 63;
const STEPS = 4;
const PAGE = 500;
/** First wait after a failed step, and the longest, in milliseconds; it doubles each time. */
const FIRST_WAIT = 60_000;
const LONGEST_WAIT = 3_600_000;

/**
 * Continues pinning at the configured Kubo node, a few steps a run, each a CAR of at most 64 MB: files, then the directory's
 * blocks, then the root's pin, so that the node has all of a collection when its root is pinned; then files by URL, each with
 * its own pin. A failed step is tried again later; a repeated one does no harm. @returns the number of steps done
 */
export async function continuePinning(context: ServiceContext): Promise<number> {
  const { KUBO_RPC_URL: url, KUBO_RPC_AUTHORIZATION: authorization } = context.settings;
  if (url === undefined) return 0;
  let done = 0;
  const tried: Uuid[] = [];
  for (let step = 0; step < STEPS; step++) {
    const [collection] = await nextToPin(context.db, context.now(), tried, 1);
    if (collection === undefined) break;
    try {
      if (await takeStep(context, { url, authorization }, collection)) done++;
      else tried.push(collection.id);
    } catch (error) {
      // Its ledger doesn't answer.
      context.log("pinning.interrupted", { collection_uuid: collection.id, error });
      tried.push(collection.id);
    }
  }
  return done;
}

async function takeStep(context: ServiceContext, kubo: Kubo, found: PinningRow): Promise<boolean> {
  const ledger = ledgerOf(context, found.integrationId);
  // D1's copy may lag.
  const collection = await pinningOf(ledger)
    .where(and(eq(collections.id, found.id), isDue(context.now())))
    .get();
  if (!collection) return false;
  try {
    const { cursor, isIdle } = await sendNext(context, kubo, collection);
    const entries = await entriesOf(ledger);
    const isAll = (await nextMedia(context.db, collection.id)) === undefined;
    const known = isAll && entries && entries.posted <= entries.sent ? entries.posted : null;
    await movePin(ledger, collection, cursor, known);
    // What waits for the database alone lets others go first.
    return !isIdle || known !== null;
  } catch (error) {
    // Other collections continue; this one waits.
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** collection.attempts);
    await failPin(ledger, collection, new Date(context.now().getTime() + wait));
    context.log("pinning.failed", { collection_uuid: collection.id, error });
    return false;
  }
}

/** Sends the next CAR. Returns the cursor after it, and whether nothing was left to send. */
async function sendNext(
  context: ServiceContext,
  kubo: Kubo,
  collection: PinningRow,
): Promise<{ readonly cursor: PinningRow["cursor"]; readonly isIdle: boolean }> {
  const root: BlockId = { codec: DAG_PB, sha256: collection.ipfsRoot };
  if (collection.cursor === ROOT_PINNED) {
    return { cursor: ROOT_PINNED, isIdle: !(await pinMedia(context, kubo, collection)) };
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
    return { cursor: ROOT_PINNED, isIdle: false };
  }
  const { blocks, next } = await filesFrom(context, collection, collection.cursor);
  if (blocks.length > 0) await send(context, kubo, root, blocks);
  return { cursor: next, isIdle: false };
}

/** Sends a file by URL, in CARs of at most 64 MB, and pins it. Returns whether there was one. */
async function pinMedia(context: ServiceContext, kubo: Kubo, { id }: PinningRow): Promise<boolean> {
  const { db } = context;
  const file = await nextMedia(db, id);
  if (file === undefined) return false;
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
  return true;
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
