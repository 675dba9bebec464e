/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2045.4101, item: 11.5169 },
  allowlist_clear: { call: 1830.608 },
  allowlist_remove: { call: 2133.7696, item: 13.6105 },
  collection_add_assets: { byte: 0.1021, call: 2375.5036 },
  collection_create: { byte: 0.0974, call: 2158.1829 },
  collection_publish: { call: 2320.8463 },
  collection_update: { byte: 0.3139, call: 2069.7138 },
  drop_close: { call: 1828.2755 },
  drop_create: { call: 1817.401 },
  drop_update: { call: 1845.6321 },
  nft_batch_mint: { call: 1841.8785, item: 14.1798, own: 92.3496, own_byte: 0.0397, receiver: 168.6018 },
  nft_update: { byte: 0.1829, call: 1831.1857 },
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
