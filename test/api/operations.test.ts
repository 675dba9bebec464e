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
import { watchedLedgers } from "../support/ledgers.ts";
import {
  background,
  killedAt,
  type OperationResource,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { drain, pay } from "../support/payments.ts";
import { until } from "../support/waiting.ts";
import { endObject } from "../support/wallets.ts";

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
    const body = await bodyOf<{ code: string; message: string; outcome: string }>(await send(), 402);
    expect(body).toMatchObject({ code: "insufficient_funds", outcome: "not_submitted", retryable: true });
    expect(body.message).toMatch(/\d+ yoctoNEAR/);
    expect(body.message).toContain(poor.walletAccountId);
    const read = await bodyOf<{ state: string; operation_uuid: string | null }>(
      await api(`/collection-draft/${draft}`, { key: poor.key }),
      200,
    );
    expect(read).toMatchObject({ state: "draft", operation_uuid: null });
    expect(body).not.toHaveProperty("operation_uuid");
    expect(await bodyOf(await api("/operation?kind=finalize", { key: poor.key }), 200)).toEqual([]);
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

  test("before the first step was made refuses the write for good: nothing is sent after the answer", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    // A new object knows no block, so it has to ask.
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "delay", ms: 2_500, methods: ["block", "query"] });
    const { response } = await apiWith(
      { SYNC_WAIT_MS: "1" },
      `/collection/${collection.collection_uuid}/mint`,
      { key: integration.key, json: { receiver_addresses: [alice] }, headers },
    );
    expect(await bodyOf(response, 503)).toMatchObject({ outcome: "not_submitted", retryable: true });
    await setFaults();
    // What the drive still waits for is answered by then.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(await minted()).toBe(before);
    await bodyOf(await mint(headers), 201);
    expect(await minted()).toBe(before + 1);
  });
});

describe("while no node can be reached", () => {
  test("a mint is refused with 503, nothing is sent, and the same key works afterwards", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    // A new object knows no block, so it has to ask.
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    const answer = await mint(headers);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    const body = await bodyOf<object>(answer, 503);
    expect(body).toMatchObject({ code: "chain_unavailable", outcome: "not_submitted", retryable: true });
    expect(body).not.toHaveProperty("operation_uuid");
    await setFaults();
    let again = await mint(headers);
    while (again.status === 503) {
      await again.body?.cancel();
      again = await mint(headers);
    }
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("a refusal that is stored is answered, though the work stops right after it: a 202 would promise more", async () => {
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    const update = () =>
      api(`/collection/${collection.collection_uuid}`, {
        method: "PUT",
        key: integration.key,
        json: { description: "Refused" },
      });
    const refused = await bodyOf<OperationResource>(await killedAt("operation.after_effects", update), 503);
    expect(refused).toMatchObject({ code: "chain_unavailable", outcome: "not_submitted" });
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

describe("an acceptance that the ledger doesn't confirm", () => {
  /** A mint whose call of the ledger fails, before or after it is carried out. */
  const mintWhere = async (breaks: "before" | "after", headers: Record<string, string>) => {
    const WALLET = watchedLedgers(async (method, call) => {
      if (method !== "write") return call();
      if (breaks === "after") await call();
      throw Object.assign(new Error("the object was reset"), { overloaded: true });
    });
    const { response, background: goesOn } = await apiWith(
      { WALLET },
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

  test("is reported as unknown with the operation's uuid if it was stored, and its key leads to it", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answer = await mintWhere("after", headers);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    const body = await bodyOf<{ message: string; operation_uuid: string }>(answer, 503);
    expect(body).toMatchObject({ outcome: "unknown" });
    expect(body.message).toContain(body.operation_uuid);
    const again = await mint(headers);
    expect(again.headers.get("x-operation-uuid")).toBe(body.operation_uuid);
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("is reported as unknown if it was not stored: the operation doesn't exist, and the key is free", async () => {
    const before = await minted();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = await bodyOf<{ operation_uuid: string }>(await mintWhere("before", headers), 503);
    expect(body).toMatchObject({ outcome: "unknown" });
    await bodyOf(await api(`/operation/${body.operation_uuid}`, { key: integration.key }), 404);
    const again = await mint(headers);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });
});

test("the operator isn't told that an operation doesn't exist while a ledger that may have it doesn't answer", async () => {
  const uuid = (await mint()).headers.get("x-operation-uuid")!;
  const WALLET = watchedLedgers(async () => {
    throw Object.assign(new Error("the object was reset"), { overloaded: true });
  });
  const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}` };
  const { response } = await apiWith({ WALLET }, `/admin/v1/operation/${uuid}`, { headers });
  expect(await bodyOf(response, 503)).toMatchObject({ code: "database_unavailable", retryable: true });
});
