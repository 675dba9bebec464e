/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint or of many updates, account of a list), `receiver` of a mint,
 * token with its `own` metadata, and `own_byte` of that metadata. `ft_transfer`, `shares_withdraw`
 * and `storage_deposit` are estimates, for the test token.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2063.4633, item: 11.6049 },
  allowlist_clear: { call: 1848.0745 },
  allowlist_remove: { call: 2157.6139, item: 14.8557 },
  collection_add_assets: { byte: 0.1021, call: 2392.3193 },
  collection_create: { byte: 0.0974, call: 2174.8361 },
  collection_lock: { byte: 0.7757, call: 1994.8954 },
  collection_publish: { call: 2336.9873 },
  collection_reveal: { byte: 0.1305, call: 2342.3808 },
  collection_update: { byte: 0.3151, call: 2085.3855 },
  drop_close: { call: 1844.9563 },
  drop_create: { call: 1834.0941 },
  drop_update: { call: 1862.3129 },
  nft_batch_mint: { call: 1858.1952, item: 13.9706, own: 92.3634, own_byte: 0.0397, receiver: 168.6759 },
  nft_burn: { call: 2037.3341 },
  nft_lock: { call: 2096.5082 },
  nft_transfer: { call: 2313.4795 },
  nft_update: { byte: 0.1829, call: 1848.0561 },
  nft_update_batch: { byte: 0.1808, call: 1764.6472, item: 139.3453 },
  ft_transfer: { call: 2300 },
  shares_withdraw: { call: 5500 },
  storage_deposit: { call: 2500 },
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
