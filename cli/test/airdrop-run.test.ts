import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MintageClient } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { AirdropJournal } from "../airdrop/journal.ts";
import { planMints } from "../airdrop/plan.ts";
import { mintAll } from "../airdrop/run.ts";

const receivers = [{ line: 1, account: "a.near", quantity: 1 }];
const minted: Reply = {
  status: 201,
  body: { message: "success", tokens: [{ token_id: "1:1", owner_id: "a.near" }], tx_results: [] },
};
const refused = (status: number, body: object): Reply => ({ status, body: { message: "No.", ...body } });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-airdrop-run-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs an airdrop as often as there are answers, each run getting one, and gives what was sent. */
async function sentFor(
  replies: readonly Reply[],
  unknownFrom = Infinity,
  rows = receivers,
): Promise<readonly Seen[]> {
  await using service = await scriptedService((_: Seen, count) => replies[count - 1] ?? "drop");
  const client = new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } });
  const head = { base_url: service.url, collection_uuid: "c", receivers_sha256: "s" };
  for (const run of replies.keys()) {
    const journal = AirdropJournal.open(join(folder, "journal"), head);
    const parts = planMints(rows);
    const airdrop = {
      client,
      collectionUuid: "c",
      receivers: rows,
      parts,
      assets: new Map([["1.png", "uuid-of-1"]]),
      journal,
      parallel: 1,
      allowsUnknown: run >= unknownFrom,
      onProgress: () => {},
    };
    await mintAll(airdrop).catch(() => {});
  }
  return service.seen;
}

const keysOf = async (...replies: readonly Reply[]): Promise<unknown[]> =>
  (await sentFor(replies)).map(({ headers }) => headers["idempotency-key"]);

test.each([
  ["a lost answer", "drop"],
  ["a key that was revoked", refused(401, { code: "api_key_revoked" })],
  ["a key that may only read", refused(403, { code: "read_only_key" })],
  ["too many requests", refused(429, { code: "rate_limited" })],
  ["another body under the key", refused(422, { code: "idempotency_key_reused" })],
  ["the same request under way", refused(409, { code: "idempotency_key_in_flight" })],
  ["an unknown outcome", refused(502, { code: "outcome_unknown", outcome: "unknown" })],
  ["a proxy's own answer", refused(404, {})],
  ["a rolled-back database", refused(503, { code: "wallet_inactive", outcome: "not_submitted" })],
  [
    "an answer that no node could be asked",
    refused(503, { code: "chain_unavailable", outcome: "not_submitted" }),
  ],
] as const)(
  "after %s a request goes under its first key, since the first may have been carried out",
  async (_, reply) => {
    const keys = await keysOf("drop", reply, minted, minted);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  },
);

test.each([
  ["was not submitted", refused(402, { code: "insufficient_funds", outcome: "not_submitted" })],
  ["failed on the chain", refused(409, { code: "sold_out", outcome: "failed_on_chain" })],
] as const)("a request that %s is sent again under another key", async (_, reply) => {
  const keys = await keysOf(reply, minted, minted);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

test("accounts that don't exist are refused, until the person who runs it says that they may be missing", async () => {
  const missing = refused(400, { code: "unknown_account", outcome: "not_submitted" });
  const sent = await sentFor([missing, missing, minted], 2);
  expect(
    sent.map(({ body }) => (JSON.parse(body) as { receivers_must_exist: boolean }).receivers_must_exist),
  ).toEqual([true, true, false]);
  expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(3);
});

test("a row's asset goes along by its uuid, and a row without one has it drawn", async () => {
  const rows = [
    { line: 2, account: "a.near", quantity: 1, asset: "1.png" },
    { line: 3, account: "b.near", quantity: 1 },
  ];
  const seen = await sentFor([minted, minted], Infinity, rows);
  const bodies = seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toMatchObject([
    { receiver_addresses: ["a.near"], asset_uuid: "uuid-of-1" },
    { receiver_addresses: ["b.near"] },
  ]);
  expect(bodies[1]).not.toHaveProperty("asset_uuid");
});
