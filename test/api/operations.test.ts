import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft, type Finalized, mintedOnChain } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import type { Break } from "../support/failing-database.ts";
import { background, type OperationResource, operationOver, readOperation } from "../support/operations.ts";
import { drain, pay } from "../support/payments.ts";
import { until } from "../support/waiting.ts";
import { setWalletBindings } from "../support/wallets.ts";

let integration: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, { copies: [200] });
  [alice] = (await createReceivers(1)) as [string];
});

afterEach(async () => {
  await setFaults();
});

const mint = (headers: Record<string, string> = {}, quantity = 1) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: integration.key,
    json: { receiver_addresses: [alice], quantity_per_receiver: quantity },
    headers,
  });

interface Minted {
  readonly tokens: readonly { readonly token_id: string }[];
}

describe("an operation", () => {
  test("is answered with 202 if the caller asks for that, and ends with the same body", async () => {
    const answer = await mint({ prefer: "respond-async" });
    const location = answer.headers.get("location")!;
    const accepted = await bodyOf<OperationResource>(answer, 202);
    expect(location).toBe(`/api/v1/operation/${accepted.operation_uuid}`);
    expect(accepted).toMatchObject({
      kind: "mint",
      state: "pending",
      subject_uuid: collection.collection_uuid,
      finished_at: null,
    });
    const over = await operationOver<Minted>(integration.key, accepted.operation_uuid);
    expect(over).toMatchObject({ state: "succeeded", transactions: [{ status: "success" }] });
    expect(over.finished_at).not.toBeNull();
    expect(over.answer?.status).toBe(201);
    expect(over.answer?.body.tokens).toHaveLength(1);
  });

  test("that is answered at once has its uuid in a header, and shows the same body", async () => {
    const answer = await mint();
    const uuid = answer.headers.get("x-operation-uuid")!;
    const body = await bodyOf<Minted>(answer, 201);
    expect((await readOperation<Minted>(integration.key, uuid)).answer).toEqual({ status: 201, body });
  });

  test("of another integration is 404", async () => {
    const uuid = (await mint()).headers.get("x-operation-uuid")!;
    const other = await createIntegration("Other shop");
    const foreign = await bodyOf<Record<string, unknown>>(
      await api(`/operation/${uuid}`, { key: other.key }),
      404,
    );
    const missing = await bodyOf<Record<string, unknown>>(
      await api(`/operation/${crypto.randomUUID()}`, { key: other.key }),
      404,
    );
    expect({ ...foreign, request_id: "" }).toEqual({ ...missing, request_id: "" });
  });

  test("may be resumed at any time, any number of times, and has its effect once", async () => {
    const before = await minted();
    const accepted = await bodyOf<OperationResource>(await mint({ prefer: "respond-async" }, 2), 202);
    const uuid = accepted.operation_uuid;
    await Promise.all(Array.from({ length: 5 }, () => background.resume(uuid)));
    const over = await operationOver<Minted>(integration.key, uuid);
    await background.resume(uuid);
    expect(await readOperation(integration.key, uuid)).toEqual(over);
    expect(over.transactions).toHaveLength(1);
    expect(await minted()).toBe(before + 2);
  });
});

test("an answer is acknowledged to the wallet, whose alarm then has nothing to check", async () => {
  const uuid = (await mint()).headers.get("x-operation-uuid")!;
  const object = env.WALLET.getByName(integration.integrationUuid);
  const row = () =>
    runInDurableObject(object, (_, { storage }) =>
      storage.sql
        .exec<{ acknowledged_at: number | null; resume_tries: number }>(
          "SELECT acknowledged_at, resume_tries FROM drives WHERE operation = ?",
          uuid,
        )
        .one(),
    );
  await until(async () => (await row()).acknowledged_at !== null);
  expect(await row()).toMatchObject({ resume_tries: 0 });
});

const minted = () => mintedOnChain(integration, collection);

describe("a wallet that can't pay", () => {
  test("is 402 with the missing amount, nothing is sent, and the draft and the key can be used again", async () => {
    const poor = await createIntegration("Poor shop");
    const draft = await createDraft(poor, { copies: [1] });
    await drain(poor.integrationUuid);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const send = () => api(`/collection-draft/${draft}/finalize`, { key: poor.key, method: "POST", headers });
    const body = await bodyOf<{ code: string; message: string; outcome: string; operation_uuid: string }>(
      await send(),
      402,
    );
    expect(body).toMatchObject({ code: "insufficient_funds", outcome: "not_submitted", retryable: true });
    expect(body.message).toMatch(/\d+ yoctoNEAR/);
    expect(body.message).toContain(poor.walletAccountId);
    const read = await bodyOf<{ state: string; operation_uuid: string | null }>(
      await api(`/collection-draft/${draft}`, { key: poor.key }),
      200,
    );
    expect(read).toMatchObject({ state: "draft", operation_uuid: null });
    const operation = await readOperation(poor.key, body.operation_uuid);
    const { request_id: _, ...refusal } = body as Record<string, unknown>;
    expect(operation).toMatchObject({
      ...{ state: "failed", transactions: [] },
      answer: { status: 402, body: { ...refusal, operation_uuid: body.operation_uuid } },
    });
    expect(Object.keys((operation.answer as { body: object }).body).toSorted()).toEqual(
      Object.keys(refusal).toSorted(),
    );
    await bodyOf(await send(), 402);
    await pay("platform", poor.walletAccountId, 10n ** 24n);
    await bodyOf(await send(), 201);
    const again = await send();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await bodyOf(again, 201);
  });
});

describe("a chain that takes longer than the caller waits", () => {
  test("is answered with 202 and the operation, which ends without the caller", async () => {
    const before = await minted();
    await setFaults({ kind: "delay", ms: 2_000, methods: ["send_tx"] });
    const { response } = await apiWith(
      { SYNC_WAIT_MS: "1" },
      `/collection/${collection.collection_uuid}/mint`,
      { key: integration.key, json: { receiver_addresses: [alice], quantity_per_receiver: 3 } },
    );
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(response, 202);
    expect(response.headers.get("x-operation-uuid")).toBe(uuid);
    const over = await operationOver<Minted>(integration.key, uuid);
    expect(over.answer?.body.tokens).toHaveLength(3);
    expect(await minted()).toBe(before + 3);
  });
});

describe("while no node can be reached", () => {
  test("a mint is refused with 503, nothing is sent, and the same key works afterwards", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    // A new object knows no block, so it has to ask.
    const object = env.WALLET.getByName(integration.integrationUuid);
    await runInDurableObject(object, (_, state) => state.abort("ended by a test")).catch(() => undefined);
    await setFaults({ kind: "down" });
    const answer = await mint(headers);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    const body = await bodyOf<{ operation_uuid: string }>(answer, 503);
    expect(body).toMatchObject({ code: "chain_unavailable", outcome: "not_submitted", retryable: true });
    await setFaults();
    expect(await readOperation(integration.key, body.operation_uuid)).toMatchObject({
      state: "failed",
      transactions: [],
    });
    let again = await mint(headers);
    while (again.status === 503) {
      await again.body?.cancel();
      again = await mint(headers);
    }
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("an operation that was sent before hasn't failed: it continues, and ends", async () => {
    const before = await minted();
    const accepted = await bodyOf<OperationResource>(await mint({ prefer: "respond-async" }), 202);
    await setFaults({ kind: "down", count: 8 });
    const over = await operationOver<Minted>(integration.key, accepted.operation_uuid);
    expect(over.answer?.body.tokens).toHaveLength(1);
    expect(await minted()).toBe(before + 1);
  });
});

describe("an acceptance that the database doesn't confirm", () => {
  const isAcceptance = (sql: string) => /insert into "operations"/i.test(sql);
  const isReading = (sql: string) => /^select .* from "operations"/is.test(sql);

  /**
   * A mint during which the database breaks: at the acceptance, and at the given number of later reads of operations.
   */
  const mintWhere = async (acceptance: Break, reads: number, headers: Record<string, string>) => {
    let left = -1;
    const DB = failingD1((sql) => {
      if (isAcceptance(sql)) {
        left = reads;
        return acceptance;
      }
      return left > 0 && isReading(sql) && left-- > 0 ? "before" : null;
    });
    const { response, background: goesOn } = await apiWith(
      { DB },
      `/collection/${collection.collection_uuid}/mint`,
      {
        key: integration.key,
        json: { receiver_addresses: [alice], quantity_per_receiver: 1 },
        headers,
      },
    );
    await goesOn();
    return response;
  };
  const IN_DOUBT = { code: "database_unavailable", outcome: "unknown", retryable: false };

  test("is looked up, and the operation continues", async () => {
    const before = await minted();
    await bodyOf(await mintWhere("after", 0, {}), 201);
    expect(await minted()).toBe(before + 1);
  });

  test("is reported as unknown with the operation's uuid if it was stored, and its key leads to it", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = await bodyOf<{ message: string; operation_uuid: string }>(
      await mintWhere("after", 1, headers),
      503,
    );
    expect(body).toMatchObject(IN_DOUBT);
    expect(body.message).toMatch(/^Don't send this as a new request/);
    expect(body.message).toContain(body.operation_uuid);
    expect(await readOperation(integration.key, body.operation_uuid)).toMatchObject({ state: "pending" });
    const again = await mint(headers);
    expect(again.headers.get("x-operation-uuid")).toBe(body.operation_uuid);
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("is reported as unknown if it was not stored: the operation doesn't exist, and the key is free", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = await bodyOf<{ operation_uuid: string }>(await mintWhere("before", 1, headers), 503);
    expect(body).toMatchObject(IN_DOUBT);
    await bodyOf(await api(`/operation/${body.operation_uuid}`, { key: integration.key }), 404);
    const again = await mint(headers);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });
});

test("an operation whose wallet is overloaded is named in the error, and carried out later", async () => {
  const before = await minted();
  const headers = { "idempotency-key": crypto.randomUUID() };
  // What the platform adds to the exception of an object with too many requests; no test can make it so busy.
  const carryOut = () => Promise.reject(Object.assign(new Error("too many requests"), { overloaded: true }));
  const WALLET = new Proxy(env.WALLET, {
    get: (wallets, name) => {
      if (name === "getByName") return () => ({ carryOut });
      const value: unknown = Reflect.get(wallets, name, wallets);
      return typeof value === "function" ? value.bind(wallets) : value;
    },
  });
  const { response } = await apiWith({ WALLET }, `/collection/${collection.collection_uuid}/mint`, {
    key: integration.key,
    json: { receiver_addresses: [alice], quantity_per_receiver: 1 },
    headers,
  });
  const told = await bodyOf<{ operation_uuid: string }>(response, 500);
  expect(told).toMatchObject({ outcome: "unknown", retryable: false });
  const again = await mint(headers);
  expect(again.headers.get("x-operation-uuid")).toBe(told.operation_uuid);
  await bodyOf(again, 201);
  expect(await minted()).toBe(before + 1);
});

test("an operation whose end the database doesn't confirm is answered with 202, and with its answer later", async () => {
  const before = await minted();
  const headers = { "idempotency-key": crypto.randomUUID() };
  // The answer of the batch that ends it is lost: the last batch with a statement on operations.
  const DB = failingD1((sql) => (/insert into "transactions"/i.test(sql) ? "after" : null));
  const restore = await setWalletBindings(integration.integrationUuid, { DB });
  const body = await bodyOf<OperationResource>(await mint(headers), 202);
  expect(body).toMatchObject({ state: "pending" });
  await restore();
  const again = await mint(headers);
  expect(again.headers.get("x-operation-uuid")).toBe(body.operation_uuid);
  expect((await bodyOf<Minted>(again, 201)).tokens).toHaveLength(1);
  expect(await minted()).toBe(before + 1);
});
