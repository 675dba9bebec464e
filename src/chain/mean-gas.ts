/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint or of many updates, account of a list), `receiver` of a mint,
 * token with its `own` metadata, and `own_byte` of that metadata. `ft_transfer`, `shares_withdraw` and
 * `storage_deposit` are those of the standards' token; another token's own may differ.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2083.2208, item: 11.7104 },
  allowlist_clear: { call: 1851.3578 },
  allowlist_remove: { call: 2196.3592, item: 13.422 },
  collection_add_assets: { byte: 0.1021, call: 2395.5943 },
  collection_create: { byte: 0.0974, call: 2178.7217 },
  collection_lock: { byte: 0.777, call: 1998.1374 },
  collection_publish: { call: 2339.54 },
  collection_reveal: { byte: 0.1305, call: 2345.5936 },
  collection_update: { byte: 0.3154, call: 2089.1969 },
  drop_close: { call: 1848.1878 },
  drop_create: { call: 1837.3799 },
  drop_update: { call: 1865.741 },
  ft_transfer: { call: 1966.5604 },
  nft_batch_mint: { call: 1861.7191, item: 13.8493, own: 92.3737, own_byte: 0.0397, receiver: 168.7623 },
  nft_burn: { call: 2040.6865 },
  nft_lock: { call: 2099.7734 },
  nft_transfer: { call: 2317.119 },
  nft_update: { byte: 0.1829, call: 1851.5339 },
  nft_update_batch: { byte: 0.1805, call: 1767.9204, item: 139.6776 },
  shares_withdraw: { call: 5144.8679 },
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
