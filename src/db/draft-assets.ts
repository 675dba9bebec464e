import type { Uuid } from "../domain/ids.ts";
import type { Database } from "./client.ts";
import { type AssetRow, pageOfAssets } from "./queries/assets.ts";

/** Assets that one query reads. A draft of fewer is read once, however often its assets are gone through. */
const PAGE = 1_000;

/**
 * The assets of a draft that is locked, in their order. The first page stays in memory; those behind it are read again
 * each time.
 */
export class DraftAssets {
  readonly #db: Database;
  readonly #draftId: Uuid;
  #first: readonly AssetRow[] | null = null;

  constructor(db: Database, draftId: Uuid) {
    this.#db = db;
    this.#draftId = draftId;
  }

  /** Those behind a position; absent: all of them. */
  async *behind(position = -1): AsyncGenerator<AssetRow> {
    let after = position;
    if (after < 0) this.#first ??= await this.#read(after);
    if (this.#first !== null) {
      for (const asset of this.#first) if (asset.position > after) yield asset;
      if (this.#first.length < PAGE) return;
      after = Math.max(after, this.#first.at(-1)!.position);
    }
    for (;;) {
      const page = await this.#read(after);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.position;
    }
  }

  #read(after: number): Promise<AssetRow[]> {
    return pageOfAssets(this.#db, this.#draftId, after, PAGE).all();
  }
}
