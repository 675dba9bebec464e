import type { BatchSize } from "../../domain/batch-limits.ts";
import type { BorshWriter } from "./borsh-writer.ts";

/** An asset as the contract stores it. */
export interface ContractAsset {
  /** 32 bytes. */
  readonly sha256: Uint8Array;
  /** 32 bytes; null without a reference file. */
  readonly referenceSha256: Uint8Array | null;
  readonly subtitle: string | null;
  readonly copies: number;
}

const HASH = 32;
const RUN = 8;
/** Length prefixes of the five lists. */
const LISTS = 5 * 4;

/** Consecutive assets with the same value. */
interface Run {
  length: number;
  readonly value: number;
}

/**
 * Builds the contract's borsh `AssetBatch` (docs/contract.md, "Types"). Repeated values are run-length encoded, so that
 * a batch is hardly larger than its hashes.
 */
export class AssetBatch {
  readonly #hashes: Uint8Array[] = [];
  readonly #references: (Uint8Array | null)[] = [];
  readonly #copies: Run[] = [];
  readonly #subtitles = new Map<string, number>();
  readonly #subtitleRuns: Run[] = [];
  #subtitleBytes = 0;
  #referenced = 0;

  get size(): BatchSize {
    const subtitles = this.#subtitles.size;
    return sizeOf({
      assets: this.#hashes.length,
      referenced: this.#referenced > 0,
      copyRuns: this.#copies.length,
      subtitles: subtitles,
      subtitleRuns: this.#subtitleRuns.length,
      subtitleBytes: this.#subtitleBytes,
    });
  }

  /** The batch's size with one more asset. */
  sizeWith({ copies, referenceSha256, subtitle }: ContractAsset): BatchSize {
    const isNew = subtitle !== null && !this.#subtitles.has(subtitle);
    const index = subtitle === null ? 0 : (this.#subtitles.get(subtitle) ?? -1);
    return sizeOf({
      assets: this.#hashes.length + 1,
      referenced: this.#referenced > 0 || referenceSha256 !== null,
      copyRuns: this.#copies.length + (this.#copies.at(-1)?.value === copies ? 0 : 1),
      subtitles: this.#subtitles.size + (isNew ? 1 : 0),
      subtitleRuns: this.#subtitleRuns.length + (this.#subtitleRuns.at(-1)?.value === index ? 0 : 1),
      subtitleBytes: this.#subtitleBytes + (isNew ? Buffer.byteLength(subtitle) : 0),
    });
  }

  /** Appends an asset. */
  add(asset: ContractAsset): void {
    this.#hashes.push(asset.sha256);
    this.#references.push(asset.referenceSha256);
    if (asset.referenceSha256 !== null) this.#referenced++;
    extend(this.#copies, asset.copies);
    extend(this.#subtitleRuns, asset.subtitle === null ? 0 : this.#subtitleIndex(asset.subtitle));
  }

  /** Writes the batch as borsh. */
  write(writer: BorshWriter): void {
    writer.u32(this.#hashes.length * HASH);
    for (const hash of this.#hashes) writer.raw(hash);
    writeRuns(writer, this.#copies);
    writer.u32(this.#subtitles.size);
    for (const subtitle of this.#subtitles.keys()) writer.text(subtitle);
    writeRuns(writer, this.#subtitles.size > 0 ? this.#subtitleRuns : []);
    if (this.#referenced === 0) {
      writer.u32(0);
      return;
    }
    writer.u32(this.#references.length * HASH);
    const none = new Uint8Array(HASH);
    for (const reference of this.#references) writer.raw(reference ?? none);
  }

  #subtitleIndex(subtitle: string): number {
    const known = this.#subtitles.get(subtitle);
    if (known !== undefined) return known;
    const index = this.#subtitles.size + 1;
    this.#subtitles.set(subtitle, index);
    this.#subtitleBytes += Buffer.byteLength(subtitle);
    return index;
  }
}

const extend = (runs: Run[], value: number): void => {
  const last = runs.at(-1);
  if (last?.value === value) last.length++;
  else runs.push({ length: 1, value });
};

const writeRuns = (writer: BorshWriter, runs: readonly Run[]): void => {
  writer.u32(runs.length);
  for (const { length, value } of runs) {
    writer.u32(length);
    writer.u32(value);
  }
};

/** What a batch's size depends on. */
interface BatchParts {
  readonly assets: number;
  readonly referenced: boolean;
  readonly copyRuns: number;
  readonly subtitles: number;
  readonly subtitleRuns: number;
  readonly subtitleBytes: number;
}

const sizeOf = ({
  assets,
  referenced,
  copyRuns,
  subtitles,
  subtitleRuns,
  subtitleBytes,
}: BatchParts): BatchSize => {
  const hashes = assets * HASH * (referenced ? 2 : 1);
  const runs = copyRuns + (subtitles > 0 ? subtitleRuns : 0);
  return {
    bytes: LISTS + hashes + runs * RUN + subtitles * 4 + subtitleBytes,
    assets,
    distinctSubtitles: subtitles,
  };
};
