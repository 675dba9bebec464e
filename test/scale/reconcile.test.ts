import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type ApiRequest,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
  workerWith,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { setFaults } from "../support/chain-control.ts";
import { collectionOnChain, createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { acceptingFirst, inLedgers } from "../support/ledgers.ts";
import { background, killAt, killedAt, observeCheckpoints, operationOver } from "../support/operations.ts";
import { updateCollection } from "../support/own-wallets.ts";
import { sendFrom } from "../support/payments.ts";
import { eventually, extendDeadlines } from "../support/waiting.ts";
import { endObject } from "../support/wallets.ts";

let integration: TestIntegration;
let collection: Finalized;
let alice: string;

/** Longer than the schedule leaves an operation to its request and wallet. */
const STALE = 60_000;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, { copies: [100] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(async () => {
  vi.restoreAllMocks();
  observeCheckpoints(null);
  await setFaults();
});

const mintOf = () =>
  [
    `/collection/${collection.collection_uuid}/mint`,
    { key: integration.key, json: { receiver_addresses: [alice] } },
  ] as const;

const mint = () => api(...mintOf());

/** Has writes accepted, and stops their drives before the first step of any, until `observeCheckpoints(null)`. */
const stalled = async (...writes: readonly (readonly [string, ApiRequest])[]): Promise<void> => {
  const send = workerWith({ WALLET: acceptingFirst() });
  killAt("operation.before_submit");
  for (const write of writes) await (await send(...write)).response.body?.cancel();
};

const onChain = () => collectionOnChain(integration, collection);

const operations = async (kind: string) =>
  bodyOf<{ state: string }[]>(await api(`/operation?kind=${kind}`, { key: integration.key }), 200);

describe("the schedule", () => {
  test("carries out each accepted operation whose request has ended, once", async () => {
    const { minted } = await onChain();
    const draft = await createDraft(integration);
    await stalled(...Array.from({ length: 5 }, mintOf), [
      `/collection-draft/${draft}/finalize`,
      { key: integration.key, method: "POST" },
    ]);
    expect((await onChain()).minted).toBe(minted);
    observeCheckpoints(null);
    await Promise.all([background.reconcile(STALE), background.reconcile(STALE)]);
    // A run waits for some seconds only, and D1 has a draft's state seconds later.
    await eventually(async () => {
      for (const { state } of await operations("mint")) expect(state).toBe("succeeded");
      expect(
        await bodyOf(await api(`/collection-draft/${draft}`, { key: integration.key }), 200),
      ).toMatchObject({
        state: "finalized",
      });
    });
    expect((await onChain()).minted).toBe(minted + 5);
  });

  test("hands every stalled operation to its wallet before it waits for any of them", async () => {
    const { minted } = await onChain();
    const journaled: string[] = [];
    await stalled(...Array.from({ length: 9 }, mintOf));
    observeCheckpoints((name) => {
      if (name === "wallet.journaled") journaled.push(name);
    });
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const run = background.reconcile(STALE);
    // Nothing lands meanwhile, so waiting for an operation doesn't end.
    await eventually(() => expect(journaled).toHaveLength(9));
    await setFaults();
    await run;
    await eventually(async () => {
      for (const { state } of await operations("mint")) expect(state).toBe("succeeded");
    });
    expect((await onChain()).minted).toBe(minted + 9);
  });

  test("hands over stalled operations while a wallet searches for a transaction that was given up", async () => {
    await bodyOf(await mint(), 201);
    await runInDurableObject(env.WALLET.getByName(integration.integrationUuid), (_, { storage: { sql } }) => {
      const last = "(SELECT max(intent_id) FROM signed)";
      sql.exec(`UPDATE intents SET state = 'unknown' WHERE id = ${last}`);
      sql.exec(`UPDATE drives SET acknowledged_at = NULL
        WHERE operation = (SELECT operation FROM intents WHERE id = ${last})`);
      sql.exec(`UPDATE signed SET state = 'unknown' WHERE intent_id = ${last}`);
    });
    const { minted } = await onChain();
    const seen: string[] = [];
    await stalled(mintOf());
    observeCheckpoints((name) => void seen.push(name));
    await setFaults({ kind: "hang", methods: ["tx"] });
    // A node that never answers is left after ten seconds; here after minutes, for a slow machine.
    extendDeadlines(30);
    const run = background.reconcile(STALE);
    await eventually(() => expect(seen).toContain("wallet.journaled"));
    vi.restoreAllMocks();
    await setFaults();
    await endObject(integration.integrationUuid);
    await run;
    await eventually(async () => expect((await onChain()).minted).toBe(minted + 1));
  });

  test("carries out updates of one collection in the order of their acceptance, all in one run", async () => {
    const updates = Array.from(
      { length: 8 },
      (_, index) =>
        [
          `/collection/${collection.collection_uuid}`,
          {
            key: integration.key,
            method: "PUT",
            json: { description: `Light ${index + 1}` },
            headers: { prefer: "respond-async" },
          },
        ] as const,
    );
    await stalled(...updates);
    observeCheckpoints(null);
    await background.reconcile(STALE);
    await eventually(async () => {
      const states = (await operations("collection_update")).map(({ state }) => state);
      expect(states).toEqual(Array.from({ length: 8 }, () => "succeeded"));
    });
    expect((await onChain()).description).toBe("Light 8");
    expect(
      await bodyOf(await api(`/collection/${collection.collection_uuid}`, { key: integration.key }), 200),
    ).toMatchObject({ description: "Light 8" });
  });

  test("repairs the count of minted tokens", async () => {
    // Inside: no request makes rows say something else than the chain.
    await inLedgers("UPDATE collections SET minted = 0");
    await background.reconcile();
    const { minted } = await onChain();
    expect(
      await bodyOf(await api(`/collection/${collection.collection_uuid}`, { key: integration.key }), 200),
    ).toMatchObject({ minted });
  });

  test("adopts settings that the contract's owner changed from a wallet, and no others", async () => {
    const shown = async () =>
      bodyOf<{ title: string; updated_at: string }>(
        await api(`/collection/${collection.collection_uuid}`, { key: integration.key }),
        200,
      );
    const before = await shown();
    await background.reconcile();
    expect(await shown()).toEqual(before);
    await sendFrom(integration.integrationUuid, integration.contractAccountId, [
      updateCollection(collection.near_collection.collection_id, {
        title: "By hand",
        initial_royalties: { [integration.walletAccountId]: 7.5 },
      }),
    ]);
    await background.reconcile();
    expect(await shown()).toEqual({
      ...before,
      title: "By hand",
      initial_royalties: { [integration.walletAccountId]: 7.5 },
      updated_at: expect.any(String),
    });
  });

  test("reports a collection that is missing on the chain, and one that is missing in D1", async () => {
    const { collection_uuid: uuid, near_collection: onChainRow } = collection;
    const move = (to: number) =>
      inLedgers(
        "UPDATE collections SET on_chain_id = ? WHERE lower(hex(id)) = ?",
        to,
        uuid.replaceAll("-", ""),
      );
    const events: object[] = [];
    try {
      await move(49);
      await background.reconcile(0, (event, fields) => events.push({ event, ...fields }));
    } finally {
      await move(onChainRow.collection_id);
    }
    expect(events).toContainEqual(
      expect.objectContaining({ event: "reconcile.collection_missing", collection_uuid: uuid }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        event: "reconcile.collection_differs",
        collection_id: onChainRow.collection_id,
        collection_uuid: null,
      }),
    );
  });

  test("finishes an operation whose effects were never stored", async () => {
    const answer = await killedAt("operation.before_effects", mint);
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
    await background.reconcile(STALE);
    const over = await operationOver<{ tokens: unknown[] }>(integration.key, uuid);
    expect(over.answer?.body.tokens).toHaveLength(1);
  });
});

describe("a contract whose balance runs low", () => {
  const free = async () =>
    BigInt(
      (await view<{ free: string }>(env.NEAR_RPC_URL, integration.contractAccountId, "contract_balance"))
        .free,
    );

  test("is topped up by the schedule, once", async () => {
    await sendFrom(integration.integrationUuid, integration.contractAccountId, [
      {
        kind: "function_call",
        method: "withdraw",
        args: new TextEncoder().encode("{}"),
        gas: "30000000000000",
        deposit: "1",
      },
    ]);
    expect(await free()).toBeLessThan(3n * 10n ** 23n);
    await background.reconcile();
    await background.reconcile(STALE);
    await eventually(async () => expect(await free()).toBeGreaterThanOrEqual(6n * 10n ** 23n - 1n));
    await background.reconcile(STALE);
    await eventually(async () =>
      expect((await operations("contract_top_up")).map(({ state }) => state)).toEqual(["succeeded"]),
    );
  });
});

describe("GET /transaction", () => {
  test("lists the integration's transactions newest first, each once over all pages", async () => {
    const all = await bodyOf<{ transaction_hash: string; block_time: string }[]>(
      await api("/transaction", { key: integration.key }),
      200,
    );
    expect(all.length).toBeGreaterThan(6);
    const paged: string[] = [];
    for (let next: string | null = "/transaction?limit=3"; next !== null; ) {
      const answer: Response = await api(next, { key: integration.key });
      const link: string | null = answer.headers.get("link");
      paged.push(
        ...(await bodyOf<{ transaction_hash: string }[]>(answer, 200)).map((each) => each.transaction_hash),
      );
      const address = link && /<([^>]+)>/.exec(link)?.[1];
      next = address ? address.slice(address.indexOf("/transaction")) : null;
    }
    expect(paged).toEqual(all.map(({ transaction_hash }) => transaction_hash));
    expect(new Set(paged).size).toBe(paged.length);
  });
});

describe("GET /collection/{uuid}/token", () => {
  test("lists a collection's tokens from the chain in minting order, in pages", async () => {
    const path = `/collection/${collection.collection_uuid}/token`;
    const { minted } = await onChain();
    const all = await bodyOf<{ token_id: string }[]>(await api(path, { key: integration.key }), 200);
    const { collection_id: id } = collection.near_collection;
    expect(all.map(({ token_id }) => token_id)).toEqual(
      Array.from({ length: minted }, (_, index) => `${id}:${index + 1}`),
    );
    const first = await api(`${path}?limit=2`, { key: integration.key });
    expect(first.headers.get("link")).toContain('rel="next"');
    expect(await bodyOf(first, 200)).toEqual(all.slice(0, 2));
    const second = await bodyOf(await api(`${path}?limit=2&cursor=2`, { key: integration.key }), 200);
    expect(second).toEqual(all.slice(2, 4));
    expect((await api(`${path}?cursor=heron`, { key: integration.key })).status).toBe(400);
  });
});
