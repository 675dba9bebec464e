import { env } from "cloudflare:workers";
import { lt, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
// Inside: no answer shows how SQLite carries out statements.
import { pagesWithoutTraits } from "../../src/collections/traits.ts";
import { holds, openDatabase, runBatch } from "../../src/db/client.ts";
import { openLedger } from "../../src/db/ledger.ts";
import { notOnlyArchived } from "../../src/db/queries/archives.ts";
import { assetIndexOf, shownOf } from "../../src/db/queries/assets.ts";
import { keepBlobs } from "../../src/db/queries/blobs.ts";
import { isUnclaimed, putClaimBack } from "../../src/db/queries/claims.ts";
import { hasCopiesLeft } from "../../src/db/queries/collection-effects.ts";
import { noteAddedFiles, releaseMedia } from "../../src/db/queries/collection-media.ts";
import { operationsOfEvents, readEventPage } from "../../src/db/queries/event-pages.ts";
import { insertEvents, readLastSeq } from "../../src/db/queries/events.ts";
import { staleLedgers, withSomethingStuck } from "../../src/db/queries/integrations.ts";
import { keepMintTransaction, mintTransactionOf } from "../../src/db/queries/mint-transactions.ts";
import { listOperations } from "../../src/db/queries/operation-list.ts";
import {
  hadOperationSince,
  hasPending,
  isOpen,
  openOperationOf,
  openOperations,
} from "../../src/db/queries/operations.ts";
import { deleteOldAudit } from "../../src/db/queries/sweeps.ts";
import { collectionTurn, firstInTurn } from "../../src/db/queries/turns.ts";
import { webhooks } from "../../src/db/schema/index.ts";
import type { Statement } from "../../src/db/statements.ts";
import { newUuid, uuidToBytes } from "../../src/domain/ids.ts";
import { KINDS_IN_PARTS } from "../../src/domain/operations.ts";
import { enabledWebhooks } from "../../src/events/webhooks/interface.ts";
import { secretsBefore } from "../../src/events/webhooks/secrets.ts";
import { pageOfWebhooks } from "../../src/events/webhooks/webhooks.ts";
import { findQuote } from "../../src/operations/quotes.ts";
import { isBeingFinalized } from "../../src/operator/jobs/chain-comparison.ts";
import { reportedDrops } from "../../src/operator/jobs/claims.ts";
import {
  endOfMarked,
  endOfPage,
  markUnreferenced,
  takeForDeletion,
  unmarkReferenced,
} from "../../src/operator/jobs/clean-up.ts";
import { openMints, reportedNumbers } from "../../src/operator/jobs/wallet-mints.ts";
import { enabledAfter } from "../../src/operator/jobs/webhooks.ts";
import { inLedger, runOn } from "../support/ledgers.ts";

/**
 * Rows accumulate for years, so a query that runs every minute or with every write has to find its rows by an index.
 * Each query is sent as the code sends it, and SQLite says how it would read (https://sqlite.org/eqp.html).
 */

/** Statements, and whether they were sent to the ledger. */
const sent: { readonly text: string; readonly isOfLedger: boolean }[] = [];

/** D1 that records its statements. */
// Inside: no answer shows how SQLite carries out statements.
const noting = new Proxy(env.DB, {
  get: (target, name) => {
    const value: unknown = Reflect.get(target, name);
    if (typeof value !== "function") return value;
    if (name !== "prepare") return value.bind(target);
    return (text: string) => {
      sent.push({ text, isOfLedger: false });
      return target.prepare(text);
    };
  },
});
const db = openDatabase(noting);
const id = newUuid();
// Inside: a ledger of an integration without a wallet.
beforeAll(async () => {
  await env.DB.prepare(
    "INSERT INTO integrations (id, name, wallet_state, created_at, updated_at) VALUES (?, 'Plans', 'new', 0, 0)",
  )
    .bind(uuidToBytes(id))
    .run();
});
const ledger = openLedger((statements) => {
  sent.push(...statements.map(({ sql: text }) => ({ text, isOfLedger: true })));
  return runOn(id, statements);
});

/** What SQLite would read for the statements that `work` sends, one line per table. */
const plansOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  sent.length = 0;
  await work();
  expect(sent.length).toBeGreaterThan(0);
  const plans: string[] = [];
  for (const { text, isOfLedger } of sent.slice()) {
    const parameters = text.replaceAll(/'[^']*'/g, "").split("?").length - 1;
    const nothing = Array(parameters).fill(null);
    if (isOfLedger) {
      const read = await inLedger<{ detail: string }>(id, `EXPLAIN QUERY PLAN ${text}`, ...nothing);
      plans.push(...read.map(({ detail }) => detail));
      continue;
    }
    const explained = env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`).bind(...nothing);
    const { results } = await explained.all<{ detail: string }>();
    plans.push(...results.map(({ detail }) => detail));
  }
  return plans;
};

const batch = (statements: readonly Statement[]) => runBatch(db, statements);
const run = (statements: readonly Statement[]) => runBatch(ledger, statements);
const now = new Date();
const page = { after: "", upTo: "ff" };
const marked = { from: [0, 0], upTo: [1, 1] } as const;

/** Each query, with the part of an index by which it may read the table that grows most. */
const QUERIES: readonly (readonly [name: string, work: () => Promise<unknown>, reads: string])[] = [
  [
    "an update's turn",
    () => run([collectionTurn(ledger, { id, kind: "collection_update", integrationId: id, subjectId: id })]),
    "operations_going_on (integration_id=? AND subject_id=? AND kind=?",
  ],
  [
    "the next in turn",
    () => run([firstInTurn(ledger, { integrationId: id, subjectId: id }, "collection_update")]),
    "operations_going_on (integration_id=? AND subject_id=? AND kind=?",
  ],
  [
    "an open operation of a subject",
    () => openOperationOf(ledger, { integrationId: id, subjectId: id }, "contract_upgrade"),
    "operations_going_on (integration_id=? AND subject_id=? AND kind=?",
  ],
  [
    "the last top-up",
    () => ledger.all(sql`SELECT ${hadOperationSince(id, "contract_top_up", { any: now, failed: now })}`),
    "operations_subject (subject_id=?)",
  ],
  ["what stands still", () => staleLedgers(db, now, 10), "ledgers_open (open_since>? AND open_since<?)"],
  [
    "what will spend more than is reserved",
    () => holds(ledger, hasPending(id, KINDS_IN_PARTS)),
    "operations_going_on (integration_id=?",
  ],
  ["a quote", () => findQuote(ledger, id, id), "quotes USING INDEX sqlite_autoindex_quotes_1 (id=?)"],
  ["open ones", () => openOperations(ledger, 0, 10), "SCAN operations USING INDEX operations_going_on"],
  [
    "a page of operations",
    () => listOperations(ledger, id, { kind: "mint", createdAfter: now }, { after: id, limit: 10, files: 8 }),
    "operations_integration (integration_id=? AND id>? AND id<?)",
  ],
  [
    "a page of a subject's operations",
    () => listOperations(ledger, id, { state: "failed", subject: id }, { after: id, limit: 10, files: 8 }),
    "operations_subject (subject_id=? AND id<?)",
  ],
  [
    "a page of open operations",
    () => listOperations(ledger, id, { state: "pending" }, { after: null, limit: 10, files: 8 }),
    "operations_going_on (integration_id=?",
  ],
  [
    "events behind a number, and what they tell of",
    () => readEventPage(ledger, id, { after: 0, most: 50, near: 20, types: ["nft.minted"] }),
    "PRIMARY KEY (integration_id=? AND seq>?)",
  ],
  [
    "what later events tell of",
    () => operationsOfEvents(ledger, [id]),
    "sqlite_autoindex_operations_1 (id=?)",
  ],
  [
    "a new event",
    () => run([insertEvents(ledger, { integrationId: id, runs: [["nft.minted", 1]], at: now }, isOpen(id))]),
    "sqlite_autoindex_operations_1 (id=?)",
  ],
  [
    "old entries of the audit log",
    () => batch([deleteOldAudit(db, { integrationId: id, before: now, limit: 10 })]),
    "PRIMARY KEY (integration_id=?",
  ],
  [
    "reported tokens of a collection",
    () => reportedNumbers(ledger, id, id, 0),
    "PRIMARY KEY (integration_id=? AND seq>?)",
  ],
  [
    "open mints of a collection",
    () => openMints(ledger, { integrationId: id, subjectId: id }),
    "operations_going_on (integration_id=? AND subject_id=? AND kind=?",
  ],
  [
    "the place of an asset",
    () => assetIndexOf(db, id, id),
    "draft_assets_position (draft_id=? AND position<?)",
  ],
  ["what some assets show", () => shownOf(db, id, [id]), "sqlite_autoindex_draft_assets_1 (id=?)"],
  [
    "reported links of drops",
    () => reportedDrops(ledger, id),
    "sqlite_autoindex_claim_drops_1 (contract_id=?)",
  ],
  [
    "whether a link is claimed",
    () => ledger.all(sql`SELECT ${isUnclaimed({ collectionId: id, dropId: 1, link: 1 })}`),
    "PRIMARY KEY (collection_id=? AND drop_id=? AND link=?)",
  ],
  [
    "the claim of a link that is put back",
    () => run([putClaimBack(ledger, { collectionId: id, dropId: 1, link: 1 }, id)]),
    "",
  ],
  [
    "operations of a record that the archive lacks",
    () => notOnlyArchived(ledger, id, [id]),
    "sqlite_autoindex_archives_1 (integration_id=? AND last_id>? AND last_id<?)",
  ],
  [
    "the transaction that minted a token",
    () => mintTransactionOf(db, id, 1),
    "PRIMARY KEY (collection_id=? AND hundred=?)",
  ],
  [
    "noting who minted a token",
    () => batch([keepMintTransaction(db, id, { hash: "a", tokenIds: ["1:1"] })]),
    "sqlite_autoindex_collection_pages_1 (collection_id=?)",
  ],
  [
    "copies that are left",
    () => ledger.all(sql`SELECT ${hasCopiesLeft(id, 1)}`),
    "sqlite_autoindex_collections_1 (id=?)",
  ],
  ["the last number", () => readLastSeq(ledger), "SCAN meta"],
  ["endpoints to wake", () => enabledAfter(db, id, 10), "webhooks_enabled (id>?)"],
  ["an integration's endpoints", () => enabledWebhooks(db, id), "webhooks_integration (integration_id=?)"],
  [
    "a page of endpoints",
    () => pageOfWebhooks(db, id, id, 10),
    "webhooks_integration (integration_id=? AND id<?)",
  ],
  [
    "secrets to seal again",
    () => secretsBefore(db, 2, { version: 1, id }, 10),
    "webhooks_secret ((secret_version,id)>(?,?)",
  ],
  [
    "how many those are",
    () => db.$count(webhooks, lt(webhooks.secretVersion, 2)),
    "webhooks_secret (secret_version<?)",
  ],
  ["those that wait for the operator", () => withSomethingStuck(db, now, null, 10), "ledgers_working (id>?)"],
  ["a finalization under way", () => holds(ledger, isBeingFinalized("00")), "operations_going_on"],
  [
    "files of a failed mint",
    () => batch(releaseMedia(db, { collectionId: id, operationId: id, digests: ["AAAA"] })),
    "sqlite_autoindex_brought_files_1 (collection_id=? AND sha256=?)",
  ],
  [
    "pages whose traits are to be read",
    () => pagesWithoutTraits(db, 10),
    "collection_pages_traits (traits_cursor>?)",
  ],
  ["a page of files", () => endOfPage(db, "", 10), "sqlite_autoindex_blobs_1 (sha256>?)"],
  [
    "marking a page of files",
    () => batch([markUnreferenced(db, page, { before: now, now })]),
    "sqlite_autoindex_blobs_1 (sha256>? AND sha256<?)",
  ],
  ["a page of marked files", () => endOfMarked(db, [0, 0], 10), "blobs_going (going=? AND going_at>?)"],
  [
    "unmarking a page of files",
    () => batch([unmarkReferenced(db, marked)]),
    "blobs_going (going=? AND going_at>? AND going_at<?)",
  ],
  [
    "files to delete",
    () => batch([takeForDeletion(db, { markedBefore: now, stuckBefore: now, now, limit: 10 })]),
    "blobs_going (going=? AND going_at<?)",
  ],
  [
    "keeping files",
    () => expect(batch(keepBlobs(db, id, ["00"]))).rejects.toThrow("NOT NULL"),
    "sqlite_autoindex_blobs_1 (sha256=?)",
  ],
  [
    "noting files",
    () => batch([noteAddedFiles(db, { collectionId: id, operationId: id }, ["00"])]),
    "SCAN json_each",
  ],
];

const GROWING =
  /^SCAN (?:operations|transactions|events|blobs|drafts|draft_assets|collection_blobs|brought_files|collection_pages)\b(?! USING (?:COVERING )?INDEX operations_going_on)/;

test.each(QUERIES)(
  "%s reads no growing table from end to end, and uses the expected index",
  async (_name, work, reads) => {
    const plans = await plansOf(work);
    expect(plans.filter((plan) => GROWING.test(plan))).toEqual([]);
    expect(plans.join("\n")).toContain(reads);
  },
);
