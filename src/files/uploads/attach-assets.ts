import { sql } from "drizzle-orm";
import type { Asset } from "../../api/resources/collection.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import {
  attachAssets as attachRows,
  behind,
  draftTotals,
  isLocked,
  isTaken,
  isTooMany,
  type NewAsset,
} from "../../db/queries/assets.ts";
import { abandonBlobs, adoptBlobs } from "../../db/queries/blobs.ts";
import { isPlaceholderLocked, setPlaceholder } from "../../db/queries/drafts.ts";
import { keepWithEffect, unlessTaken } from "../../db/queries/idempotency.ts";
import { assetsWeight, refuseAbove, weigh } from "../../db/queries/usage.ts";
import { toQuotaError } from "../../db/quota.ts";
import { checkFiles, copiesOf, type FormPart } from "../../domain/assets-detail.ts";
import { type ErrorCode, ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { fieldName } from "../../domain/issues.ts";
import { type Problem, Problems } from "../../domain/problems.ts";
import { MAX_COPIES } from "../../domain/quota.ts";
import { BlobWriter } from "../storage/blob-writer.ts";
import { assetsLocked, requireDraft, toAsset } from "./assets.ts";
import { commitWithBlobs } from "./commit-blobs.ts";
import {
  FILE_BUFFER,
  placeholderIn,
  type ReceivedFile,
  type ReceivedForm,
  receiveForm,
} from "./receive-form.ts";

const NAMED = 3;

/** Attempts to append assets to the draft while concurrent forms do the same. */
const TRIES = 10;

/**
 * Attaches the assets of a form to a draft, all or none, in the batch that stores the answer. @returns them in the
 * order of `assets_detail`, one by one: 20,000 need not be in memory @throws ServiceError with every problem of the
 * form
 */
export async function attachAssets(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  parts: AsyncIterable<FormPart>,
): Promise<Iterable<Asset>> {
  const { isOpen, nextPosition } = await requireDraft(context, caller, draftId);
  // With a key, the request may repeat one from before the draft was locked; that is known once the form is read.
  if (!isOpen && caller.requestKey === null) throw assetsLocked();
  const startedAt = context.now();
  const writer = new BlobWriter(context.env.BUCKET, FILE_BUFFER);
  const attach = async (): Promise<Iterable<Asset>> => {
    const form = await receiveForm(parts, writer, isOpen);
    checkFiles(form.detail, form.files, form.problems);
    const copies = copiesOf(form.detail.details);
    if (form.problems.count > 0) {
      if (isOpen) await checkCopies(context, { draftId, copies }, form.problems);
      throw refusal(form.problems);
    }
    await writer.finish();
    await caller.requestKey?.confirm(form.digest);
    if (!isOpen) throw assetsLocked();
    const { files } = form;
    const attachment = { draftId, assets: newAssets(form), copies, files, startedAt };
    return commit(context, caller, attachment, nextPosition);
  };
  const work = attach().catch(async (error) => {
    await abandon(context, writer);
    throw error;
  });
  // If the client disconnects, the files that were put are still marked for clean-up.
  context.waitUntil(work.then(noted, noted));
  return work;
}

const noted = (): void => undefined;

async function checkCopies(
  { db }: ServiceContext,
  { draftId, copies }: Pick<Attachment, "draftId" | "copies">,
  problems: Problems,
): Promise<void> {
  const all = copies + (await draftTotals(db, draftId)).copies;
  if (all <= MAX_COPIES) return;
  problems.invalid(
    ["assets_detail"],
    `The draft's assets would have ${all} copies; a collection has at most ${MAX_COPIES}.`,
  );
}

/** The content of a form, without its details: with 20,000 files every object counts. */
interface Attachment {
  readonly draftId: Uuid;
  readonly assets: readonly NewAsset[];
  readonly copies: number;
  readonly files: ReadonlyMap<string, ReceivedFile>;
  /** When reading began: files that were put since then exist. */
  readonly startedAt: Date;
}

/** Appends the assets, again if a concurrent form has appended others. @throws ServiceError */
async function commit(
  context: ServiceContext,
  caller: Caller,
  attachment: Attachment,
  position: number,
): Promise<Iterable<Asset>> {
  let first = position;
  for (let attempt = 1; ; attempt++) {
    try {
      return await commitAt(context, caller, attachment, first);
    } catch (error) {
      if (attempt === TRIES || !(isTaken(error) || isTooMany(error))) throw error;
      const problems = new Problems();
      if (isTooMany(error)) await checkCopies(context, attachment, problems);
      if (problems.count > 0) throw refusal(problems);
      first = (await requireDraft(context, caller, attachment.draftId)).nextPosition;
    }
  }
}

async function commitAt(
  context: ServiceContext,
  caller: Caller,
  attachment: Attachment,
  first: number,
): Promise<Iterable<Asset>> {
  const { db } = context;
  const { integrationId, requestKey, baseUrl } = caller;
  const { draftId, assets, files, startedAt } = attachment;
  const now = context.now();
  const adopted = distinct(files.values());
  const placeholder = placeholderIn(files);
  const response = () => views(attachment, { base: baseUrl, first, now });
  const stored = requestKey && (await requestKey.keeps(201, jsonArray(response())));
  try {
    await commitWithBlobs(context, adopted, async () =>
      runBatch(db, [
        ...keepWithEffect(db, stored, sql`true`),
        ...adoptBlobs(db, adopted, startedAt, now),
        ...attachRows(db, draftId, assets, { first, now }),
        ...(placeholder ? setPlaceholder(db, { integrationId, id: draftId }, placeholder.sha256, now) : []),
        weigh(db, integrationId, assetsWeight(integrationId, draftId, behind(first)), 1),
        refuseAbove(db, integrationId, "stored_bytes"),
        refuseAbove(db, integrationId, "database_bytes"),
      ]),
    );
  } catch (error) {
    if (isLocked(error) || isPlaceholderLocked(error)) throw assetsLocked();
    throw await toQuotaError(context, integrationId, unlessTaken(error));
  }
  return response();
}

function* views(
  { draftId, assets, files }: Attachment,
  { base, first, now }: { readonly base: string; readonly first: number; readonly now: Date },
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

function distinct(files: Iterable<ReceivedFile>): ReceivedFile[] {
  const seen = new Set<string>();
  return Array.from(files).filter(({ sha256 }) => !seen.has(sha256) && seen.add(sha256));
}

/** The assets of a form without problems, which has a detail for every asset and every file that they name. */
function newAssets({ detail, files }: ReceivedForm): NewAsset[] {
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

/** Marks the files that were put for clean-up, unless other rows refer to them. */
async function abandon(context: ServiceContext, writer: BlobWriter): Promise<void> {
  await writer.idle();
  const statements = abandonBlobs(context.db, writer.written(), context.now());
  for (const statement of statements) await statement;
}

/** 413 if all problems are sizes, 415 if all are media types, else 400. */
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

/** Items per chunk: few, to bound memory while the client reads. */
const PAGE = 50;

/** Streams the text of a JSON array, so that a long one is never in memory as a whole. */
export async function* jsonArray(items: Iterable<unknown>): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  let opening = "[";
  let texts: string[] = [];
  for (const item of items) {
    texts.push(JSON.stringify(item));
    if (texts.length < PAGE) continue;
    yield encoder.encode(opening + texts.join(","));
    opening = ",";
    texts = [];
  }
  const separated = texts.length > 0 || opening === "[" ? opening : "";
  yield encoder.encode(`${separated}${texts.join(",")}]`);
}
