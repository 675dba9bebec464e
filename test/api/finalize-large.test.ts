import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import { isUuid, uuidToBytes } from "../../src/domain/ids.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import type { Finalized } from "../support/collections.ts";
import { background, operationOver } from "../support/operations.ts";
import { pay } from "../support/payments.ts";

let integration: TestIntegration;

beforeAll(async () => {
  integration = await createIntegration();
  await pay("platform", integration.walletAccountId, 10n ** 26n);
});
afterEach(() => observeCheckpoints(null));

/**
 * A draft with many assets, straight into the tables: how they are uploaded is another test's.
 * @param first tells the files of one draft from those of another @param subtitle SQL with the asset's `position`
 */
async function largeDraft(
  assets: number,
  first: number,
  { subtitle, references }: { subtitle: string; references: boolean },
): Promise<string> {
  const { collection_draft_uuid: uuid } = await bodyOf<{ collection_draft_uuid: string }>(
    await api("/collection-draft", {
      key: integration.key,
      json: { contract_uuid: integration.contractUuid, title: "Ten thousand herons" },
    }),
    201,
  );
  if (!isUuid(uuid)) throw new Error("no UUID");
  const numbers = `WITH RECURSIVE numbers(position) AS (
    SELECT 0 UNION ALL SELECT position + 1 FROM numbers WHERE position + 1 < ?1)`;
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} INSERT INTO blobs (sha256, size, media_type, created_at)
       SELECT unhex(printf('%064x', ?2 + position)), 1000, 'image/png', 0 FROM numbers`,
    ).bind(assets * 2, first),
    env.DB.prepare(
      `${numbers} INSERT INTO draft_assets (id, draft_id, position, filename, sha256, reference_filename,
         reference_sha256, subtitle, copies, created_at)
       SELECT unhex('01900000000070008000' || printf('%012x', ?2 + position)), ?3, position, position || '.png', unhex(printf('%064x', ?2 + position)),
         ${references ? "position || '.json', unhex(printf('%064x', ?2 + ?1 + position))" : "NULL, NULL"}, ${subtitle}, 1, 0 FROM numbers`,
    ).bind(assets, first, uuidToBytes(uuid)),
  ]);
  return uuid;
}

const finalize = (draft: string) =>
  api(`/collection-draft/${draft}/finalize`, { key: integration.key, method: "POST" });

const onChain = () =>
  view<{ total: number; assets: number; published: boolean }[]>(
    env.NEAR_RPC_URL,
    integration.contractAccountId,
    "collections",
    { limit: 50 },
  );

const over = async (answer: Response): Promise<Finalized> => {
  if (answer.status === 201) return bodyOf<Finalized>(answer, 201);
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  const operation = await operationOver<Finalized>(integration.key, uuid);
  expect(operation.state).toBe("succeeded");
  return operation.answer!.body;
};

test("10,000 assets with reference files are one transaction, and the answer names every file", async () => {
  const draft = await largeDraft(10_000, 0, { subtitle: "'#$TOKEN_NUM'", references: true });
  const body = await over(await finalize(draft));
  expect(body.tx_results.map(({ status }) => status)).toEqual(["success"]);
  expect(body.ipfs_result.files).toHaveLength(20_000);
  expect((await onChain()).at(-1)).toMatchObject({ total: 10_000, assets: 10_000, published: true });
  const answer = await finalize(draft);
  expect(await bodyOf(answer, 409)).toMatchObject({ code: "draft_finalized" });
});

test("more than a transaction carries is several, and ends in one collection though it is broken off", async () => {
  const draft = await largeDraft(9_000, 1_000_000, {
    subtitle: "printf('%0200d', position)",
    references: false,
  });
  const before = await onChain();
  let steps = 0;
  observeCheckpoints((name) => {
    if (name !== "operation.settled" && name !== "operation.before_submit") return;
    steps += 1;
    // The collection is on the chain, its second batch is not.
    if (steps === 3) throw new Error("killed");
  });
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(await finalize(draft), 202);
  observeCheckpoints(null);
  expect((await onChain()).at(-1)).toMatchObject({ published: false });
  await background.reconcile(60_000);
  const operation = await operationOver<Finalized>(integration.key, uuid);
  expect(operation.state).toBe("succeeded");
  const body = operation.answer!.body;
  expect(body.tx_results.length).toBeGreaterThan(2);
  expect(new Set(body.tx_results.map(({ transaction_hash }) => transaction_hash)).size).toBe(
    body.tx_results.length,
  );
  expect(body.ipfs_result.files).toHaveLength(9_000);
  const after = await onChain();
  expect(after).toHaveLength(before.length + 1);
  expect(after.at(-1)).toMatchObject({ total: 9_000, assets: 9_000, published: true });
});
