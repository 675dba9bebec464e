import { sha256 } from "@noble/hashes/sha2.js";
import type { Action } from "../src/chain/actions.ts";
import { BorshWriter } from "../src/chain/contract/borsh-writer.ts";
import { MAX_GAS } from "../src/chain/contract/calls.ts";

/**
 * A collection that hides its assets until they are revealed. The contract has it (docs/contract.md, "Reveal"), and the
 * API has no call that makes one: here a wallet is handed the contract's own calls.
 */

/** What is committed to, and shown by the reveal. 32 bytes each. */
interface HiddenAsset {
  readonly sha256: Uint8Array;
  readonly reference: Uint8Array;
}

const salt = new Uint8Array(32).fill(77);
/** yoctoNEAR; pays for the storage of a few assets and tokens. */
const DEPOSIT = 10n ** 24n;
const EMPTY = 0;

const join = (parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

const list = (writer: BorshWriter, parts: readonly Uint8Array[]): void => {
  writer.u32(parts.length * 32);
  for (const part of parts) writer.raw(part);
};

/** The assets as a reveal brings them: an `AssetBatch` without copies and subtitles. */
const batchOf = (assets: readonly HiddenAsset[]): Uint8Array => {
  const writer = new BorshWriter();
  list(
    writer,
    assets.map(({ sha256: digest }) => digest),
  );
  for (const _ of ["copies", "subtitles", "subtitle_runs"]) writer.u32(EMPTY);
  list(
    writer,
    assets.map(({ reference }) => reference),
  );
  return writer.finish();
};

const action = (method: string, args: Uint8Array, deposit: bigint): Action => ({
  kind: "function_call",
  method,
  args,
  gas: MAX_GAS.toString(),
  deposit: deposit.toString(),
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/**
 * Makes a collection of hidden assets, published at once. Its result is its number on the contract.
 * @param settings in the contract's own form
 * @param placeholder SHA-256 of the file that all tokens show before the reveal
 */
export const createHidden = (
  settings: object,
  assets: readonly HiddenAsset[],
  { copies, placeholder }: { readonly copies: number; readonly placeholder: Uint8Array },
): Action => {
  const commitment = sha256(join([sha256(batchOf(assets)), salt]));
  const reveal = { commitment: base64(commitment), media: base64(placeholder), reference: null };
  const writer = new BorshWriter(4096);
  writer.text(JSON.stringify({ ...settings, reveal }));
  writer.raw(crypto.getRandomValues(new Uint8Array(16)));
  writer.bool(true);
  writer.u32(EMPTY);
  writer.u32(1);
  writer.u32(assets.length);
  writer.u32(copies);
  for (const _ of ["subtitles", "subtitle_runs", "references"]) writer.u32(EMPTY);
  return action("collection_create", writer.finish(), DEPOSIT);
};

/** Reveals all assets of such a collection. */
export const revealAll = (collectionId: number, assets: readonly HiddenAsset[]): Action => {
  const writer = new BorshWriter(4096);
  writer.u32(collectionId);
  writer.raw(salt);
  writer.raw(batchOf(assets));
  return action("collection_reveal", writer.finish(), 1n);
};
