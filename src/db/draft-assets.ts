import type { Uuid } from "../domain/ids.ts";
import type { Database } from "./client.ts";
import { type AssetRow, pageOfAssets } from "./queries/assets.ts";

/** Assets that one query reads. A draft with fewer assets is read once. */
export const ASSETS_A_PAGE = 1_000;

/** All assets of a draft, given its first page; null: there may be further pages. */
export const wholeOf = (first: readonly AssetRow[]): readonly AssetRow[] | null =>
  first.length < ASSETS_A_PAGE ? first : null;

/** The assets of a locked draft, in order. The first page stays in memory; later pages are read again each time. */
export class DraftAssets {
  readonly #db: Database;
  readonly #draftId: Uuid;
  #first: readonly AssetRow[] | null;

  /** @param whole all assets, if known. A finalization is accepted only if they are unchanged (`isFinalizable`) */
  constructor(db: Database, draftId: Uuid, whole: readonly AssetRow[] | null = null) {
    this.#db = db;
    this.#draftId = draftId;
    this.#first = whole;
  }

  /** Assets after a position; absent: all. */
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
