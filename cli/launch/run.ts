import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { FolderError, type Progress, uploadFolder } from "../../client/src/folder/index.ts";
import {
  type ChainTransactionResult,
  type CollectionDraft,
  type CollectionDraftInput,
  type CollectionPage,
  type FinalizeAnswer,
  type MintageClient,
  NotFoundError,
  type Quote,
} from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { firstProblems } from "../csv.ts";
import { hadNoEffect, isRefusal } from "../no-effect.ts";
import { allowlistBatches } from "./allowlist-file.ts";
import { changedSettings } from "./changed-settings.ts";
import type { CheckedFolder } from "./folder.ts";
import { showPage } from "./page.ts";
import { requirePayees } from "./payees.ts";
import { LISTED } from "./phase-settings.ts";
import { requireOpenPhases } from "./phases.ts";
import type { Currencies } from "./prices.ts";
import { beginState, type LaunchState, readState, stateFile, writeState } from "./state.ts";
import { subtitleOf } from "./titles.ts";

/** What a launch works with. */
export interface Launch {
  readonly client: MintageClient;
  readonly baseUrl: string;
  readonly folder: string;
  readonly checked: CheckedFolder;
  /** The tokens of its prices. */
  readonly currencies: Currencies;
  readonly request: CollectionDraftInput;
  /** Told how far the upload has come, and then the allowlists. */
  readonly onUpload: (progress: Progress) => void;
  readonly onAllowlist: (accounts: number, total: number) => void;
  /** Told what begins. */
  readonly onStep: (what: string) => void;
  /** Asked, once all is uploaded, whether the collection may cost so much. */
  readonly onQuote: (quote: Quote) => Promise<boolean>;
}

/** What a launch came to. */
export interface Launched {
  readonly finalized: FinalizeAnswer;
  readonly draftUuid: string;
  /** Whether its assets are hidden, and if until a time, which. */
  readonly reveal: boolean | string;
  /** Null: the folder wants none. */
  readonly page: CollectionPage | null;
  /** Accounts that this run and those before have put on the allowlists. */
  readonly allowlisted: number;
  /** Transactions of this launch that this run has seen. */
  readonly transactions: readonly ChainTransactionResult[];
}

/** What an earlier run left of this folder's launch; null if there was none. */
export const earlierRun = (folder: string, baseUrl: string): LaunchState | null =>
  readState(stateFile(folder, baseUrl));

/**
 * Takes a folder to a collection on the chain. Each step may be interrupted at any point and is finished by the next
 * run: the draft and the allowlist by Idempotency-Keys of the state file, the upload by what the draft has, and the
 * finalization because a draft becomes one collection only.
 * @returns null where nobody agrees to what the collection costs: its draft stays
 */
export async function launchFolder(launch: Launch): Promise<Launched | null> {
  const file = stateFile(launch.folder, launch.baseUrl);
  const { draft, state: drafted } = await currentDraft(launch, file);
  const draftUuid = draft.collection_draft_uuid;
  if (draft.state === "draft") {
    requireOpenPhases(launch.checked, Date.now());
    await requirePayees(launch, draftUuid);
    await upload(launch, draftUuid);
  }
  await requireSameAssets(launch, draft);
  const finalized = await finalizedOf(launch, draft);
  if (finalized === null) return null;
  const state = writeState(file, { ...drafted, collection_uuid: finalized.collection_uuid });
  const { transactions, accounts } = await fillAllowlists(launch, {
    file,
    state,
    collectionUuid: finalized.collection_uuid,
  });
  const { near_collection: collection } = finalized;
  const page = await showPage(
    launch.client,
    {
      uuid: finalized.collection_uuid,
      draftUuid,
      title: collection.title,
      number: collection.collection_id,
    },
    launch.checked.file.page,
    launch.checked.page,
  );
  return {
    finalized,
    draftUuid,
    reveal: draft.reveal,
    page,
    allowlisted: accounts,
    transactions: [...finalized.tx_results, ...transactions],
  };
}

/**
 * The collection that the draft became, now or in an earlier run. It costs at most what was agreed to; null: nobody agreed.
 */
async function finalizedOf(
  { client, onStep, onQuote }: Launch,
  { state, operation_uuid: operation, collection_draft_uuid: uuid }: CollectionDraft,
): Promise<FinalizeAnswer | null> {
  if (state === "finalized" && operation !== null) return client.operations.wait<FinalizeAnswer>(operation);
  if (state !== "draft") {
    onStep("Putting the collection on-chain");
    return client.drafts.finalize(uuid);
  }
  const quote = await client.quote({ method: "POST", path: `/collection-draft/${uuid}/finalize` });
  if (!(await onQuote(quote))) return null;
  onStep("Putting the collection on-chain");
  return client.drafts.finalize(uuid, { quote: quote.quote_uuid });
}

/** The launch's draft with the settings that the folder asks for, made if there is none. */
async function currentDraft(
  launch: Launch,
  file: string,
): Promise<{ draft: CollectionDraft; state: LaunchState }> {
  const { client, request } = launch;
  let state = readState(file) ?? beginState(file, launch.baseUrl, request);
  if (state.collection_draft_uuid === null) {
    launch.onStep("Drafting the collection");
    state = await makeDraft(launch, file, state);
  }
  const uuid = state.collection_draft_uuid ?? "";
  const draft = await client.drafts.get(uuid).catch((error: unknown) => {
    throw error instanceof NotFoundError ? draftGone(file, uuid) : error;
  });
  if (isDeepStrictEqual(state.draft_request, request)) return { draft, state };
  if (draft.state !== "draft") {
    await requireSameSettings(launch, state.draft_request, draft);
    return { draft, state };
  }
  // Phases that the folder had earlier and has no more end.
  const updated = await client.drafts.update(uuid, { phases: [], ...request });
  return { draft: updated, state: writeState(file, { ...state, draft_request: request }) };
}

/** @throws UsageError where the folder changes settings that the collection on-chain has otherwise */
async function requireSameSettings(
  { client, folder, request, checked, currencies }: Launch,
  begun: CollectionDraftInput,
  { collection_uuid: uuid }: CollectionDraft,
): Promise<void> {
  const collection = uuid === null ? null : await client.collections.get(uuid);
  const changed = changedSettings(request, begun, collection, currencies);
  if (changed.length === 0) return;
  throw new UsageError(
    `${checked.settingsName} was changed after the collection went on-chain, which a launch doesn't change:
  ${changed.join("\n  ")}
Change the collection, phases with npm run launch -- set ${folder} and other settings with PUT /collection/${uuid ?? "{uuid}"}, or restore these values in ${checked.settingsName}, and run it again.`,
  );
}

const draftGone = (file: string, uuid: string): UsageError =>
  new UsageError(
    `${file} names draft ${uuid}, which this key doesn't have. Use the key that started the launch. If the draft was deleted, or the service's data was, delete that file to launch the folder again.`,
  );

async function makeDraft(launch: Launch, file: string, begun: LaunchState): Promise<LaunchState> {
  try {
    const options = { idempotencyKey: `launch-${begun.launch}-draft` };
    const { collection_draft_uuid } = await launch.client.drafts.create(begun.draft_request, options);
    return writeState(file, { ...begun, collection_draft_uuid });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // Nothing was made, so that the next try may ask for something else.
    rmSync(file);
    if (isDeepStrictEqual(begun.draft_request, launch.request)) throw error;
    return makeDraft(launch, file, beginState(file, launch.baseUrl, launch.request));
  }
}

async function upload({ client, folder, checked, onUpload }: Launch, draftUuid: string): Promise<void> {
  const { copies, subtitle, draft } = checked.file;
  await uploadFolder(client, draftUuid, folder, {
    copies,
    subtitle: subtitle ?? ((metadata) => subtitleOf(draft.title, metadata)),
    onProgress: onUpload,
  });
}

/**
 * Compares the draft with the folder, before what the folder doesn't ask for is minted with the rest, and afterwards
 * before the folder is said to be on-chain.
 * @throws FolderError if they differ
 */
async function requireSameAssets(
  { client, checked }: Launch,
  { collection_draft_uuid: draftUuid, state }: CollectionDraft,
): Promise<void> {
  const { copies } = checked.file;
  const names = new Set(
    checked.plan.assets.map(({ media }) => media.path.slice(media.path.lastIndexOf("/") + 1)),
  );
  const whose = state === "draft" ? "draft" : "collection";
  const problems: string[] = [];
  for await (const { asset_filename: name, asset_uuid: uuid, copies: had } of client.drafts.assets(
    draftUuid,
  )) {
    if (!names.delete(name))
      problems.push(`The ${whose} has ${name} (asset ${uuid}), which isn't in the folder.`);
    else if (had !== copies)
      problems.push(`The ${whose} has ${name} (asset ${uuid}) with copies: ${had}, not ${copies}.`);
  }
  for (const name of names) problems.push(`The ${whose} doesn't have ${name}.`);
  if (problems.length === 0) return;
  const advice =
    state === "draft"
      ? `Delete these assets from draft ${draftUuid}, or change the folder back.`
      : "The collection is on-chain, where its pictures and copies can't change: change the folder back.";
  throw new FolderError([...firstProblems("The folder", problems, "difference"), advice]);
}

interface AllowlistWork {
  readonly file: string;
  readonly state: LaunchState;
  readonly collectionUuid: string;
}

/** The digest of a request's accounts; those of `allowlist` have no phase in it. */
const batchDigest = (phase: number, batch: readonly string[]): string =>
  createHash("sha256")
    .update(JSON.stringify(phase === LISTED ? batch : [phase, batch]))
    .digest("hex");

/** Adds the accounts that the allowlists lack, a request after the other. */
async function fillAllowlists(
  { client, checked, onAllowlist, onStep }: Launch,
  { file, state: begun, collectionUuid }: AllowlistWork,
): Promise<{ readonly transactions: readonly ChainTransactionResult[]; readonly accounts: number }> {
  const batches = [...checked.lists].flatMap(([phase, accounts]) =>
    allowlistBatches(accounts).map((batch) => ({ phase, batch })),
  );
  const total = batches.reduce((sum, { batch }) => sum + batch.length, 0);
  const transactions: ChainTransactionResult[] = [];
  if (total > 0) onStep("Filling the allowlist");
  let state = begun;
  let done = 0;
  for (const { phase, batch } of batches) {
    const digest = batchDigest(phase, batch);
    if (!state.allowlisted.includes(digest)) {
      const idempotencyKey = `launch-${state.launch}-allowlist-${state.allowlist_tries}-${digest}`;
      const list = phase === LISTED ? {} : { phase };
      try {
        const added = await client.allowlist.add(collectionUuid, batch, { ...list, idempotencyKey });
        transactions.push(...[added.tx_results].flat());
      } catch (error) {
        if (hadNoEffect(error)) writeState(file, { ...state, allowlist_tries: state.allowlist_tries + 1 });
        throw error;
      }
      state = writeState(file, { ...state, allowlisted: [...state.allowlisted, digest] });
    }
    done += batch.length;
    onAllowlist(done, total);
  }
  return { transactions, accounts: total };
}
