import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { finalAnswer } from "../support/operations.ts";
import { endObject, setWalletSettings, setWorkerSettings } from "../support/wallets.ts";

/** Two nodes of the network. The first is preferred. */
const NODES = ["/a", "/b"].map((path) => new URL(path, env.NEAR_RPC_URL).href);

let integration: TestIntegration;
let path: string;
let receiver: string;

beforeAll(async () => {
  integration = await createIntegration();
  path = `/collection/${(await createCollection(integration, { copies: [100] })).collection_uuid}`;
  [receiver] = (await createReceivers(1)) as [string];
  await setWalletSettings(integration.integrationUuid, { NEAR_RPC_URL: NODES });
  setWorkerSettings({ NEAR_RPC_URL: NODES });
  await endObject(integration.integrationUuid);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await setFaults();
});

const mint = async () => {
  const answer = await api(`${path}/mint`, {
    key: integration.key,
    json: { receiver_addresses: [receiver] },
  });
  const { status, body } = await finalAnswer<{ tokens: { token_id: string }[] }>(integration.key, answer);
  expect(status).toBe(201);
  return body;
};

const asked = async (kind: string): Promise<number> => {
  const { faults } = await chainCall<{ faults: { injected: Record<string, number> } }>("devchain_status", {});
  return Object.entries(faults.injected)
    .filter(([name]) => name.startsWith(kind))
    .reduce((sum, [, count]) => sum + count, 0);
};

test("a node that keeps returning old blocks stops no wallet and hides no token if a second node works", async () => {
  await mint();
  await setFaults({ kind: "freeze", node: "/a" }, { kind: "delay", node: "/b", ms: 1 });
  const seconds = await asked("delay");
  const { tokens } = await mint();
  expect(await asked("freeze")).toBeGreaterThan(0);
  expect(await asked("delay")).toBeGreaterThan(seconds);
  const list = await bodyOf<{ token_id: string }[]>(
    await api(`${path}/token`, { key: integration.key }),
    200,
  );
  expect(list.map(({ token_id }) => token_id)).toContain(tokens[0]!.token_id);
});

test("while the chain produces no blocks, new writes are refused and existing data can be read", async () => {
  await mint();
  await setFaults({ kind: "freeze" });
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() + 70_000);
  const send = () => api(`${path}/mint`, { key: integration.key, json: { receiver_addresses: [receiver] } });
  const refused = await send();
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await bodyOf(refused, 503)).toMatchObject({ code: "chain_unavailable", outcome: "not_submitted" });
  await bodyOf(await api(`${path}/token`, { key: integration.key }), 200);
  await setFaults();
  await mint();
});
