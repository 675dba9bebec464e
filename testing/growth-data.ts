/** Rows as a service of some years has them, made by SQL, for `bench:growth` and its test. */

import type { Uuid } from "../src/domain/ids.ts";
import type { WalletObject } from "../src/wallet/object.ts";

/** How many rows there are. */
interface Scale {
  readonly integrations: number;
  /** Each with its collection. */
  readonly drafts: number;
  readonly assets: number;
  /** In one ledger, each with a transaction and an event; half of one collection. */
  readonly operations: number;
  readonly blobs: number;
  readonly keys: number;
}

/** The sizes that the service is meant for; one ledger has room for about a tenth of the operations. */
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

/** Where rows go: D1, and the ledger of the integration that has the most. */
export interface Stores {
  readonly db: D1Database;
  readonly ledger: Pick<WalletObject, "run">;
}

/** Fills both from one size to a larger one. Operations ended in the last four weeks, the latest an hour ago. */
export const fill = async ({ db, ledger }: Stores, from: Scale, to: Scale, hot: Hot): Promise<void> => {
  const now = Date.now();
  const [start, step] = [now - 28 * DAY, Math.floor((28 * DAY - 3_600_000) / WHOLE.operations)];
  const integration = (number: string) => uuid(`${now - 400 * DAY - (now % DAY)}`, number);
  const draft = (number: string) => uuid(`${now - 300 * DAY - (now % DAY)}`, number);
  const collection = (number: string) => uuid(`${now - 200 * DAY - (now % DAY)}`, number);
  const ended = `(${start} + i * ${Math.max(step, 1)})`;
  const owner = `CASE WHEN i % 2 = 0 THEN ${blob(hot.integration)} ELSE ${integration(`i % ${to.integrations}`)} END`;
  const subject = `CASE WHEN i % 2 = 0 THEN ${blob(hot.collection)} ELSE ${collection(`i % ${to.drafts}`)} END`;
  const request = `'{"receivers":["collector-' || i || '.near"],"quantity":1,"metadata":null}'`;
  const ofContract = (column: string) => `(SELECT ${column} FROM contracts WHERE id = ${blob(hot.contract)})`;
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
      "collections (id, integration_id, contract_id, contract_account_id, code_state, draft_id, on_chain_id, settings, total, assets, minted, ipfs_root, pin_state, created_at, updated_at)",
      `${collection("i")}, ${owner}, ${blob(hot.contract)}, ${ofContract("account_id")}, ${ofContract("code_state")}, ${draft("i")}, 1000000 + i, '{"title":"Herons","public_mint_config":null,"private_mint_config":null}', 100, 25, 50, x'00', 'pinned', ${now}, ${now}`,
    ],
    [
      "assets",
      "draft_assets (id, draft_id, position, filename, sha256, copies, created_at)",
      `${uuid(`${now - 250 * DAY}`, "i")}, ${draft(`i % ${to.drafts}`)}, i, i || '.png', ${digest(`i % ${to.blobs}`)}, 4, ${now}`,
    ],
    [
      "keys",
      "idempotency_keys (integration_id, key, fingerprint, created_at, expires_at)",
      `${owner}, 'made ' || i, x'00', ${now}, ${now + DAY} + i`,
    ],
  ];
  const own = blob(hot.integration);
  const ledgerTables: readonly (readonly [keyof Scale, string, string])[] = [
    [
      "operations",
      "operations (id, integration_id, kind, state, subject_id, request, answer_status, answer_body, finished_at, created_at, updated_at)",
      `${uuid(ended, "i")}, ${own}, 'mint', CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END, ${subject}, ${request}, 201, '{"message":"success","tokens":[],"tx_results":[]}', ${ended} + 2000, ${ended}, ${ended} + 2000`,
    ],
    [
      "operations",
      "transactions (hash, operation_id, integration_id, step, result, created_at)",
      `${digest("i")}, ${uuid(ended, "i")}, ${own}, 'mint', '{"transaction_hash":"' || i || '","status":"success"}', ${ended} + 2000`,
    ],
    [
      "operations",
      "events (integration_id, seq, count, id, runs, sold_out, operation_id, created_at)",
      // What happens meanwhile has numbers in between.
      `${own}, 1000000 + 1000 * i, 1, ${uuid(ended, "i")}, '[["operation.succeeded",1]]', 0, ${uuid(ended, "i")}, ${ended} + 2000`,
    ],
    [
      "keys",
      "idempotency_keys (integration_id, key, fingerprint, operation_id, created_at, expires_at)",
      `${own}, 'order ' || i, x'00', ${uuid(ended, "i")}, ${now}, ${now + DAY} + i`,
    ],
  ];
  const insertions = (of: typeof tables) =>
    of.flatMap(([count, table, values]) => {
      const parts = Math.ceil(Math.max(0, to[count] - from[count]) / AT_ONCE);
      return Array.from({ length: parts }, (_, part) => {
        const first = from[count] + part * AT_ONCE;
        const end = Math.min(first + AT_ONCE, to[count]);
        return `INSERT INTO ${table} WITH RECURSIVE numbers (i) AS (
             SELECT ${first} UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${end})
           SELECT ${values} FROM numbers`;
      });
    });
  for (const sql of insertions(tables)) await db.prepare(sql).run();
  for (const sql of insertions(ledgerTables)) {
    // What ended long ago was copied to R2 long ago.
    const statements = [sql, "DELETE FROM unshipped"].map((text) => ({ sql: text, params: [] }));
    await ledger.run(hot.integration as Uuid, statements);
  }
};
