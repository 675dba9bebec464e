import type { BatchSize } from "../../domain/batch-limits.ts";
import type { BorshWriter } from "./borsh-writer.ts";

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

/** What a batch brings: all of its assets, hidden ones' copies alone, or what was hidden, without copies. */
type Form = "whole" | "hidden" | "revealed";

/** Builds the contract's borsh `AssetBatch` (docs/contract.md): repeated values are run-length encoded. */
export class AssetBatch {
  readonly #form: Form;
  #count = 0;
  readonly #hashes: Uint8Array[] = [];
  readonly #references: (Uint8Array | null)[] = [];
  readonly #copies: Run[] = [];
  readonly #subtitles = new Map<string, number>();
  readonly #subtitleRuns: Run[] = [];
  #subtitleBytes = 0;
  #referenced = 0;

  constructor(form: Form = "whole") {
    this.#form = form;
  }

  get size(): BatchSize {
    return this.sizeWith(null);
  }

  /** The batch's size with one more asset; null: as it is. */
  sizeWith(asset: ContractAsset | null): BatchSize {
    const grows = (runs: readonly Run[], value: number) => asset !== null && runs.at(-1)?.value !== value;
    const assets = this.#count + (asset === null ? 0 : 1);
    const counted = this.#copies.length + (asset && grows(this.#copies, asset.copies) ? 1 : 0);
    const copyRuns = this.#form === "revealed" ? 0 : counted;
    if (this.#form === "hidden") return { bytes: LISTS + copyRuns * RUN, assets, distinctSubtitles: 0 };
    const subtitle = asset?.subtitle ?? null;
    const isNew = subtitle !== null && !this.#subtitles.has(subtitle);
    const index = subtitle === null ? 0 : (this.#subtitles.get(subtitle) ?? -1);
    const isReferenced = this.#referenced > 0 || (asset !== null && asset.referenceSha256 !== null);
    const distinctSubtitles = this.#subtitles.size + (isNew ? 1 : 0);
    const subtitleRuns = this.#subtitleRuns.length + (grows(this.#subtitleRuns, index) ? 1 : 0);
    const runs = copyRuns + (distinctSubtitles > 0 ? subtitleRuns : 0);
    const subtitleBytes = this.#subtitleBytes + (isNew ? Buffer.byteLength(subtitle) : 0);
    const hashes = assets * HASH * (isReferenced ? 2 : 1);
    const bytes = LISTS + hashes + runs * RUN + distinctSubtitles * 4 + subtitleBytes;
    return { bytes, assets, distinctSubtitles };
  }

  add(asset: ContractAsset): void {
    this.#count++;
    if (this.#form !== "revealed") extend(this.#copies, asset.copies);
    if (this.#form === "hidden") return;
    this.#hashes.push(asset.sha256);
    this.#references.push(asset.referenceSha256);
    if (asset.referenceSha256 !== null) this.#referenced++;
    extend(this.#subtitleRuns, asset.subtitle === null ? 0 : this.#subtitleIndex(asset.subtitle));
  }

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
