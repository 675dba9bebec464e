import type { Uuid } from "../domain/ids.ts";
import type { Database } from "./client.ts";
import { type AssetRow, pageOfAssets } from "./queries/assets.ts";

/** Assets that one query reads. A draft of fewer is read once, however often its assets are gone through. */
export const ASSETS_A_PAGE = 1_000;

/** All assets of a draft, of which the first page was read; null: there may be more behind it. */
export const wholeOf = (first: readonly AssetRow[]): readonly AssetRow[] | null =>
  first.length < ASSETS_A_PAGE ? first : null;

/**
 * The assets of a draft that is locked, in their order. The first page stays in memory; those behind it are read again
 * each time.
 */
export class DraftAssets {
  readonly #db: Database;
  readonly #draftId: Uuid;
  #first: readonly AssetRow[] | null;

  /** @param whole all of them, where they are known; they are accepted only as they were read (`isFinalizable`) */
  constructor(db: Database, draftId: Uuid, whole: readonly AssetRow[] | null = null) {
    this.#db = db;
    this.#draftId = draftId;
    this.#first = whole;
  }

  /** Those behind a position; absent: all of them. */
  async *behind(position = -1): AsyncGenerator<AssetRow> {
    let after = position;
    if (after < 0) this.#first ??= await this.#read(after);
    if (this.#first !== null) {
      for (const asset of this.#first) if (asset.position > after) yield asset;
      if (wholeOf(this.#first)) return;
      after = Math.max(after, this.#first.at(-1)!.position);
    }
    for (;;) {
      const page = await this.#read(after);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < ASSETS_A_PAGE) return;
      after = last.position;
    }
  }

  #read(after: number): Promise<AssetRow[]> {
    return pageOfAssets(this.#db, this.#draftId, after, ASSETS_A_PAGE).all();
  }
}
