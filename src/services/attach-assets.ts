import { attachAssets as attachRows, draftTotals, isLocked, type NewAsset } from "../db/queries/assets.ts";
import { abandonBlobs, adoptBlobs } from "../db/queries/blobs.ts";
import { checkFiles, copiesOf, type Problem } from "../domain/assets-detail.ts";
import { type ErrorCode, ServiceError } from "../domain/errors.ts";
import type { FormPart } from "../domain/form-part.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import { MAX_COPIES } from "../domain/limits.ts";
import { BlobWriter } from "../storage/blob-writer.ts";
import { type AssetView, assetView } from "./asset-view.ts";
import { commitWithBlobs } from "./commit-blobs.ts";
import type { Caller, ServiceContext } from "./context.ts";
import { assetsLocked, requireOpenDraft } from "./draft-assets.ts";
import { publicBase } from "./gateway-address.ts";
import { INTAKE_BUFFER, type Intake, takeIn } from "./upload-intake.ts";

/** An asset-bulk request. */
export interface Upload {
  readonly parts: AsyncIterable<FormPart>;
  /**
   * Called once the body is read and found valid, before anything is committed, with what an Idempotency-Key's
   * fingerprint covers of it. What it throws ends the request, and nothing is stored.
   */
  readonly bodyRead: (digest: Uint8Array) => Promise<void>;
}

/** Problems that an answer lists; more are counted in its message. */
const MOST_ISSUES = 1000;

/**
 * Attaches the assets of a form to a draft: all of them, or none and nothing stored.
 * @returns the assets in the order of `assets_detail`, made one by one so that 20,000 need not be in memory
 * @throws ServiceError with every problem of the form
 */
export async function attachAssets(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  upload: Upload,
): Promise<Iterable<AssetView>> {
  await requireOpenDraft(context, caller, draftId);
  const startedAt = context.now();
  const writer = new BlobWriter(context.env.BUCKET, INTAKE_BUFFER);
  const work = attach(context, caller, draftId, upload, writer, startedAt).catch(async (error: unknown) => {
    await abandon(context, writer);
    throw error;
  });
  // When the client goes away, what it left behind is still marked to be collected.
  context.waitUntil(work.then(noted, noted));
  return work;
}

const noted = (): void => undefined;

async function attach(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  upload: Upload,
  writer: BlobWriter,
  startedAt: Date,
): Promise<Iterable<AssetView>> {
  const intake = await takeIn(upload.parts, writer);
  const problems = [
    ...intake.problems,
    ...intake.detail.problems,
    ...checkFiles(intake.detail, intake.kinds),
  ];
  const totals = await context.db.batch([draftTotals(context.db, draftId)]);
  const copies = (totals[0][0]?.copies ?? 0) + copiesOf(intake.detail.details);
  if (copies > MAX_COPIES) problems.push(tooManyCopies(copies));
  if (problems.length > 0) throw refusal(problems);
  await writer.finish();
  await upload.bodyRead(intake.digest);
  return commit(context, caller, draftId, intake, startedAt);
}

async function commit(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  intake: Intake,
  startedAt: Date,
): Promise<Iterable<AssetView>> {
  const { db } = context;
  const now = context.now();
  const assets = newAssets(intake);
  const adopted = Array.from(
    new Map(Array.from(intake.files.values(), (file) => [file.sha256, file])).values(),
  );
  const [totals] = await commitWithBlobs(context, adopted, async () =>
    db.batch([
      draftTotals(db, draftId),
      ...adoptBlobs(db, adopted, startedAt, now),
      ...attachRows(db, draftId, assets, now),
    ]),
  ).catch((error: unknown) => {
    throw isLocked(error) ? assetsLocked() : error;
  });
  const first = totals[0]?.nextPosition ?? 0;
  const base = publicBase(context, caller);
  return views(draftId, base, assets, intake, first, now);
}

function* views(
  draftId: Uuid,
  base: string,
  assets: readonly NewAsset[],
  { files }: Intake,
  first: number,
  now: Date,
): Generator<AssetView, void, void> {
  for (const [index, asset] of assets.entries()) {
    const file = files.get(asset.filename)!;
    yield assetView(draftId, base, {
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

const tooManyCopies = (copies: number): Problem => ({
  kind: "invalid",
  path: ["assets_detail"],
  message: `The draft's assets would have ${copies} copies; a collection has at most ${MAX_COPIES}.`,
});

/** 413 where every problem is one of size, 415 where every one is of the media's type, else 400. */
const CODES: Readonly<Record<Problem["kind"], ErrorCode>> = {
  invalid: "invalid_assets",
  size: "file_too_large",
  media: "unsupported_media",
};

function refusal(problems: readonly Problem[]): ServiceError {
  const kinds = new Set(problems.map(({ kind }) => kind));
  const [kind] = kinds;
  const code = kinds.size === 1 && kind ? CODES[kind] : "invalid_assets";
  const issues = problems.slice(0, MOST_ISSUES).map(({ path, message }) => ({ path, message }));
  const named = Array.from(new Set(issues.map(({ path }) => path.join("."))).values()).slice(0, 3);
  const more = problems.length > named.length ? " and others" : "";
  const cut =
    problems.length > issues.length ? ` The first ${issues.length} of ${problems.length} are listed.` : "";
  return new ServiceError(
    code,
    `Nothing was stored. Correct what issues names (${named.join(", ")}${more}) and send the form again.${cut}`,
    { issues },
  );
}
