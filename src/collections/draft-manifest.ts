import type { ContractCollection } from "../chain/contract/views.ts";
import { connect } from "../chain/rpc.ts";
import { accountCode } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { runBatch } from "../db/client.ts";
import type { DraftAssets } from "../db/draft-assets.ts";
import { draftTotals, type PlacedAsset } from "../db/queries/assets.ts";
import { adoptBlobs, findBlob, type StoredBlob } from "../db/queries/blobs.ts";
import { findContract } from "../db/queries/contracts.ts";
import { type LostDraft, putBackDraft } from "../db/queries/lost-drafts.ts";
import { insertContract } from "../db/queries/provisioning.ts";
import { ServiceError } from "../domain/errors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { JSON_TYPE } from "../domain/media-types.ts";
import { manifestKey } from "../files/storage/keys.ts";
import { putSame } from "../files/storage/put-blob.ts";
import { commitWithBlobs } from "../files/uploads/commit-blobs.ts";

/** An asset with the sizes and types of its files. */
interface ManifestAsset extends PlacedAsset {
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  readonly referenceSize: number | null;
}

/** The draft that a finalization read, in R2: after a rollback of D1 nothing else has file names. */
interface Manifest {
  readonly version: 1;
  readonly draftUuid: Uuid;
  readonly integrationUuid: Uuid;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly assets: readonly ManifestAsset[];
  /** Whether and when assets are revealed, as the draft's settings have it; absent: they are never hidden. */
  readonly reveal?: boolean | string;
  /** What tokens show before; absent: nothing. */
  readonly placeholder?: StoredBlob;
}

/** Stores the manifest of a locked draft, before the first transaction of its finalization. */
export const keepManifest = async (
  context: ServiceContext,
  collectionUuid: Uuid,
  draft: Pick<LostDraft, "id" | "integrationId" | "createdAt"> & {
    readonly reveal: boolean | string;
    /** SHA-256 in lower-case hexadecimal. */
    readonly placeholder: string | null;
  },
  assets: DraftAssets,
): Promise<void> => {
  const listed: ManifestAsset[] = [];
  for await (const {
    sha256,
    referenceSha256: reference,
    rootSha256,
    createdAt,
    ...asset
  } of assets.behind()) {
    listed.push({ ...asset, sha256: toHex(sha256), referenceSha256: reference && toHex(reference) });
  }
  const { id: draftUuid, integrationId: integrationUuid, createdAt, reveal, placeholder } = draft;
  const shown =
    placeholder === null ? undefined : await findBlob(context.db, Buffer.from(placeholder, "hex"));
  const manifest: Manifest = {
    version: 1,
    draftUuid,
    integrationUuid,
    createdAt: createdAt.getTime(),
    assets: listed,
    ...(reveal !== false && { reveal }),
    ...(shown && {
      placeholder: { sha256: toHex(shown.sha256), size: shown.size, mediaType: shown.mediaType },
    }),
  };
  await putSame(context.env.BUCKET, manifestKey(collectionUuid), JSON.stringify(manifest), {
    contentType: JSON_TYPE,
  });
};

/** Whether a finalization of this collection has begun. */
export const hasManifest = async ({ env }: ServiceContext, collectionUuid: Uuid): Promise<boolean> =>
  (await env.BUCKET.head(manifestKey(collectionUuid))) !== null;

/** The manifest of a collection; null if R2 has none. */
export const readManifest = async (
  { env }: ServiceContext,
  collectionUuid: Uuid,
): Promise<Manifest | null> => {
  const object = await env.BUCKET.get(manifestKey(collectionUuid));
  return object === null ? null : object.json<Manifest>();
};

type Home = Omit<LostDraft, "id" | "integrationId" | "createdAt" | "placeholderSha256"> & {
  readonly contract: string;
};

/** Restores a draft from its manifest, and its contract if D1 lacks it. @throws ServiceError conflict if files are gone */
export const putDraftBack = async (
  context: ServiceContext,
  manifest: Manifest,
  { contract, ...home }: Home,
): Promise<void> => {
  const { db, now } = context;
  const { draftUuid: id, integrationUuid: integrationId, assets } = manifest;
  await putContractBack(context, { id: home.contractId, integrationId, accountId: contract });
  const files = filesOf(manifest);
  const { reveal = false, placeholder } = manifest;
  const draft = {
    ...{ id, integrationId, createdAt: new Date(manifest.createdAt), ...home },
    settings: { ...home.settings, ...(reveal !== false && { reveal }) },
    placeholderSha256: placeholder ? Buffer.from(placeholder.sha256, "hex") : null,
  };
  // The files are old: a row that marks one as deleted is believed unless R2 has the file.
  const statements = [
    ...adoptBlobs(db, files, new Date(0), now()),
    ...putBackDraft(db, draft, assets, now()),
  ];
  await commitWithBlobs(context, files, () => runBatch(db, statements));
};

const filesOf = ({ assets, placeholder }: Manifest): StoredBlob[] => {
  const files = new Map<string, StoredBlob>(placeholder && [[placeholder.sha256, placeholder]]);
  for (const { sha256, size, mediaType, referenceSha256, referenceSize } of assets) {
    files.set(sha256, { sha256, size, mediaType });
    if (referenceSha256 === null || referenceSize === null) continue;
    files.set(referenceSha256, { sha256: referenceSha256, size: referenceSize, mediaType: JSON_TYPE });
  }
  return Array.from(files.values());
};

/** Restores a collection's contract row. @throws ServiceError conflict if the account runs no code */
const putContractBack = async (
  context: ServiceContext,
  contract: { readonly id: Uuid; readonly integrationId: Uuid; readonly accountId: string },
): Promise<void> => {
  const { db, now, settings } = context;
  if (await findContract(db, contract.integrationId, contract.id)) return;
  const codeHash = await accountCode(connect(settings), contract.accountId);
  if (codeHash === null)
    throw new ServiceError("conflict", `The account ${contract.accountId} runs no contract.`);
  const times = { createdAt: now(), updatedAt: now() };
  await insertContract(db, { ...contract, codeHash, state: "ready", ...times });
};

/** Whether a draft has as many assets and copies as its collection on the chain. */
export const isAsOnChain = async (
  { db }: ServiceContext,
  draftId: Uuid,
  shown: Pick<ContractCollection, "assets" | "total">,
): Promise<boolean> => {
  const { copies, assets } = await draftTotals(db, draftId);
  return copies === shown.total && assets === shown.assets;
};
