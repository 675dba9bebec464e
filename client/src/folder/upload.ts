import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { NewAsset } from "../assets.ts";
import type { MintageClient } from "../client.ts";
import { inParallel } from "../parallel.ts";
import type { CollectionDraftAsset } from "../schema.ts";
import { inspectFiles } from "./inspect.ts";
import {
  type Batch,
  type BatchLimits,
  batches,
  type FolderFile,
  type FolderPlan,
  type PlannedAsset,
  planFolder,
} from "./plan.ts";

/** How a folder is uploaded. */
export interface UploadOptions {
  /** NFTs of each media file; default 1. */
  readonly copies?: number;
  /** Subtitle of every asset, such as `#$TOKEN_NUM`, or what it is for an asset's metadata; null without metadata. */
  readonly subtitle?: string | ((metadata: unknown) => string | undefined);
  /** Requests at a time; default 3. */
  readonly parallel?: number;
  readonly limits?: BatchLimits;
  readonly signal?: AbortSignal;
  /** Told whenever a request is through, and once at the start. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far an upload has come. Counts are assets, sizes bytes of media and reference files. */
export interface Progress {
  readonly assets: number;
  readonly totalAssets: number;
  readonly bytes: number;
  readonly totalBytes: number;
  /** Part of `assets` that the draft had before this run. */
  readonly alreadyThere: number;
}

/** What an upload came to. */
export interface UploadResult extends Progress {
  readonly requests: number;
  readonly seconds: number;
}

/** The folder and the draft don't fit together, or the folder is not what it should be. */
export class FolderError extends Error {
  override readonly name = "FolderError";
  /** Each a sentence that says what to do. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** As many forms as the service takes in of an integration at once. */
const DEFAULT_PARALLEL = 3;

/** Reads what a folder holds and looks into its files. @throws FolderError with all that is wrong with it */
export async function readFolder(folder: string): Promise<FolderPlan> {
  const plan = await listFolder(folder);
  const problems = [...plan.problems, ...(await inspectFiles(folder, plan))];
  if (problems.length > 0) throw new FolderError(problems);
  return plan;
}

/** What a folder holds by its files' names and sizes, with what is wrong with these. */
export async function listFolder(folder: string): Promise<FolderPlan> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "/").length).replaceAll("\\", "/"));
  const files: FolderFile[] = [];
  for (const path of paths) files.push({ path, size: (await stat(join(folder, path))).size });
  return planFolder(files);
}

/**
 * Brings the assets of a folder into a draft: several requests at a time, each all or nothing, and only those that the
 * draft doesn't have, and the folder's placeholder. An interrupted upload resumes when it is started again.
 *
 * @throws FolderError if the draft has a file of the same name with other bytes
 */
export async function uploadFolder(
  client: MintageClient,
  draftUuid: string,
  folder: string,
  options: UploadOptions = {},
): Promise<UploadResult> {
  const started = performance.now();
  const { assets, placeholder } = await readFolder(folder);
  if (placeholder) await showPlaceholder(client, draftUuid, { folder, file: placeholder });
  const present = await presentAssets(client, draftUuid, options.signal);
  await refuseChanged(folder, assets, present);

  const missing = batches(assets, options.limits)
    .map((batch) => without(batch, present))
    .filter((batch) => batch.assets.length > 0);
  const left = missing.flatMap((batch) => batch.assets);
  const totalBytes = sizeOf(assets);
  const alreadyThere = assets.length - left.length;
  let progress: Progress = {
    assets: alreadyThere,
    totalAssets: assets.length,
    bytes: totalBytes - sizeOf(left),
    totalBytes,
    alreadyThere,
  };
  options.onProgress?.(progress);

  await inParallel(
    missing,
    options.parallel ?? DEFAULT_PARALLEL,
    async (batch, signal) => {
      await attachBatch(client, { folder, draftUuid, options, signal }, batch);
      progress = {
        ...progress,
        assets: progress.assets + batch.assets.length,
        bytes: progress.bytes + batch.size,
      };
      options.onProgress?.(progress);
    },
    options.signal,
  );
  return { ...progress, requests: missing.length, seconds: (performance.now() - started) / 1000 };
}

/** Attaches a batch, again if what an earlier run attached of it has been deleted since. */
async function attachBatch(
  client: MintageClient,
  {
    folder,
    draftUuid,
    options,
    signal,
  }: {
    readonly folder: string;
    readonly draftUuid: string;
    readonly options: UploadOptions;
    readonly signal: AbortSignal;
  },
  batch: Batch,
): Promise<void> {
  const { files, idempotencyKey } = await readBatch(folder, draftUuid, batch, options);
  let isReplayed = false;
  const onReplayed = () => {
    isReplayed = true;
  };
  await client.drafts.attachAssets(draftUuid, files, { idempotencyKey, signal, onReplayed });
  if (!isReplayed) return;
  const present = await presentAssets(client, draftUuid, signal);
  const gone = files.filter(({ filename }) => !present.has(filename));
  if (gone.length > 0) await client.drafts.attachAssets(draftUuid, gone, { signal });
}

async function showPlaceholder(
  client: MintageClient,
  draftUuid: string,
  { folder, file }: { readonly folder: string; readonly file: FolderFile },
): Promise<void> {
  const data = Uint8Array.from(await readFile(join(folder, file.path)));
  const { asset_placeholder: present } = await client.drafts.get(draftUuid);
  if (present?.asset_cid !== rawCid(data))
    await client.drafts.setPlaceholder(draftUuid, { filename: formName(file), data });
}

async function presentAssets(client: MintageClient, draftUuid: string, signal?: AbortSignal) {
  const present = new Map<string, CollectionDraftAsset>();
  for await (const asset of client.drafts.assets(draftUuid, { signal }))
    present.set(asset.asset_filename, asset);
  return present;
}

/** The file's name in the form; folders are only where it lies. */
const formName = (file: FolderFile) => file.path.slice(file.path.lastIndexOf("/") + 1);

async function refuseChanged(
  folder: string,
  assets: readonly PlannedAsset[],
  present: ReadonlyMap<string, CollectionDraftAsset>,
): Promise<void> {
  const problems: string[] = [];
  for (const { media } of assets) {
    const known = present.get(formName(media));
    if (known === undefined) continue;
    if (known.asset_cid !== rawCid(await readFile(join(folder, media.path)))) {
      problems.push(
        `${media.path} differs from the file of that name in the draft. Delete asset ${known.asset_uuid} there first, or rename the file.`,
      );
    }
  }
  if (problems.length > 0) throw new FolderError(problems);
}

function without(batch: Batch, present: ReadonlyMap<string, unknown>): Batch {
  const assets = batch.assets.filter(({ media }) => !present.has(formName(media)));
  return { assets, size: sizeOf(assets) };
}

const sizeOf = (assets: readonly PlannedAsset[]) =>
  assets.reduce((sum, { media, reference }) => sum + media.size + (reference?.size ?? 0), 0);

/**
 * Reads a batch, and names it by what is in it: a run that was cut off while the service was still at work on the same
 * batch gets that one's answer and doesn't attach it twice.
 */
async function readBatch(
  folder: string,
  draftUuid: string,
  batch: Batch,
  { copies, subtitle }: UploadOptions,
) {
  const fixed = typeof subtitle === "string" ? subtitle : null;
  const digest = createHash("sha256").update(JSON.stringify([draftUuid, copies ?? 1, fixed]));
  const read = async (file: FolderFile) => {
    const data = Uint8Array.from(await readFile(join(folder, file.path)));
    digest.update(`${formName(file)}\0${rawCid(data)}\n`);
    return { filename: formName(file), data };
  };
  const files: NewAsset[] = [];
  for (const { media, reference } of batch.assets) {
    const { filename, data } = await read(media);
    const metadata = reference ? await read(reference) : undefined;
    const own = typeof subtitle === "function" ? subtitle(metadata ? parsed(metadata.data) : null) : subtitle;
    if (typeof subtitle === "function") digest.update(`${JSON.stringify(own ?? null)}\n`);
    files.push({ filename, data, copies, subtitle: own, reference: metadata });
  }
  return { files, idempotencyKey: `upload-${digest.digest("hex")}` };
}

const parsed = (data: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(data));

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** CIDv1 of one raw block: version 1, codec raw, SHA-256, in base32 (https://github.com/multiformats/cid). */
export function rawCid(bytes: Uint8Array): string {
  const cid = [0x01, 0x55, 0x12, 0x20, ...createHash("sha256").update(bytes).digest()];
  let text = "b";
  let buffer = 0;
  let bits = 0;
  for (const byte of cid) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(buffer >> (bits - 5)) & 31];
    buffer &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(buffer << (5 - bits)) & 31] : text;
}
