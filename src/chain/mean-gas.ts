/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata. The bench has no scenes yet for `collection_lock`, `collection_reveal`,
 * `nft_burn`, `nft_lock` and `nft_transfer`: theirs are from docs/measurements.md, and estimates for the locks.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2051.5349, item: 11.5515 },
  allowlist_clear: { call: 1836.7328 },
  allowlist_remove: { call: 2139.8944, item: 13.645 },
  collection_add_assets: { byte: 0.1021, call: 2381.6284 },
  collection_create: { byte: 0.0974, call: 2164.3076 },
  collection_lock: { byte: 0.1, call: 1900 },
  collection_publish: { call: 2326.9711 },
  collection_reveal: { byte: 0.13, call: 2500 },
  collection_update: { byte: 0.3155, call: 2075.3483 },
  drop_close: { call: 1834.4003 },
  drop_create: { call: 1823.5381 },
  drop_update: { call: 1851.7569 },
  nft_batch_mint: { call: 1847.5786, item: 14.1831, own: 92.3633, own_byte: 0.0397, receiver: 168.6367 },
  nft_burn: { call: 2130 },
  nft_lock: { call: 1850 },
  nft_transfer: { call: 2180 },
  nft_update: { byte: 0.1829, call: 1836.9946 },
} as const satisfies Readonly<Record<string, MeanGas>>;

/** Mean gas of a method, Ggas. */
export interface MeanGas {
  readonly call: number;
  readonly byte?: number;
  readonly item?: number;
  readonly receiver?: number;
  readonly own?: number;
  readonly own_byte?: number;
}
