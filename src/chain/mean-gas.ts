/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2059.5087, item: 11.5515 },
  allowlist_clear: { call: 1844.1249 },
  allowlist_remove: { call: 2147.8657, item: 13.645 },
  collection_add_assets: { byte: 0.1021, call: 2388.3697 },
  collection_create: { byte: 0.0974, call: 2170.8865 },
  collection_publish: { call: 2333.0377 },
  collection_update: { byte: 0.3155, call: 2081.4191 },
  drop_close: { call: 1841.0067 },
  drop_create: { call: 1830.1444 },
  drop_update: { call: 1858.3633 },
  nft_batch_mint: { call: 1854.1907, item: 14.1831, own: 92.3633, own_byte: 0.0397, receiver: 168.6367 },
  nft_update: { byte: 0.1829, call: 1843.6885 },
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
