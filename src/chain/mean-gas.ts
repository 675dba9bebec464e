/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2051.4521, item: 11.5515 },
  allowlist_clear: { call: 1836.65 },
  allowlist_remove: { call: 2139.8116, item: 13.645 },
  collection_add_assets: { byte: 0.1021, call: 2381.5456 },
  collection_create: { byte: 0.0974, call: 2164.2249 },
  collection_publish: { call: 2326.8883 },
  collection_update: { byte: 0.3155, call: 2075.2655 },
  drop_close: { call: 1834.3175 },
  drop_create: { call: 1823.4553 },
  drop_update: { call: 1851.6741 },
  nft_batch_mint: { call: 1847.4958, item: 14.1831, own: 92.3633, own_byte: 0.0397, receiver: 168.6367 },
  nft_update: { byte: 0.1829, call: 1836.9118 },
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
