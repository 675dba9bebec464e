/** Prices of storage, and the storage that a contract reserves for tokens (docs/contract.md, "Balance"). */

/** yoctoNEAR a byte of storage (https://docs.near.org/protocol/storage/storage-staking: 1 NEAR for 100 kB). */
export const BYTE_PRICE = 10n ** 19n;

/** Bytes that a record takes in addition to its key and value (near.org, "Storage staking"). */
export const RECORD_BYTES = 40;

/** Bytes of storage that a token of any collection can ever take, at most. */
export const TOKEN_BYTES = 270;

/** Tokens for which a collection takes promised bytes at once. */
export const TOKENS_AT_ONCE = 128;

/** Bytes of a number as LEB128. By hand, since the mint page's script has this file too, and multiformats would come along. */
export const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
};

/** Bytes of an asset's index on a page of tokens. */
const indexBytes = (assets: number): number =>
  assets <= 1 ? 0 : assets <= 0x100 ? 1 : assets <= 0x1_0000 ? 2 : 4;

/** Bytes that a contract promises a token which the service mints or a claim brings. */
export const promisedBytes = ({
  collection_id: id,
  assets,
  total,
}: {
  readonly collection_id: number;
  readonly assets: number;
  readonly total: number;
}): number => 188 + indexBytes(assets) + varintBytes(id) + varintBytes(total);
