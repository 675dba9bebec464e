import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { account } from "../support/chain.ts";
import { headHeight, setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { until } from "../support/waiting.ts";

/** Answers come from a node that is six seconds behind, so it doesn't show the latest changes. */
const LAG = { kind: "lag", blocks: 240, methods: ["query"] };

/** Answers come from a node that stands still at a height, however long the test takes. */
const stillAt = (height: number) => ({ kind: "freeze", methods: ["query"], height });

let integration: TestIntegration;
let path: string;
let alice: string;

beforeAll(async () => {
  integration = await createIntegration();
  path = `/collection/${(await createCollection(integration, { copies: [100] })).collection_uuid}`;
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(() => setFaults());

interface Token {
  readonly token_id: string;
  readonly metadata: { readonly extra: string | null };
}

const call = (method: string, at: string, json?: unknown, key?: string) =>
  api(at, { key: integration.key, method, json, ...(key && { headers: { "idempotency-key": key } }) });

const mint = async () =>
  (
    await bodyOf<{ tokens: Token[] }>(
      await call("POST", `${path}/mint`, { receiver_addresses: [alice] }),
      201,
    )
  ).tokens[0]!;

const LAGS = { code: "chain_unavailable", retryable: true, outcome: "not_submitted" };

test("a token that was just minted is never reported as missing, and the same request succeeds later", async () => {
  const before = await headHeight();
  const { token_id } = await mint();
  const update = () => call("PUT", `${path}/nft-update`, { token_id, extra: '"new"' }, "update-1");
  await setFaults(stillAt(before));
  const refused = await update();
  expect(refused.headers.get("retry-after")).toBe("2");
  expect(await bodyOf(refused, 503)).toMatchObject(LAGS);
  await setFaults();
  expect((await bodyOf<{ token: Token }>(await update(), 200)).token.metadata.extra).toBe('"new"');
});

test("the answer of an update shows the update, even if nodes lag", async () => {
  const { token_id } = await mint();
  const pending = call("PUT", `${path}/nft-update`, { token_id, extra: '"later"' });
  const storm = setInterval(() => void setFaults({ ...LAG, probability: 0.5 }), 100);
  try {
    expect((await bodyOf<{ token: Token }>(await pending, 200)).token.metadata.extra).toBe('"later"');
  } finally {
    clearInterval(storm);
  }
});

test("an account that was just created is not reported as missing", async () => {
  const [fresh] = (await createReceivers(1)) as [string];
  await until(async () => (await account(env.NEAR_RPC_URL, fresh)) !== null);
  await setFaults({ ...LAG, blocks: 9, count: 1 });
  await bodyOf(await call("PUT", path, { ongoing_royalties: { [fresh]: 5 } }), 200);
});

test("lists and checks wait for a node with the latest change, and otherwise report that none has it", async () => {
  const before = await headHeight();
  const { token_id } = await mint();
  await bodyOf(await call("PUT", `${path}/allowlist-add`, { accounts: [alice] }), 200);
  const reads = [
    () => call("GET", `${path}/token`),
    () => call("PUT", `${path}/allowlist-checkaccount`, { account: alice }),
    () => call("GET", `${path}/eligibility/${alice}`),
  ] as const;
  await setFaults(stillAt(before));
  for (const read of reads) expect(await bodyOf(await read(), 503)).toMatchObject(LAGS);
  await setFaults({ ...stillAt(before), count: 1 });
  const tokens = await bodyOf<Token[]>(await reads[0](), 200);
  expect(tokens.map((token) => token.token_id)).toContain(token_id);
  await setFaults({ ...stillAt(before), count: 1 });
  expect(await bodyOf(await reads[1](), 200)).toEqual({ is_allowlisted: true });
});
