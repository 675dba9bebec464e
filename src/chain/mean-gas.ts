/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2047.8095, item: 11.5515 },
  allowlist_clear: { call: 1833.0074 },
  allowlist_remove: { call: 2136.169, item: 13.645 },
  collection_add_assets: { byte: 0.1021, call: 2377.903 },
  collection_create: { byte: 0.0974, call: 2160.5823 },
  collection_publish: { call: 2323.2457 },
  collection_update: { byte: 0.3155, call: 2071.6229 },
  drop_close: { call: 1830.6749 },
  drop_create: { call: 1819.802 },
  drop_update: { call: 1848.0315 },
  nft_batch_mint: { call: 1843.8532, item: 14.1831, own: 92.3633, own_byte: 0.0397, receiver: 168.6367 },
  nft_update: { byte: 0.1829, call: 1833.2692 },
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
