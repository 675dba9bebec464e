/**
 * Mean gas of the service's calls in Ggas, written by `npm run bench:gas -- --write`: a constant (`call`), plus an
 * amount per `byte` of arguments, `item` (token of a mint, account of a list), `receiver` of a mint, token with its
 * `own` metadata, and `own_byte` of that metadata. The bench has no scenes yet for `collection_lock`, `collection_reveal`,
 * `nft_burn`, `nft_lock` and `nft_transfer`: theirs are from docs/measurements.md, and estimates for the locks. Those of
 * `ft_transfer`, `shares_withdraw` and `storage_deposit` are with the test token.
 */
export const MEAN_GAS = {
  allowlist_add: { call: 2059.3425, item: 11.6049 },
  allowlist_clear: { call: 1843.9537 },
  allowlist_remove: { call: 2153.4931, item: 14.8557 },
  collection_add_assets: { byte: 0.1021, call: 2388.1985 },
  collection_create: { byte: 0.0974, call: 2170.7153 },
  collection_lock: { byte: 0.1, call: 1900 },
  collection_publish: { call: 2332.8665 },
  collection_reveal: { byte: 0.13, call: 2500 },
  collection_update: { byte: 0.3151, call: 2081.2663 },
  drop_close: { call: 1840.8355 },
  drop_create: { call: 1829.9733 },
  drop_update: { call: 1858.1921 },
  ft_transfer: { call: 2300 },
  nft_batch_mint: { call: 1854.0196, item: 14.1831, own: 92.3633, own_byte: 0.0397, receiver: 168.6638 },
  nft_burn: { call: 2130 },
  nft_lock: { call: 1850 },
  nft_transfer: { call: 2180 },
  nft_update: { byte: 0.1829, call: 1843.5174 },
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
