import { type Caller, ownedKey, type ServiceContext } from "../context.ts";
import { keepStream, textKey } from "../db/large-texts.ts";
import {
  attachAssets as attachRows,
  behind,
  draftTotals,
  isLocked,
  isTaken,
  type NewAsset,
} from "../db/queries/assets.ts";
import { abandonBlobs, adoptBlobs } from "../db/queries/blobs.ts";
import { keepAnswer } from "../db/queries/idempotency.ts";
import { assetsWeight, refuseAbove, weigh } from "../db/queries/usage.ts";
import type { Statement } from "../db/statements.ts";
import { checkFiles, copiesOf } from "../domain/assets-detail.ts";
import { type ErrorCode, keyInFlight, ServiceError } from "../domain/errors.ts";
import type { FormPart } from "../domain/form-part.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import { fieldName } from "../domain/issues.ts";
import { MAX_COPIES } from "../domain/limits.ts";
import type { Problem, Problems } from "../domain/problems.ts";
import { explained } from "../integrations/quota.ts";
import type { Asset } from "../resources/asset.ts";
import { BlobWriter } from "../storage/blob-writer.ts";
import { toAsset } from "./asset.ts";
import { assetsLocked, isOpenDraft } from "./assets.ts";
import { commitWithBlobs } from "./commit-blobs.ts";
import { INTAKE_BUFFER, type Intake, type ReceivedFile, takeIn } from "./intake.ts";
import { jsonArray } from "./json-array.ts";

/** An asset-bulk request. */
export interface Upload {
  readonly parts: AsyncIterable<FormPart>;
  /**
   * Where the request has an Idempotency-Key: called once the body is read and found valid, before anything is
   * committed, with what the key's fingerprint covers of it. What it throws ends the request, and nothing is stored.
   */
  readonly bodyRead: ((digest: Uint8Array) => Promise<void>) | null;
}

/** Problems that the message of an answer names by their paths. */
const NAMED = 3;

/** Tries to find the place behind the draft's assets, while other forms take it. */
const TRIES = 10;

/**
 * Attaches the assets of a form to a draft: all of them, or none and nothing stored. A request with an Idempotency-Key
 * keeps its answer in the batch that attaches, so that it is carried out once whatever happens to it afterwards.
 * @returns the assets in the order of `assets_detail`, made one by one so that 20,000 need not be in memory
 * @throws ServiceError with every problem of the form
 */
export async function attachAssets(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  upload: Upload,
): Promise<Iterable<Asset>> {
  const open = await isOpenDraft(context, caller, draftId);
  // Whoever has a key may be asking again for what was done before the draft was locked: the form tells.
  if (!open && upload.bodyRead === null) throw assetsLocked();
  const startedAt = context.now();
  const writer = new BlobWriter(context.env.BUCKET, INTAKE_BUFFER);
  const work = attach(context, caller, draftId, { ...upload, open, writer, startedAt }).catch(
    async (error) => {
      await abandon(context, writer);
      throw error;
    },
  );
  // When the client goes away, what it left behind is still marked to be collected.
  context.waitUntil(work.then(noted, noted));
  return work;
}

const noted = (): void => undefined;

interface Work extends Upload {
  readonly open: boolean;
  readonly writer: BlobWriter;
  readonly startedAt: Date;
}

async function attach(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  { parts, bodyRead, open, writer, startedAt }: Work,
): Promise<Iterable<Asset>> {
  const intake = await takeIn(parts, writer, open);
  const { problems } = intake;
  checkFiles(intake.detail, intake.files, problems);
  const { copies } = await draftTotals(context.db, draftId);
  const all = copies + copiesOf(intake.detail.details);
  if (open && all > MAX_COPIES) problems.invalid(["assets_detail"], tooManyCopies(all));
  if (problems.count > 0) throw refusal(problems);
  await writer.finish();
  await bodyRead?.(intake.digest);
  if (!open) throw assetsLocked();
  return commitAssets(context, caller, draftId, {
    assets: newAssets(intake),
    files: intake.files,
    startedAt,
  });
}

/** What a form comes to. The details that it had are not kept: with 20,000 files every object counts. */
interface Assets {
  readonly assets: readonly NewAsset[];
  readonly files: ReadonlyMap<string, ReceivedFile>;
  readonly startedAt: Date;
}

async function commitAssets(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  assets: Assets,
): Promise<Iterable<Asset>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await commit(context, caller, draftId, assets);
    } catch (error) {
      if (!isTaken(error) || attempt === TRIES) throw error;
    }
  }
}

async function commit(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  { assets, files, startedAt }: Assets,
): Promise<Iterable<Asset>> {
  const { db, env } = context;
  const { integrationId } = caller;
  const now = context.now();
  const adopted = distinct(files.values());
  const { nextPosition: first } = await draftTotals(db, draftId);
  const answer = () => views({ draftId, base: caller.baseUrl, first, now }, assets, files);
  const claim = ownedKey(caller);
  const kept =
    claim && (await keepStream(env.BUCKET, `${claim.integrationId}/${newUuid()}`, jsonArray(answer())));
  try {
    await commitWithBlobs(context, adopted, async () =>
      db.batch([
        ...adoptBlobs(db, adopted, startedAt, now),
        ...attachRows(db, draftId, assets, { first, claim, now }),
        ...(claim ? keepAnswer(db, claim, { ...ANSWER, body: kept }) : []),
        weigh(db, integrationId, assetsWeight(integrationId, draftId, behind(first)), 1),
        refuseAbove(db, integrationId, "stored_bytes"),
        refuseAbove(db, integrationId, "database_bytes"),
      ] as unknown as [Statement, ...Statement[]]),
    );
  } catch (error) {
    const object = kept && textKey(kept);
    if (object) await env.BUCKET.delete(object);
    if (isLocked(error)) throw await lockedOrAnswered(context, caller, draftId);
    throw await explained(context, integrationId, error);
  }
  return answer();
}

/** How an answer is kept for its key. */
const ANSWER = { status: 201, headers: { "Content-Type": "application/json" } };

/** Why the batch found the draft locked: it is, or another request under the same key was first. */
async function lockedOrAnswered(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
): Promise<ServiceError> {
  if (!(await isOpenDraft(context, caller, draftId))) return assetsLocked();
  return keyInFlight();
}

/** Where and when assets were attached. */
interface Attached {
  readonly draftId: Uuid;
  /** Base address of the gateway. */
  readonly base: string;
  /** Position of the first of them. */
  readonly first: number;
  readonly now: Date;
}

function* views(
  { draftId, base, first, now }: Attached,
  assets: readonly NewAsset[],
  files: Assets["files"],
): Generator<Asset, void, void> {
  for (const [index, asset] of assets.entries()) {
    const file = files.get(asset.filename)!;
    yield toAsset(draftId, base, {
      ...asset,
      position: first + index,
      sha256: Buffer.from(asset.sha256, "hex"),
      size: file.size,
      mediaType: file.mediaType,
      rootSha256: null,
      referenceSha256: asset.referenceSha256 === null ? null : Buffer.from(asset.referenceSha256, "hex"),
      referenceSize: asset.referenceFilename === null ? null : files.get(asset.referenceFilename)!.size,
      createdAt: now,
    });
  }
}

/** Files of different bytes. */
function distinct(files: Iterable<ReceivedFile>): ReceivedFile[] {
  const seen = new Set<string>();
  return Array.from(files).filter(({ sha256 }) => !seen.has(sha256) && seen.add(sha256));
}

/** The assets that a form without problems describes: every detail is there, and so is every file. */
function newAssets({ detail, files }: Intake): NewAsset[] {
  return detail.details.map((each) => {
    const { asset_filename, reference_filename, asset_subtitle, copies } = each!;
    return {
      id: newUuid(),
      filename: asset_filename,
      sha256: files.get(asset_filename)!.sha256,
      referenceFilename: reference_filename ?? null,
      referenceSha256: reference_filename == null ? null : files.get(reference_filename)!.sha256,
      subtitle: asset_subtitle || null,
      copies,
    };
  });
}

/** Has what was put collected, unless somebody else has come to rely on it. */
async function abandon(context: ServiceContext, writer: BlobWriter): Promise<void> {
  await writer.settle();
  const statements = abandonBlobs(context.db, writer.written(), context.now());
  for (const statement of statements) await statement;
}

const tooManyCopies = (copies: number): string =>
  `The draft's assets would have ${copies} copies; a collection has at most ${MAX_COPIES}.`;

/** 413 where every problem is one of size, 415 where every one is of the media's type, else 400. */
const CODES: Readonly<Record<Problem["kind"], ErrorCode>> = {
  invalid: "invalid_assets",
  size: "file_too_large",
  media: "unsupported_media",
};

function refusal({ first, kinds, count }: Problems): ServiceError {
  const [kind] = kinds;
  const code = kinds.size === 1 && kind ? CODES[kind] : "invalid_assets";
  const named = Array.from(new Set(first.map(({ path }) => fieldName(path)))).slice(0, NAMED);
  const others = count > named.length ? " and others" : "";
  return new ServiceError(
    code,
    `Nothing was stored. Correct what issues names (${named.join(", ")}${others}) and send the form again.`,
    { issues: first.map(({ path, message }) => ({ path, message })), moreIssues: count - first.length },
  );
}
