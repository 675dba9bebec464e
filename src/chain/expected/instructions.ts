import type { Instructions } from "./work.ts";

/**
 * What the instructions of this release's contract burn, measured on the embedded chain: Ggas always, and for each of what
 * a method's work counts. docs/operations.md says how near the sums come.
 */
export const INSTRUCTIONS: Readonly<Record<string, Instructions>> = {
  nft_batch_mint: {
    always: 71,
    receivers: 23.77,
    fresh: -13.5,
    tokens: 0.452,
    pairs: 7.15,
    slots: 0.29,
    written: 0.745,
    copies: 0.0288,
    located: 0.158,
    own: 5.5,
    argument: 0.1265,
    logged: 0.371,
    chosen: -15,
  },
  nft_update: { always: 103.6, argument: 0.0484, slots: 0.44, open: 0.44, override: 0.0332, marked: 17.1 },
  collection_update: {
    always: 71,
    argument: 0.09,
    records: 0.011,
    accounts: 0.616,
    logged: 0.345,
    flagged: 12,
    rooted: 2,
  },
  allowlist_add: {
    always: 85.8,
    accounts: 8.44,
    hashed: 11.36,
    sorted: 0.006,
    compared: 0.0285,
    entries: 0.072,
  },
  allowlist_remove: {
    always: 54.4,
    argument: 0.144,
    accounts: 6.22,
    hashed: 2.08,
    compared: 0.0902,
    entries: 0.2116,
    listed: 2.6,
  },
  allowlist_clear: { always: 39.5, cleared: 25.8 },
  collection_create: { always: 772, argument: 0.046 },
  collection_add_assets: { always: 572, argument: 0.046 },
  collection_publish: { always: 222 },
  drop_create: { always: 542, links: 0.02 },
  drop_extend: { always: 542, links: 0.02 },
  drop_close: { always: 422 },
};
