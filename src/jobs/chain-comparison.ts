// jobs/: the scheduled job: what runs every minute without a request.

import { sql } from "drizzle-orm";
import { settingsFromContract, settingsThatDiffer } from "../chain/contract/settings.ts";
import { type ContractCollection, contractViews, mayGoOn } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { connect } from "../chain/rpc.ts";
import type { ServiceContext } from "../context.ts";
import {
  adoptSettings,
  collectionsOnChain,
  isBeingFinalized,
  nextContract,
} from "../db/queries/chain-comparison.ts";
import { raiseMinted } from "../db/queries/collection-effects.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { insertEvents } from "../db/queries/events.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import type { Uuid } from "../domain/ids.ts";
import { adoptCollection } from "./collection-adoption.ts";
import { topUpAhead } from "./top-up-ahead.ts";

const SWEEP = "chain_comparison";

/** Contracts of one run, and collections that one view returns within a view's gas. */
const MAX_PAGES = 20;
const PAGE = 50;

/** Where a round is: behind this contract's collection of that number. */
interface Place {
  readonly contract: Uuid;
  readonly from: number;
}

/**
 * Compares D1 with the chain, some contracts a run: counts of minted tokens and settings are repaired, since collectors mint
 * and contracts have admins without the API; a collection that only the chain knows is entered if a draft was to become it;
 * other collections that only one side knows are reported; contracts whose balance runs low are topped up.
 */
export const compareWithChain = async (context: ServiceContext, until: number): Promise<void> => {
  const { db } = context;
  let place = parsePlace(await readSweep(db, SWEEP));
  for (let pages = 0; pages < MAX_PAGES && context.now().getTime() < until; pages++) {
    const contract = await nextContract(db, place?.contract ?? null, (place?.from ?? 0) > 0);
    if (!contract) {
      place = null;
      if (pages > 0) break;
      continue;
    }
    const from = place?.contract === contract.id ? place.from : 0;
    place = { contract: contract.id, from: await comparePage(context, contract, from) };
    await writeSweep(db, SWEEP, JSON.stringify(place), context.now());
  }
  await writeSweep(db, SWEEP, place && JSON.stringify(place), context.now());
};

const parsePlace = (cursor: string | null): Place | null =>
  cursor === null ? null : (JSON.parse(cursor) as Place);

type Known = Awaited<ReturnType<typeof collectionsOnChain>>[number];

/** Compares a page of a contract's collections. Returns where the next begins; 0: there is none. */
const comparePage = async (context: ServiceContext, contract: ContractRow, from: number): Promise<number> => {
  const known = await collectionsOnChain(context.db, contract.id, from, from + PAGE);
  // What a node shows that has seen all that is known here can differ for reasons of others only.
  const height = Math.max(0, ...known.map((row) => row.height));
  const views = contractViews(connect(context.settings), contract.accountId, height);
  try {
    if (from === 0) await topUpAhead(context, contract, views);
    const page = await views.collections(from, PAGE);
    const next = mayGoOn(page, PAGE) ? from + page.length : 0;
    const covered = next === 0 ? known : known.filter(({ onChainId }) => onChainId <= next);
    const byId = new Map(covered.map((row) => [row.onChainId, row]));
    for (const shown of page) {
      await compare(context, contract, byId.get(shown.collection_id), shown);
      byId.delete(shown.collection_id);
    }
    for (const { id, onChainId } of byId.values()) {
      const fields = { contract: contract.accountId, collection_id: onChainId, collection_uuid: id };
      context.log("reconcile.collection_missing", fields);
    }
    return next;
  } catch (error) {
    if (!(error instanceof ViewError)) throw error;
    context.log("reconcile.contract_unreadable", { contract: contract.accountId, error });
    return 0;
  }
};

/** Takes over how many tokens are minted, and tells where these are all. */
const noteMinted = async (
  { db, now }: ServiceContext,
  { integrationId }: ContractRow,
  collectionId: Uuid,
  tokens: number,
): Promise<void> => {
  const sold = { integrationId, runs: [], minted: { collectionId, tokens }, at: now() };
  await db.batch([insertEvents(db, sold, sql`true`), raiseMinted(db, collectionId, tokens, now())]);
};

/** Compares one collection with its row, if it has one. */
const compare = async (
  context: ServiceContext,
  contract: ContractRow,
  row: Known | undefined,
  shown: ContractCollection,
): Promise<void> => {
  const { collection_id, external_id, minted, published } = shown;
  if (row && published && row.id.replaceAll("-", "") === external_id) {
    if (row.minted !== minted) await noteMinted(context, contract, row.id, minted);
    const changed = settingsThatDiffer(row.settings, shown);
    if (changed.length === 0) return;
    const adopted = await adoptSettings(context.db, row, settingsFromContract(shown), context.now());
    if (adopted) context.log("reconcile.settings_adopted", { collection_uuid: row.id, changed });
    return;
  }
  if (await isBeingFinalized(context.db, external_id)) return;
  if (row === undefined && (await adoptCollection(context, contract, shown))) return;
  const fields = { contract: contract.accountId, collection_id, external_id, published };
  context.log("reconcile.collection_differs", { ...fields, collection_uuid: row?.id ?? null });
};
