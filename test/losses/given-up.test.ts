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
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import {
  background,
  killedAt,
  type OperationResource,
  observeCheckpoints,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { intent, walletOf } from "../support/own-wallets.ts";
import { until } from "../support/waiting.ts";
import { endObject } from "../support/wallets.ts";

/**
 * Between acceptance and first step, its request may give an operation up, and a 202 may promise it to a caller.
 * Never both, whatever is slow, fails or is killed.
 */

let integration: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, { copies: [200] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(async () => {
  observeCheckpoints(null);
  await setFaults();
});

/** Milliseconds until it is clear that no node answers. */
const slowlyDown = (ms: number) => setFaults({ kind: "delay", ms }, { kind: "reply_lost" });

const mintRequest = (key: string, headers: Record<string, string> = {}) => ({
  key: integration.key,
  json: { receiver_addresses: [alice], reference: key },
  headers: { "idempotency-key": key, ...headers },
});
const path = () => `/collection/${collection.collection_uuid}/mint`;

/** The operation of a request that was accepted under a key; undefined: none was. */
const operationOf = async (key: string): Promise<string | undefined> => {
  const answer = await api("/operation?kind=mint", { key: integration.key });
  const listed = await bodyOf<{ operation_uuid: string; reference: string | null }[]>(answer, 200);
  return listed.find(({ reference }) => reference === key)?.operation_uuid;
};

/** Waits until a request of a key has been accepted. */
const accepted = (key: string): Promise<void> => until(async () => (await operationOf(key)) !== undefined);

const minted = () => mintedOnChain(integration, collection);

describe("an operation that was answered with 202", () => {
  test("is carried out even if no node takes its first step afterwards", async () => {
    const before = await minted();
    const key = crypto.randomUUID();
    await endObject(integration.integrationUuid);
    await slowlyDown(2_500);
    const { response, background: goesOn } = await apiWith({ SYNC_WAIT_MS: "1" }, path(), mintRequest(key));
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(response, 202);
    await goesOn();
    expect(await readOperation(integration.key, uuid)).toMatchObject({ state: "pending" });
    await setFaults();
    await background.resume(uuid);
    expect(await operationOver(integration.key, uuid)).toMatchObject({
      state: "succeeded",
      answer: { status: 201 },
    });
    const again = await api(path(), mintRequest(key));
    expect(again.headers.get("x-operation-uuid")).toBe(uuid);
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("for a second request under its key is carried out, even if the first request finds no node", async () => {
    const before = await minted();
    const key = crypto.randomUUID();
    await endObject(integration.integrationUuid);
    await slowlyDown(9_000);
    const first = api(path(), mintRequest(key));
    await accepted(key);
    const { response } = await apiWith({ SYNC_WAIT_MS: "1" }, path(), mintRequest(key));
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(response, 202);
    await setFaults();
    const answer = await first;
    expect(answer.headers.get("x-operation-uuid")).toBe(uuid);
    await bodyOf(answer, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("waits for the chain if its request was killed, and no other request gives it up", async () => {
    const key = crypto.randomUUID();
    const killed = await killedAt("operation.accepted", () => api(path(), mintRequest(key)));
    await bodyOf(killed, 500);
    const uuid = (await operationOf(key))!;
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    await background.resume(uuid);
    expect(await readOperation(integration.key, uuid)).toMatchObject({ state: "pending" });
    await setFaults();
    await background.resume(uuid);
    expect(await operationOver(integration.key, uuid)).toMatchObject({ state: "succeeded" });
  });

  test("stays pending if it is resumed while no node answers", async () => {
    const before = await minted();
    const key = crypto.randomUUID();
    const killed = await killedAt("operation.before_submit", () => api(path(), mintRequest(key)));
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(killed, 202);
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    await background.resume(uuid);
    expect(await readOperation(integration.key, uuid)).toMatchObject({ state: "pending" });
    await setFaults();
    await background.resume(uuid);
    expect(await operationOver(integration.key, uuid)).toMatchObject({ state: "succeeded" });
    expect(await minted()).toBe(before + 1);
  });
});

describe("an operation that is given up because no node answers", () => {
  /** The wallet's answer to a step of an operation. */
  const submit = (operationUuid: string) =>
    walletOf(integration.integrationUuid).submit(
      intent([{ kind: "transfer", deposit: "1" }], alice, operationUuid, "mint"),
    );

  test("is not carried out by its wallet afterwards", async () => {
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    const answer = await api(path(), mintRequest(crypto.randomUUID()));
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 503);
    await setFaults();
    expect(await submit(uuid)).toEqual({ status: "withdrawn" });
  });

  test("and killed before its wallet knows is answered with 202, and carried out once a node answers", async () => {
    const before = await minted();
    const key = crypto.randomUUID();
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    const answer = await killedAt("operation.before_withdraw", () => api(path(), mintRequest(key)));
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
    await setFaults();
    const again = await api(path(), mintRequest(key));
    expect(again.headers.get("x-operation-uuid")).toBe(uuid);
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });

  test("is never answered with 202, even if its end can't be stored", async () => {
    const before = await minted();
    const key = crypto.randomUUID();
    await endObject(integration.integrationUuid);
    await setFaults({ kind: "down" });
    const killed = await killedAt("operation.before_effects", () => api(path(), mintRequest(key)));
    const body = await bodyOf<{ operation_uuid: string }>(killed, 500);
    expect(body).toMatchObject({ code: "internal_error", outcome: "unknown", retryable: false });
    const { operation_uuid: uuid } = body;
    await setFaults();
    // The wallet takes no step of it any more. The next request finds that out and says so.
    const told = await bodyOf(await api(path(), mintRequest(key)), 503);
    expect(told).toMatchObject({ outcome: "not_submitted", operation_uuid: uuid });
    const again = await api(path(), mintRequest(key));
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
    expect(await minted()).toBe(before + 1);
  });
});
