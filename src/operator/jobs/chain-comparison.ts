import { and, asc, eq, gt, gte, not, type SQL, sql } from "drizzle-orm";
import { phaseCounts, settingsFromContract, settingsThatDiffer } from "../../chain/contract/settings.ts";
import {
  type ContractCollection,
  type ContractViews,
  contractViews,
  isPublishedAs,
  mayHaveMore,
  readCodeState,
} from "../../chain/contract/views.ts";
import { ChainUnavailableError, ViewError } from "../../chain/errors.ts";
import { connect, connectFor } from "../../chain/rpc.ts";
import { accountCode, type Seen } from "../../chain/views.ts";
import { isAsOnChain, putDraftBack, readManifest } from "../../collections/draft-manifest.ts";
import { readOrder } from "../../collections/hidden-assets.ts";
import { type NewCollection, newCollection } from "../../collections/new-collection.ts";
import { COLLECTIONS_PAGE } from "../../collections/on-chain.ts";
import type { ServiceContext } from "../../context.ts";
import { type Database, holds, runBatch } from "../../db/client.ts";
import { DraftAssets } from "../../db/draft-assets.ts";
import { isForgotten, type Ledger, ledgerOf } from "../../db/ledger.ts";
import { hasLocks, notePhaseCounts, raiseMinted, replaceLocks } from "../../db/queries/collection-effects.ts";
import {
  collectionsOnChain,
  findCollection,
  lastOnChain,
  setCodeOfCollections,
} from "../../db/queries/collections.ts";
import { type ContractRow, setCodeState } from "../../db/queries/contracts.ts";
import { insertEvents, readLastSeq } from "../../db/queries/events.ts";
import { finalizedAs, findPlanned, finishAdopted, lockAgain } from "../../db/queries/lost-drafts.ts";
import { hasOpenOperation, OPEN } from "../../db/queries/operations.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { recountUsage } from "../../db/queries/usage.ts";
import { contracts } from "../../db/schema/index.ts";
import { collections } from "../../db/schema/ledger.ts";
import { toHex, type Uuid, uuidFromBytes } from "../../domain/ids.ts";
import { LOCKS, type LockRecord, lockRecord } from "../../domain/locks.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import { noteOwners } from "../../operations/kinds/collection-reveal.ts";
import { noteSales } from "../../operations/sales.ts";
import { topUpAhead } from "../../operations/top-up-ahead.ts";
import { reportClaims } from "./claims.ts";
import { noteQuiet, reportWalletMints } from "./wallet-mints.ts";

/** The next contracts that are ready, behind an id, or from that one itself on. */
const nextContracts = (db: Database, after: Uuid | null, itself: boolean, limit: number) =>
  db
    .select()
    .from(contracts)
    .where(
      and(
        eq(contracts.state, "ready"),
        after === null ? undefined : itself ? gte(contracts.id, after) : gt(contracts.id, after),
      ),
    )
    .orderBy(asc(contracts.id))
    .limit(limit);

/** Adopts settings of the chain, unless an operation has changed them since `height` or an update is pending. */
const adoptSettings = async (
  db: Ledger,
  { id, integrationId, height }: { readonly id: Uuid; readonly integrationId: Uuid; readonly height: number },
  settings: CollectionSettings,
  now: Date,
): Promise<boolean> => {
  const adopted = await db
    .update(collections)
    .set({ settings, updatedAt: now })
    .where(
      and(
        eq(collections.id, id),
        eq(collections.height, height),
        not(hasOpenOperation({ integrationId, subjectId: id }, "collection_update")),
      ),
    )
    .returning({ id: collections.id });
  return adopted.length > 0;
};

/** Condition: a pending finalization makes the collection of this `external_id` (hexadecimal). */
export const isBeingFinalized = (externalId: string): SQL => sql`EXISTS (
  SELECT 1 FROM operations WHERE ${OPEN} AND kind = 'finalize'
  AND replace(json_extract(request, '$.collectionUuid'), '-', '') = ${externalId})`;

/**
 * Enters a published collection that the database lacks, if its external id is the planned one of a draft: database and
 * wallet have lost its finalization. The draft is put back from R2, or taken if its assets and copies match.
 */
const adoptCollection = async (
  context: ServiceContext,
  contract: ContractRow,
  shown: ContractCollection,
): Promise<boolean> => {
  const { db, log } = context;
  if (!shown.published) return false;
  const id = uuidFromBytes(Buffer.from(shown.external_id, "hex"));
  // Known under another number: that is to be reported, and nothing is to be entered.
  if (await findCollection(ledgerOf(context, contract.integrationId), id)) return false;
  const draftId = await lockedDraft(context, contract, id, shown);
  if (draftId === null) return false;
  const collection: NewCollection = {
    id,
    integrationId: contract.integrationId,
    contractId: contract.id,
    contractAccountId: contract.accountId,
    codeState: contract.codeState,
    draftId,
    onChainId: shown.collection_id,
    settings: settingsFromContract(shown),
    total: shown.total,
    assets: shown.assets,
    minted: shown.minted,
    locks: locksOf(shown),
    height: 0,
    ...(await revealOf(context, id, shown)),
  };
  const { statements } = await newCollection(context, collection, new DraftAssets(db, draftId));
  await runBatch(ledgerOf(context, contract.integrationId), statements);
  await finishAdopted(db, draftId, id, context.now());
  await recountUsage(db, contract.integrationId);
  log("reconcile.collection_adopted", {
    contract: contract.accountId,
    collection_uuid: id,
    draft_uuid: draftId,
  });
  return true;
};

/** Puts back drafts of collections with their files, which D1 lacks after it was set back: its ledger still has the collection. */
const putDraftsBack = async (
  context: ServiceContext,
  contract: ContractRow,
  {
    known,
    page,
  }: { readonly known: readonly OnChainCollection[]; readonly page: readonly ContractCollection[] },
): Promise<void> => {
  const { db, log, now } = context;
  const { integrationId } = contract;
  const has = new Set(
    await finalizedAs(
      db,
      known.map(({ id }) => id),
    ),
  );
  const ledger = ledgerOf(context, integrationId);
  for (const { id, onChainId } of known) {
    const shown = page.find((each) => each.collection_id === onChainId);
    if (has.has(id) || !shown || !isPublishedAs(shown, id)) continue;
    // D1 is yet to be told of the finalization.
    if (await holds(ledger, sql`EXISTS (SELECT 1 FROM outbox WHERE id > (SELECT sent_entry FROM meta))`))
      return;
    const row = await findCollection(ledger, id);
    const draftId = row && (await lockedDraft(context, contract, id, shown));
    if (!draftId) continue;
    // Its statements would insert the collection.
    await newCollection(context, { ...row.collection, draftId }, new DraftAssets(db, draftId));
    await finishAdopted(db, draftId, id, now());
    await recountUsage(db, integrationId);
    log("reconcile.draft_put_back", { collection_uuid: id, draft_uuid: draftId });
  }
};

/** What is kept of a reveal. The order is in R2, unless it was lost there too. */
const revealOf = async (context: ServiceContext, id: Uuid, { reveal }: ContractCollection) => {
  if (!reveal) return { reveal: null, revealAt: null };
  const { commitment, shown, state } = reveal;
  const at = (await readManifest(context, id))?.reveal;
  return {
    reveal: { order: await readOrder(context, id), commitment, shown },
    revealAt: typeof at === "string" && state !== "revealed" ? new Date(at) : null,
  };
};

/** The draft of a collection, locked with the assets that are on the chain; null if there is none. */
const lockedDraft = async (
  context: ServiceContext,
  contract: ContractRow,
  collectionUuid: Uuid,
  shown: ContractCollection,
): Promise<Uuid | null> => {
  const planned = await findPlanned(context.db, contract.integrationId, collectionUuid);
  const operationId = planned?.operationId ?? null;
  const manifest = await readManifest(context, collectionUuid);
  if (manifest?.integrationUuid === contract.integrationId && manifest.assets.length === shown.assets) {
    await putDraftBack(context, manifest, {
      contractId: contract.id,
      contract: contract.accountId,
      plannedCollectionId: collectionUuid,
      settings: settingsFromContract(shown),
      operationId,
    });
    return manifest.draftUuid;
  }
  if (!planned || !(await isAsOnChain(context, planned.id, shown))) return null;
  await lockAgain(context.db, planned.id, operationId, context.now());
  return planned.id;
};

const SWEEP = "chain_comparison";

/** Pages of collections in one run, and contracts compared concurrently. */
const MAX_PAGES = 200;
const AT_ONCE = 5;
/** Collections that are read beyond the last known one: a contract with other code might never end its list. */
const MOST_UNKNOWN = 1_000;
/** Total wait of a run for pending mints. Milliseconds. */
const WAIT_MS = 10_000;

/** Where a round is: behind this contract's collection of that number. */
interface Cursor {
  readonly contract: Uuid;
  readonly from: number;
}

/**
 * Compares ledgers with the chain, some contracts a run: counts of minted tokens and settings are repaired, since collectors
 * mint and contracts have admins without the API; a collection that only the chain knows is entered if a draft was to
 * become it; other collections that only one side knows are reported; tokens that were minted without the service and
 * claimed links are reported as events; contracts whose balance runs low are topped up. A contract that fails is passed
 * over until the next round, so that it stops no other.
 * @throws ChainUnavailableError, behind the contracts that nodes didn't answer for
 */
export const compareWithChain = async (context: ServiceContext, until: number): Promise<void> => {
  const { db, now } = context;
  let place = JSON.parse((await readSweep(db, SWEEP)) ?? "null") as Cursor | null;
  let pages = 0;
  const waitUntil = Math.min(until, now().getTime() + WAIT_MS);
  const isOver = () => pages >= MAX_PAGES || now().getTime() >= until;
  const hasBegun = place !== null;
  let unavailable: ChainUnavailableError | null = null;
  const compareFrom = async (contract: ContractRow, from: number): Promise<number> => {
    pages++;
    const next = await comparePage(context, contract, { from, waitUntil });
    if (typeof next === "number") return next;
    unavailable = next;
    return 0;
  };
  while (!isOver() && unavailable === null) {
    // A contract with pages left continues alone.
    const itself = (place?.from ?? 0) > 0;
    const contracts = await nextContracts(db, place?.contract ?? null, itself, itself ? 1 : AT_ONCE);
    const last = contracts.at(-1);
    if (!last) {
      place = null;
      if (pages > 0 || !hasBegun) break;
      pages++;
      continue;
    }
    const from = itself ? place!.from : 0;
    const nexts = await Promise.all(contracts.map((contract) => compareFrom(contract, from)));
    place = { contract: last.id, from: 0 };
    for (const [index, contract] of contracts.entries()) {
      let next = nexts[index]!;
      while (next > 0 && !isOver()) next = await compareFrom(contract, next);
      if (next === 0) continue;
      place = { contract: contract.id, from: next };
      break;
    }
    await writeSweep(db, SWEEP, JSON.stringify(place), now());
  }
  await writeSweep(db, SWEEP, place && JSON.stringify(place), now());
  if (unavailable !== null) throw unavailable;
};

type OnChainCollection = Awaited<ReturnType<typeof collectionsOnChain>>[number];

/** A page of a contract's collections, behind its first `from`. */
interface WantedPage {
  readonly from: number;
  readonly waitUntil: number;
}

/**
 * Compares a page of a contract's collections, whose failure is that contract's alone: its owner may run code there that
 * returns anything.
 * @returns where the next page begins; 0 at the end, and after a failure; an error if nodes don't answer
 */
const comparePage = async (
  context: ServiceContext,
  contract: ContractRow,
  wanted: WantedPage,
): Promise<number | ChainUnavailableError> => {
  try {
    return await compareCollections(context, contract, wanted);
  } catch (error) {
    if (error instanceof ChainUnavailableError) return error;
    // A lost ledger needs attention for itself.
    if (isForgotten(error)) return 0;
    const event = error instanceof ViewError ? "reconcile.contract_unreadable" : "reconcile.contract_failed";
    context.log(event, { contract: contract.accountId, error });
    return 0;
  }
};

const compareCollections = async (
  context: ServiceContext,
  contract: ContractRow,
  { from, waitUntil }: WantedPage,
): Promise<number> => {
  const seq = await readLastSeq(ledgerOf(context, contract.integrationId));
  const known = await collectionsOnChain(
    ledgerOf(context, contract.integrationId),
    contract.id,
    from,
    from + COLLECTIONS_PAGE,
  );
  // What a node shows that has seen all that is known here can differ for reasons of others only.
  const height = Math.max(0, ...known.map((row) => row.height));
  const views = contractViews(connect(context.settings), contract.accountId, height);
  if (from === 0) {
    await topUpAhead(context, contract, views);
    await noteCode(context, contract, views);
  }
  const read = await views.collections(from, COLLECTIONS_PAGE);
  const page = read.value;
  // Of a contract without collections nothing can be claimed.
  if (from === 0 && page.length > 0) await reportClaims(context, contract, views);
  await noteSales(context, contract.integrationId, views, { rows: known, page: read });
  const next = await nextFrom(context, contract, from, page);
  const covered = next === 0 ? known : known.filter(({ onChainId }) => onChainId <= next);
  const byId = new Map(covered.map((row) => [row.onChainId, row]));
  const quiet: OnChainCollection[] = [];
  for (const shown of page) {
    const row = byId.get(shown.collection_id);
    await compare(context, contract, row, { ...read, value: shown });
    if (row && isPublishedAs(shown, row.id)) {
      const { minted } = shown;
      if (minted <= row.eventsReportedTo) quiet.push(row);
      else await reportWalletMints(context, row, { contract, minted, seq, waitUntil });
    }
    byId.delete(shown.collection_id);
  }
  await noteQuiet(ledgerOf(context, contract.integrationId), quiet, seq);
  await putDraftsBack(context, contract, { known, page });
  for (const { id, onChainId } of byId.values()) {
    const fields = { contract: contract.accountId, collection_id: onChainId, collection_uuid: id };
    context.log("reconcile.collection_missing", fields);
  }
  return next;
};

/** Stores what may become of a contract's code. */
const noteCode = async (
  context: ServiceContext,
  { id, accountId, integrationId, codeState: known }: ContractRow,
  views: ContractViews,
): Promise<void> => {
  // Mintage's contract adds no key, but other code that ran in between may have.
  const { codeState: state } = await readCodeState(connectFor(context), accountId, views);
  if (JSON.stringify(state) === JSON.stringify(known)) return;
  // First, so that an interruption repeats both.
  await runBatch(ledgerOf(context, integrationId), [
    setCodeOfCollections(ledgerOf(context, integrationId), id, state),
  ]);
  await setCodeState(context.db, id, state);
};

/** Where the page behind this one begins; 0 at the end. */
const nextFrom = async (
  context: ServiceContext,
  { id, integrationId }: ContractRow,
  from: number,
  page: readonly ContractCollection[],
): Promise<number> => {
  const next = from + page.length;
  const isEnd =
    !mayHaveMore(page, COLLECTIONS_PAGE) ||
    next >= (await lastOnChain(ledgerOf(context, integrationId), id)) + MOST_UNKNOWN;
  return isEnd ? 0 : next;
};

const noteMinted = async (
  context: ServiceContext,
  { integrationId }: ContractRow,
  collectionId: Uuid,
  tokens: number,
): Promise<void> => {
  const sold = { integrationId, runs: [], minted: { collectionId, tokens }, at: context.now() };
  const ledger = ledgerOf(context, integrationId);
  await runBatch(ledger, [
    insertEvents(ledger, sold, sql`true`),
    raiseMinted(ledger, collectionId, tokens, context.now()),
  ]);
};

/** Stores what a collection's phases have counted since they were read last. */
const noteCounts = async (
  context: ServiceContext,
  { id, integrationId, phaseCounts: before }: OnChainCollection,
  shown: ContractCollection,
): Promise<void> => {
  const counts = phaseCounts(shown);
  if (JSON.stringify(counts) === JSON.stringify(before ?? {})) return;
  await notePhaseCounts(ledgerOf(context, integrationId), id, counts, { now: context.now() });
};

/**
 * Replaces the locks that a collection is known to have by those that its contract shows, and reports those that were not
 * known: the owner has made them without the service, or locked the code for another collection. Those of an open
 * operation are left to its end. A lock that is known but not shown was noted wrongly, since nobody can take one back, unless
 * the contract runs other code. The contract doesn't tell which single assets are locked.
 */
const noteLocksOf = async (
  context: ServiceContext,
  contract: ContractRow,
  { id, integrationId, onChainId, locks: known }: OnChainCollection,
  { value: shown, height }: Seen<ContractCollection>,
): Promise<void> => {
  const locks = locksOf(shown);
  const news = namesIn(locks).filter((name) => !known[name]);
  const wrong = namesIn(known).filter((name) => !locks[name]);
  if (news.length + wrong.length === 0) return;
  const isWrong = wrong.length > 0 && (await hasKnownCode(context, contract));
  if (isWrong) context.log("reconcile.locks_corrected", { collection_uuid: id, locks: wrong });
  else if (news.length === 0) return;
  const named = LOCKS.filter((lock) => news.includes(lock));
  const now = context.now();
  const isOpen = hasOpenOperation({ integrationId, subjectId: id }, "collection_lock");
  const condition = sql`NOT ${isOpen} AND ${hasLocks(id, known)}`;
  const place = { collection_uuid: id, collection_id: onChainId, contract_address: contract.accountId };
  const event = {
    integrationId,
    runs: [["collection.locked", 1]],
    data: [{ ...place, locks: named, asset_uuids: [] }],
    at: now,
  } as const;
  const ledger = ledgerOf(context, integrationId);
  await runBatch(ledger, [
    ...(named.length > 0 ? [insertEvents(ledger, event, condition)] : []),
    replaceLocks(ledger, id, isWrong ? locks : { ...known, ...locks }, { height, now, condition }),
  ]);
};

const namesIn = (locks: LockRecord) => Object.keys(locks) as (keyof LockRecord)[];

/** Whether a contract runs the code that the service knows it by. */
const hasKnownCode = async ({ settings }: ServiceContext, { accountId, codeHash }: ContractRow) => {
  const code = await accountCode(connect(settings), accountId);
  return code !== null && toHex(code) === toHex(codeHash);
};

/** What a contract shows of a collection's locks. Another owner decides which code it runs. */
const locksOf = ({ locks = [], locked_assets: assets }: ContractCollection): LockRecord =>
  lockRecord(
    LOCKS.filter((lock) => locks.includes(lock)),
    assets,
  );

/** Stores and reports which assets the owner has shown without the service. */
const noteRevealed = async (
  context: ServiceContext,
  { id, integrationId, shown: known }: OnChainCollection,
  { reveal }: ContractCollection,
): Promise<void> => {
  if (known === null || !reveal || reveal.shown <= known) return;
  const row = await findCollection(ledgerOf(context, integrationId), id);
  if (row) await noteOwners(context, row, reveal);
};

/** Stores settings that a contract's admins have changed without the service. */
const noteSettings = async (
  context: ServiceContext,
  row: OnChainCollection,
  shown: ContractCollection,
): Promise<void> => {
  const changed = settingsThatDiffer(row.settings, shown);
  if (changed.length === 0) return;
  const settings = settingsFromContract(shown, row.settings);
  if (await adoptSettings(ledgerOf(context, row.integrationId), row, settings, context.now()))
    context.log("reconcile.settings_adopted", { collection_uuid: row.id, changed });
};

const compare = async (
  context: ServiceContext,
  contract: ContractRow,
  row: OnChainCollection | undefined,
  seen: Seen<ContractCollection>,
): Promise<void> => {
  const { value: shown } = seen;
  const { collection_id, external_id, minted, published } = shown;
  if (row && isPublishedAs(shown, row.id)) {
    if (row.minted !== minted) await noteMinted(context, contract, row.id, minted);
    await noteCounts(context, row, shown);
    await noteRevealed(context, row, shown);
    await noteSettings(context, row, shown);
    // Behind the settings that they keep: a value that stays isn't refused.
    await noteLocksOf(context, contract, row, seen);
    return;
  }
  if (await holds(ledgerOf(context, contract.integrationId), isBeingFinalized(external_id))) return;
  if (row === undefined && (await adoptCollection(context, contract, shown))) return;
  const fields = { contract: contract.accountId, collection_id, external_id, published };
  context.log("reconcile.collection_differs", { ...fields, collection_uuid: row?.id ?? null });
};
