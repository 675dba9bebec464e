/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2053.7663, item: 12.2278 },
  allowlist_clear: { call: 1839.2463 },
  allowlist_remove: { call: 2152.2929, item: 16.5157 },
  collection_add_assets: { byte: 0.1021, call: 2382.5819 },
  collection_create: { byte: 0.0974, call: 2283.3572 },
  collection_publish: { call: 2329.8297 },
  collection_update: { byte: 0.3154, call: 2078.421 },
  drop_close: { call: 1836.4135 },
  drop_create: { call: 1825.3026 },
  drop_update: { call: 1853.4473 },
  nft_batch_mint: { call: 1846.8385, item: 14.2338, own: 92.3637, own_byte: 0.0397, receiver: 167.4338 },
  nft_update: { byte: 0.1833, call: 1839.1353 },
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
