/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint or of many updates, account of a list), `receiver` of a mint,
 * token with its `own` metadata, and `own_byte` of that metadata. `ft_transfer`, `shares_withdraw` and
 * `storage_deposit` are those of the standards' token; another token's own may differ.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2063.5319, item: 11.6049 },
  allowlist_clear: { call: 1848.1431 },
  allowlist_remove: { call: 2157.6825, item: 14.8557 },
  collection_add_assets: { byte: 0.1021, call: 2392.3944 },
  collection_create: { byte: 0.0974, call: 2174.9047 },
  collection_lock: { byte: 0.7757, call: 1994.9639 },
  collection_publish: { call: 2336.3657 },
  collection_reveal: { byte: 0.1305, call: 2342.4785 },
  collection_update: { byte: 0.3151, call: 2085.4633 },
  drop_close: { call: 1845.0249 },
  drop_create: { call: 1834.1627 },
  drop_update: { call: 1862.3815 },
  ft_transfer: { call: 1966.5604 },
  nft_batch_mint: { call: 1858.3414, item: 13.8498, own: 92.3634, own_byte: 0.0397, receiver: 168.7487 },
  nft_burn: { call: 2037.4751 },
  nft_lock: { call: 2096.5785 },
  nft_transfer: { call: 2313.8352 },
  nft_update: { byte: 0.1829, call: 1848.1325 },
  nft_update_batch: { byte: 0.1805, call: 1764.7241, item: 139.36 },
  shares_withdraw: { call: 5138.5126 },
  storage_deposit: { call: 1735.7886 },
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
