/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint or of many updates, account of a list), `receiver` of a mint,
 * token with its `own` metadata, and `own_byte` of that metadata. `ft_transfer`, `shares_withdraw` and
 * `storage_deposit` are those of the standards' token; another token's own may differ.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2066.7114, item: 11.6049 },
  allowlist_clear: { call: 1851.3226 },
  allowlist_remove: { call: 2160.862, item: 14.8557 },
  collection_add_assets: { byte: 0.1021, call: 2395.5632 },
  collection_create: { byte: 0.0974, call: 2178.1212 },
  collection_lock: { byte: 0.7757, call: 1998.1606 },
  collection_publish: { call: 2339.5344 },
  collection_reveal: { byte: 0.1305, call: 2345.6472 },
  collection_update: { byte: 0.3151, call: 2088.6798 },
  drop_close: { call: 1848.1929 },
  drop_create: { call: 1837.3315 },
  drop_update: { call: 1865.5503 },
  ft_transfer: { call: 1966.5604 },
  nft_batch_mint: { call: 1861.5365, item: 13.8498, own: 92.3634, own_byte: 0.0397, receiver: 168.7487 },
  nft_burn: { call: 2040.6439 },
  nft_lock: { call: 2099.7785 },
  nft_transfer: { call: 2317.004 },
  nft_update: { byte: 0.1829, call: 1851.3012 },
  nft_update_batch: { byte: 0.1805, call: 1767.8928, item: 139.36 },
  shares_withdraw: { call: 5144.8501 },
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
