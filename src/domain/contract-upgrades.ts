/**
 * A contract's upgrade from layout 2: the balance that it needs afterwards, and the calls that migrate its collections
 * (docs/contract.md, "What is paid for" and "Storage layout").
 */

import { promisedBytes } from "./promised-bytes.ts";

export interface CollectionBefore {
  readonly collection_id: number;
  readonly published: boolean;
  readonly assets: number;
  readonly total: number;
  readonly minted: number;
}

/** Bytes that a collection's first page of tokens takes without them. */
const PAGE_BYTES = 63;

/** Bytes that `migrate` counts for each collection's header, and those of the record of its external id. */
const COLLECTION_BYTES = 13 + 61;

/** Assets of a page of layout 3, and the bytes that its records take in addition to those of a page of layout 2. */
const ASSET_PAGE = 512;
const ASSET_PAGE_BYTES = 200;

/** Most bytes that a contract's tokens and collections will need in addition to those stored, without repeated subtitles. */
export const bytesPromised = (collections: readonly CollectionBefore[]): number =>
  collections.reduce((sum, collection) => {
    const tokens = collection.published ? collection.minted * promisedBytes(collection) + PAGE_BYTES : 0;
    const pages = Math.ceil(collection.assets / ASSET_PAGE) * ASSET_PAGE_BYTES;
    return sum + tokens + pages + COLLECTION_BYTES;
  }, 0);

export interface Migration {
  readonly collectionId: number;
  readonly assets: number;
}

export interface MigrationStep {
  /** Names what it covers, so that a later plan with more collections never gives a name another meaning. */
  readonly name: string;
  readonly calls: readonly Migration[];
  /** Assets of its last collection that remain on pages of layout 2 after it. */
  readonly leaves: number;
}

/** Assets of a page of layout 2. One call migrates them, or as many as fit with their subtitles. */
const OLD_PAGE = 4_096;

/** Assets that one call always migrates: it carries 1 MiB, and a subtitle has at most 1,024 bytes. */
const ASSETS_OF_ANY_KIND = 1_024;

/** Assets and calls that go into one transaction with others. */
const ASSETS_TOGETHER = 1_000;
const CALLS_TOGETHER = 12;

/**
 * The transactions that migrate a contract's collections: small collections together, large ones page by page.
 * @param assets number of assets by collection, that of collection 1 first
 */
export const migrationSteps = (assets: readonly number[]): MigrationStep[] => {
  const steps: MigrationStep[] = [];
  let together: Migration[] = [];
  const close = () => {
    const [first, last] = [together[0], together.at(-1)];
    if (first && last) {
      steps.push({ name: `migrate:${first.collectionId}-${last.collectionId}`, calls: together, leaves: 0 });
    }
    together = [];
  };
  for (const [index, count] of assets.entries()) {
    const collectionId = index + 1;
    if (count > ASSETS_TOGETHER) {
      close();
      for (let page = Math.ceil(count / OLD_PAGE); page > 0; page--) {
        const call = { collectionId, assets: Math.min(OLD_PAGE, count) };
        const leaves = (page - 1) * OLD_PAGE;
        steps.push({ name: `migrate:${collectionId}:${page}`, calls: [call], leaves });
      }
      continue;
    }
    const carried = together.reduce((sum, call) => sum + call.assets, 0);
    if (carried + count > ASSETS_TOGETHER || together.length === CALLS_TOGETHER) close();
    together.push({ collectionId, assets: count });
  }
  close();
  return steps;
};

/**
 * The steps, with further ones for pages that one call could not carry, named by the assets that remained before them.
 * @param left assets that remain after a step, by its name, as the contract reports; absent: the step isn't done
 */
export const withContinuations = (
  steps: readonly MigrationStep[],
  left: ReadonlyMap<string, number>,
): MigrationStep[] =>
  steps.flatMap((step) => {
    const all = [step];
    let before = Number.POSITIVE_INFINITY;
    for (let now = left.get(step.name); now !== undefined && now > step.leaves && now < before; ) {
      const next = { ...step, name: `${step.name}:${now}` };
      all.push(next);
      before = now;
      now = left.get(next.name);
    }
    return all;
  });

/** The most transactions that {@link migrationSteps} can need, for any subtitles. */
export const mostMigrations = (assets: readonly number[]): number =>
  migrationSteps(assets).reduce((sum, { calls }) => {
    const last = calls.at(-1)?.assets ?? 0;
    return sum + Math.max(1, Math.ceil(last / ASSETS_OF_ANY_KIND));
  }, 0);
