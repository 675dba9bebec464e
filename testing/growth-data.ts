/** Rows as a service of some years has them, made by SQL, for `bench:growth` and its test. */

/** How many rows there are. */
export interface Scale {
  readonly integrations: number;
  /** Each with its collection. */
  readonly drafts: number;
  readonly assets: number;
  /** Each with a transaction and an event; half of one integration, a quarter of one collection. */
  readonly operations: number;
  readonly blobs: number;
  readonly keys: number;
}

/** The sizes that the service is meant for; one database has room for about a tenth of the operations. */
const WHOLE: Scale = {
  integrations: 10_000,
  drafts: 200_000,
  assets: 5_000_000,
  operations: 10_000_000,
  blobs: 2_000_000,
  keys: 1_000_000,
};

/** A part of the whole, of everything alike. */
export const scaled = (share: number): Scale => ({
  integrations: Math.ceil(WHOLE.integrations * share),
  drafts: Math.ceil(WHOLE.drafts * share),
  assets: Math.ceil(WHOLE.assets * share),
  operations: Math.ceil(WHOLE.operations * share),
  blobs: Math.ceil(WHOLE.blobs * share),
  keys: Math.ceil(WHOLE.keys * share),
});

/** More than the scheduled job looks at in two runs, of what it looks at by pages. */
const PAGES: Scale = { integrations: 100, drafts: 4_100, assets: 0, operations: 0, blobs: 4_100, keys: 0 };

/** A size that fills the pages of the scheduled job, so that a larger one doesn't have it look at more. */
export const fullPages = (scale: Scale): Scale =>
  Object.fromEntries(
    Object.entries(scale).map(([what, count]) => [what, Math.max(count, PAGES[what as keyof Scale])]),
  ) as unknown as Scale;

/** Nothing yet. */
export const EMPTY: Scale = { integrations: 0, drafts: 0, assets: 0, operations: 0, blobs: 0, keys: 0 };

/** What has the most of everything: UUIDs. */
export interface Hot {
  readonly integration: string;
  readonly contract: string;
  readonly collection: string;
}

/** Rows of one statement. */
const AT_ONCE = 50_000;
const DAY = 24 * 3_600_000;

/** A version 7 UUID of a time and a number. */
const uuid = (time: string, number: string) =>
  `unhex(printf('%012x', ${time}) || '7000' || '8' || printf('%015x', ${number}))`;
const digest = (number: string) =>
  `unhex(printf('%08x', (${number}) * 2654435761 % 4294967296) || printf('%056x', ${number}))`;
const blob = (id: string) => `x'${id.replaceAll("-", "")}'`;

/** Fills a database from one size to a larger one. Operations ended in the last four weeks, the latest an hour ago. */
export const fill = async (db: D1Database, from: Scale, to: Scale, hot: Hot): Promise<void> => {
  const now = Date.now();
  const [start, step] = [now - 28 * DAY, Math.floor((28 * DAY - 3_600_000) / WHOLE.operations)];
  const integration = (number: string) => uuid(`${now - 400 * DAY - (now % DAY)}`, number);
  const draft = (number: string) => uuid(`${now - 300 * DAY - (now % DAY)}`, number);
  const collection = (number: string) => uuid(`${now - 200 * DAY - (now % DAY)}`, number);
  const ended = `(${start} + i * ${Math.max(step, 1)})`;
  const owner = `CASE WHEN i % 2 = 0 THEN ${blob(hot.integration)} ELSE ${integration(`i % ${to.integrations}`)} END`;
  const subject = `CASE WHEN i % 4 = 0 THEN ${blob(hot.collection)} ELSE ${collection(`i % ${to.drafts}`)} END`;
  const request = `'{"receivers":["collector-' || i || '.near"],"quantity":1,"metadata":null}'`;
  const tables: readonly (readonly [keyof Scale, string, string])[] = [
    [
      "integrations",
      "integrations (id, name, wallet_state, created_at, updated_at)",
      `${integration("i")}, 'Shop ' || i, 'new', ${now}, ${now}`,
    ],
    [
      "blobs",
      "blobs (sha256, size, media_type, created_at)",
      `${digest("i")}, 1000, 'image/png', ${now - 100 * DAY}`,
    ],
    [
      "drafts",
      "drafts (id, integration_id, contract_id, settings, state, planned_collection_id, created_at, updated_at)",
      `${draft("i")}, ${owner}, ${blob(hot.contract)}, '{"title":"Herons","public_mint_config":null,"private_mint_config":null}', 'finalized', ${collection("i")}, ${now}, ${now}`,
    ],
    [
      "drafts",
      "collections (id, integration_id, contract_id, draft_id, on_chain_id, settings, total, assets, minted, ipfs_root, pin_state, created_at, updated_at)",
      `${collection("i")}, ${owner}, ${blob(hot.contract)}, ${draft("i")}, 1000000 + i, '{"title":"Herons","public_mint_config":null,"private_mint_config":null}', 100, 25, 50, x'00', 'pinned', ${now}, ${now}`,
    ],
    [
      "assets",
      "draft_assets (id, draft_id, position, filename, sha256, copies, created_at)",
      `${uuid(`${now - 250 * DAY}`, "i")}, ${draft(`i % ${to.drafts}`)}, i, i || '.png', ${digest(`i % ${to.blobs}`)}, 4, ${now}`,
    ],
    [
      "operations",
      "operations (id, integration_id, kind, state, subject_id, request, answer_status, answer_body, finished_at, created_at, updated_at)",
      `${uuid(ended, "i")}, ${owner}, 'mint', CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END, ${subject}, ${request}, 201, '{"message":"success","tokens":[],"tx_results":[]}', ${ended} + 2000, ${ended}, ${ended} + 2000`,
    ],
    [
      "operations",
      "transactions (hash, operation_id, integration_id, step, result, created_at)",
      `${digest("i")}, ${uuid(ended, "i")}, ${owner}, 'mint', '{"transaction_hash":"' || i || '","status":"success"}', ${ended} + 2000`,
    ],
    [
      "operations",
      "events (integration_id, seq, count, id, runs, sold_out, operation_id, created_at)",
      // What happens meanwhile has numbers in between.
      `${owner}, 1000000 + 1000 * i, 1, ${uuid(ended, "i")}, '[["operation.succeeded",1]]', 0, ${uuid(ended, "i")}, ${ended} + 2000`,
    ],
    [
      "keys",
      "idempotency_keys (integration_id, key, fingerprint, operation_id, created_at, expires_at)",
      `${owner}, 'order ' || i, x'00', ${uuid(ended, "i")}, ${now}, ${now + DAY} + i`,
    ],
  ];
  for (const [count, table, values] of tables) {
    for (let first = from[count]; first < to[count]; first += AT_ONCE) {
      const end = Math.min(first + AT_ONCE, to[count]);
      await db
        .prepare(
          `INSERT INTO ${table} WITH RECURSIVE numbers (i) AS (
             SELECT ${first} UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${end})
           SELECT ${values} FROM numbers`,
        )
        .run();
    }
  }
};
