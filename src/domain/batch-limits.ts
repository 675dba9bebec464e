import { TOKEN_BYTES } from "./promised-bytes.ts";

/** How much of a finalization one transaction carries: 1,572,864 bytes, and 300 Tgas for its call (near.org, "Limits"). */
export interface BatchSize {
  /** Bytes of the batch in borsh, and of what goes with it. */
  readonly bytes: number;
  readonly assets: number;
  readonly distinctSubtitles: number;
}

/** Bytes of arguments: the transaction's limit without its envelope, and some room. */
const MAX_BATCH_BYTES = 1_400_000;

/** Gas of a call that is planned with, of the 300 Tgas that it is given. */
const GAS_BUDGET = 240e12;

/** Bytes read and written, bookkeeping of an asset, and of a subtitle, each with room above what was measured. */
const GAS_A_BYTE = 60e6;
const GAS_AN_ASSET = 4e9;
const GAS_A_SUBTITLE = 4e9;

/** Whether a batch of this size fits one transaction. */
export const fitsTransaction = ({ bytes, assets, distinctSubtitles }: BatchSize): boolean =>
  bytes <= MAX_BATCH_BYTES && batchGas(bytes, assets, distinctSubtitles) <= GAS_BUDGET;

const batchGas = (bytes: number, assets: number, subtitles: number): number =>
  bytes * GAS_A_BYTE + assets * GAS_AN_ASSET + subtitles * GAS_A_SUBTITLE;

/** Bytes of all remaining copies of a collection at most, because each mint reads them (docs/contract.md, "Failure codes"). */
const MAX_COPIES_BYTES = 65_536;

/** Bits that the contract has for an asset's remaining copies. */
const COPIES_WIDTHS = [1, 2, 4, 8, 16, 32];

/** How many assets a collection can have at most, by the most copies of one of them: it sets the width for all. */
export const mostAssets = (copies: number): number => {
  const width = COPIES_WIDTHS.find((bits) => copies < 2 ** bits) ?? 32;
  return (MAX_COPIES_BYTES * 8) / width;
};

/** Bytes of storage that a batch takes at most: what it brings, each asset's remaining copies and share of records. */
export const batchStorage = ({ bytes, assets }: BatchSize): number => bytes + assets * 5 + 600;

/**
 * Bytes of storage that a collection takes at most in addition to its assets: its settings with the records of shares that may
 * wait, twice their JSON, and other records.
 */
export const collectionStorage = (settingsJson: number): number => settingsJson * 2 + 1_500;

/** How many tokens a finalization pays for ahead. */
const TOKENS_AHEAD = 200;

/** Bytes of storage that finalization pays for mints ahead. */
export const firstMintsStorage = (total: number): number => Math.min(total, TOKENS_AHEAD) * TOKEN_BYTES;
