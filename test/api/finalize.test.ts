import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { api, apiWith, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { beforeWrites, watchedLedgers } from "../support/ledgers.ts";
import {
  background,
  firstPass,
  killAt,
  killedAt,
  OPERATION_POINTS,
  observeCheckpoints,
  operationOver,
} from "../support/operations.ts";
import { eventually } from "../support/waiting.ts";

let integration: TestIntegration;

beforeAll(async () => {
  integration = await createIntegration();
});
afterEach(async () => {
  observeCheckpoints(null);
  vi.useRealTimers();
  await setFaults();
});

const finalize = (draft: string, headers: Record<string, string> = {}) =>
  api(`/collection-draft/${draft}/finalize`, { key: integration.key, method: "POST", headers });

/** Keeps an operation open until so many requests wait for it. @returns makes the ledgers for one of these */
const openUntilJoined = async (requests: number) => {
  await setFaults({ kind: "unknown_transaction" });
  const waiting = new Set<object>();
  return (): typeof env.WALLET => {
    const request = {};
    return watchedLedgers(async (method, call) => {
      if (method === "write" || method === "carryOut") waiting.add(request);
      if (waiting.size === requests) await setFaults();
      return call();
    });
  };
};

interface Draft {
  readonly state: string;
  readonly collection_uuid: string | null;
  readonly operation_uuid: string | null;
}
const readDraft = async (draft: string) =>
  bodyOf<Draft>(await api(`/collection-draft/${draft}`, { key: integration.key }), 200);

interface OnChain {
  readonly collection_id: number;
  readonly external_id: string;
  readonly published: boolean;
  readonly total: number;
  readonly assets: number;
}
const onChain = () =>
  view<OnChain[]>(env.NEAR_RPC_URL, integration.contractAccountId, "collections", { limit: 100 });

describe("finalizing a draft", () => {
  test("makes one published collection with all assets, and returns where each file is", async () => {
    const before = await onChain();
    const draft = await createDraft(integration, {
      copies: [1, 2, 3],
      references: true,
      settings: {
        title: "Herons at dusk",
        description: "Three of them",
        public_mint_config: { mint_fee: "3000000000000000000000", starts_at: "2030-01-01T00:00:00Z" },
        initial_royalties: { [integration.walletAccountId]: 12.57 },
        ongoing_royalties: { [integration.walletAccountId]: 5 },
        transfers_denied_accounts: ["escrow.near"],
      },
    });
    const body = await bodyOf<Finalized>(await finalize(draft), 201);
    expect(body.message).toBe("success");
    expect(body.contract_address).toBe(integration.contractAccountId);
    expect(body.tx_results.map(({ status }) => status)).toEqual(["success"]);
    expect(body.ipfs_result.files.map(({ name }) => name).sort()).toEqual(
      ["0.json", "0.png", "1.json", "1.png", "2.json", "2.png"].sort(),
    );
    expect(body.near_collection).toMatchObject({ title: "Herons at dusk", total_copies: 6 });

    const after = await onChain();
    expect(after).toHaveLength(before.length + 1);
    expect(after.at(-1)).toMatchObject({
      collection_id: body.near_collection.collection_id,
      external_id: body.collection_uuid.replaceAll("-", ""),
      published: true,
      total: 6,
      assets: 3,
      title: "Herons at dusk",
      initial_royalties: { [integration.walletAccountId]: 1257 },
      ongoing_royalties: { [integration.walletAccountId]: 500 },
      transfers_denied_accounts: ["escrow.near"],
      public_mint_config: { mint_fee: "3000000000000000000000", starts_at_ms: Date.parse("2030-01-01") },
    });
    // D1, which has the drafts, has it within seconds, here and below.
    await expect
      .poll(() => readDraft(draft))
      .toMatchObject({ state: "finalized", collection_uuid: body.collection_uuid });
    const collection = await api(`/collection/${body.collection_uuid}`, { key: integration.key });
    expect(await bodyOf(collection, 200)).toEqual(body.near_collection);
    const file = await api(`/ipfs/${body.ipfs_result.root_cid}/2.json`);
    expect(file.status).toBe(200);
    await file.body?.cancel();
  });

  test("returns one collection to three concurrent calls", async () => {
    const before = await onChain();
    const draft = await createDraft(integration);
    // It ends once all wait for it: on an idle machine it could end before the others read the draft.
    const joining = await openUntilJoined(3);
    const request = { key: integration.key, method: "POST" };
    const send = () => apiWith({ WALLET: joining() }, `/collection-draft/${draft}/finalize`, request);
    const answers = await Promise.all([send(), send(), send()]);
    const bodies = await Promise.all(answers.map(({ response }) => bodyOf<Finalized>(response, 201)));
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
    expect(await onChain()).toHaveLength(before.length + 1);
  });

  test("joins one that has locked the draft and isn't accepted yet, under its key and without one", async () => {
    const before = await onChain();
    const draft = await createDraft(integration);
    const path = `/collection-draft/${draft}/finalize`;
    const request = { key: integration.key, method: "POST" };
    const first = { ...request, headers: { "idempotency-key": `once ${draft}` } };
    // The first ends once both others wait for it, however late they read the draft.
    const joining = await openUntilJoined(2);
    const join = (other: typeof request) => apiWith({ WALLET: joining() }, path, other);
    const others: ReturnType<typeof join>[] = [];
    const WALLET = beforeWrites(async () => {
      if (others.length > 0) return;
      others.push(join(request), join(first));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    });
    const { response } = await apiWith({ WALLET }, path, {
      ...first,
      headers: { ...first.headers, prefer: "respond-async" },
    });
    expect(response.status).toBe(202);
    await response.body?.cancel();
    const bodies = await Promise.all(
      others.map(async (other) => bodyOf<Finalized>((await other).response, 201)),
    );
    expect(bodies[1]).toEqual(bodies[0]);
    expect(await onChain()).toHaveLength(before.length + 1);
  });

  test("keeps its draft locked though the schedule runs before it is accepted", async () => {
    const draft = await createDraft(integration);
    let locked: Draft | undefined;
    const WALLET = beforeWrites(async () => {
      if (locked) return;
      await background.reconcile();
      locked = await readDraft(draft);
    });
    const request = { key: integration.key, method: "POST" };
    const { response } = await apiWith({ WALLET }, `/collection-draft/${draft}/finalize`, request);
    await bodyOf(response, 201);
    expect(locked).toMatchObject({ state: "finalizing" });
  });

  test("is refused for a finalized, an empty and a missing draft", async () => {
    const draft = await createDraft(integration);
    await bodyOf(await finalize(draft), 201);
    await eventually(async () =>
      expect(await bodyOf(await finalize(draft), 409)).toMatchObject({ code: "draft_finalized" }),
    );
    const { collection_draft_uuid: empty } = await bodyOf<{ collection_draft_uuid: string }>(
      await api("/collection-draft", {
        key: integration.key,
        json: { contract_uuid: integration.contractUuid, title: "Empty" },
      }),
      201,
    );
    expect(await bodyOf(await finalize(empty), 409)).toMatchObject({ code: "draft_empty" });
    expect((await readDraft(empty)).state).toBe("draft");
    expect(await bodyOf(await finalize(crypto.randomUUID()), 404)).toMatchObject({ code: "not_found" });
  });

  test("is refused if accounts with royalties don't exist, by their names, and nothing is sent", async () => {
    const before = await onChain();
    const implicit = "6f32d9832f4b08752106a782aad702a3210e47906fce4a0cab9df0e1ba62f4ab";
    const draft = await createDraft(integration, {
      settings: {
        initial_royalties: { "nobody.test": 10, [implicit]: 5 },
        ongoing_royalties: { "no-one.test": 1 },
      },
    });
    expect(await bodyOf(await finalize(draft), 400)).toMatchObject({
      code: "unknown_account",
      issues: [
        { path: ["initial_royalties", "nobody.test"] },
        { path: ["ongoing_royalties", "no-one.test"] },
      ],
    });
    expect((await readDraft(draft)).state).toBe("draft");
    expect(await onChain()).toHaveLength(before.length);
  });

  test("locks the draft until it ends", async () => {
    const draft = await createDraft(integration);
    killAt("operation.before_effects");
    const answer = await finalize(draft, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
    expect(await readDraft(draft)).toMatchObject({ state: "finalizing", operation_uuid: uuid });
    const change = { key: integration.key, method: "PUT", json: { title: "Other" } };
    expect(await bodyOf(await api(`/collection-draft/${draft}`, change), 409)).toMatchObject({
      code: "draft_locked",
    });
    observeCheckpoints(null);
    await background.resume(uuid);
    const over = await operationOver<Finalized>(integration.key, uuid);
    expect(over).toMatchObject({ state: "succeeded", answer: { status: 201 } });
    await expect.poll(() => readDraft(draft)).toMatchObject({ state: "finalized" });
  });
});

describe("a finalization that is interrupted", () => {
  test.each(OPERATION_POINTS)("at %s still makes one collection", async (point) => {
    const before = await onChain();
    const draft = await createDraft(integration);
    await (await killedAt(point, () => finalize(draft), firstPass)).body?.cancel();
    const { operation_uuid: uuid } = await readDraft(draft);
    await background.resume(uuid!);
    const over = await operationOver<Finalized>(integration.key, uuid!);
    expect(over.state).toBe("succeeded");
    await expect
      .poll(() => readDraft(draft))
      .toMatchObject({ state: "finalized", collection_uuid: over.answer?.body.collection_uuid });
    expect(await onChain()).toHaveLength(before.length + 1);
    expect(await bodyOf(await finalize(draft), 409)).toMatchObject({ code: "draft_finalized" });
  });

  test("before it was accepted leaves the draft unchanged", async () => {
    const before = await onChain();
    const draft = await createDraft(integration);
    const killed = await killedAt("operation.before_accept", () => finalize(draft));
    expect(await bodyOf(killed, 500)).toMatchObject({ code: "internal_error" });
    expect(await readDraft(draft)).toMatchObject({ state: "draft", operation_uuid: null });
    expect(await onChain()).toHaveLength(before.length);
    await bodyOf(await finalize(draft), 201);
  });
});

test("collections of one contract are numbered and listed", async () => {
  const { near_collection: first } = await createCollection(integration);
  const { near_collection: second } = await createCollection(integration);
  expect(second.collection_id).toBe(first.collection_id + 1);
});

/** Finalizes a draft, which gets another title while it is being accepted. */
const finalizedWhileChanged = async (draft: string, title: string): Promise<Finalized> => {
  let changed = false;
  const DB = failingD1(async (sql) => {
    if (!changed && /update "drafts" set "state"/i.test(sql)) {
      changed = true;
      await retitle(draft, title);
      vi.useRealTimers();
    }
    return null;
  });
  const request = { key: integration.key, method: "POST" };
  const { response } = await apiWith({ DB }, `/collection-draft/${draft}/finalize`, request);
  const body = await bodyOf<Finalized>(response, 201);
  expect(changed).toBe(true);
  return body;
};

const retitle = async (draft: string, title: string) =>
  bodyOf(
    await api(`/collection-draft/${draft}`, { key: integration.key, method: "PUT", json: { title } }),
    200,
  );

test("a draft that is changed while it is being accepted is finalized with the change", async () => {
  const body = await finalizedWhileChanged(await createDraft(integration), "Changed meanwhile");
  expect(body.near_collection.title).toBe("Changed meanwhile");
  expect((await onChain()).at(-1)).toMatchObject({ title: "Changed meanwhile" });
});

test("a draft that was changed in the same millisecond is finalized with the change", async () => {
  const draft = await createDraft(integration);
  vi.setSystemTime(Date.now());
  await retitle(draft, "Changed before");
  const body = await finalizedWhileChanged(draft, "Changed in the same moment");
  expect(body.near_collection.title).toBe("Changed in the same moment");
});
