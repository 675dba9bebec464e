import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { balanceOf, setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { operationOver } from "../support/operations.ts";
import { newTenant } from "../support/uploads.ts";

interface Me {
  readonly integration_uuid: string;
  readonly name: string;
  readonly key: {
    readonly key_uuid: string;
    readonly name: string;
    readonly role: string;
    readonly expires_at: string | null;
  };
  readonly wallet: {
    readonly account_id: string | null;
    readonly state: string;
    readonly balance: string | null;
    readonly available: string | null;
    readonly queued: number;
  };
  readonly contracts: readonly {
    readonly contract_uuid: string;
    readonly account_id: string;
    readonly name: string | null;
    readonly symbol: string | null;
    readonly balance_free: string | null;
  }[];
  readonly network: string;
  readonly platform_fee_percent: number;
  readonly limits: Record<string, unknown> & { readonly used: Record<string, number> };
}

let shop: TestIntegration;
let collection: Finalized;
let receiver: string;

beforeAll(async () => {
  shop = await createIntegration("Heron shop");
  collection = await createCollection(shop, { copies: [200] });
  [receiver] = (await createReceivers(1)) as [string];
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await setFaults();
});

const me = async (key = shop.key): Promise<Me> => bodyOf(await api("/me", { key }), 200);
const setLimits = async (json: object) =>
  bodyOf(await admin(`/integration/${shop.integrationUuid}/limits`, { method: "PUT", json }), 200);
const mint = (more: object = {}, headers: Record<string, string> = {}) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [receiver], ...more },
    headers,
  });

/** Limits of an integration for which the operator has set no others. */
const defaultLimits = async (): Promise<object> => {
  const other = await newTenant();
  const { used: _used, ...limits } = await bodyOf<{ used: object }>(
    await admin(`/integration/${other.integrationId}/limits`),
    200,
  );
  return limits;
};

describe("GET /me", () => {
  test("shows the key's rights, limits, wallet and contracts", async () => {
    const own = await createIntegration("Egret shop");
    const draft = await createDraft(own, { copies: [1] });
    const answer = await me(own.key);
    expect(answer).toMatchObject({
      integration_uuid: own.integrationUuid,
      name: "Egret shop",
      key: { name: "full", role: "full", expires_at: null },
      wallet: { account_id: own.walletAccountId, state: "active", unpaid_sales: "0", queued: 0 },
      contracts: [
        {
          contract_uuid: own.contractUuid,
          account_id: own.contractAccountId,
          name: "Test contract",
          symbol: "TEST",
        },
      ],
      network: "devchain",
      platform_fee_percent: 5,
      limits: {
        ...(await defaultLimits()),
        period_s: 10,
        spending_per_day: null,
        used: { drafts: 1, keys: 2, operations_waiting: 0 },
      },
    });
    expect(BigInt(answer.wallet.balance ?? 0)).toBe(await balanceOf(own.walletAccountId));
    expect(BigInt(answer.wallet.available ?? 0)).toBeGreaterThan(0n);
    expect(BigInt(answer.wallet.available ?? 0)).toBeLessThanOrEqual(BigInt(answer.wallet.balance ?? 0));
    expect(BigInt(answer.contracts[0]?.balance_free ?? 0)).toBeGreaterThan(0n);
    expect(answer.limits.used.stored_bytes).toBeGreaterThan(0);
    await bodyOf(await api(`/collection-draft/${draft}`, { key: own.key }), 200);
  });

  test("may be called with a read key, and shows that key", async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const issued = await bodyOf<{ api_key: string; key_uuid: string }>(
      await admin(`/integration/${shop.integrationUuid}/key`, {
        json: { name: "Reader", role: "read", expires_at: expires },
      }),
      201,
    );
    const { key } = await me(issued.api_key);
    expect(key).toEqual({
      ...{ key_uuid: issued.key_uuid, name: "Reader", role: "read", scopes: ["read"], collections: null },
      ...{ spending_per_day: null, confirm_above: null, expires_at: expires, spent_today: null },
    });
  });

  test("shows what is left for a new write while others wait", async () => {
    const before = await me();
    // The node takes nothing, so the amount stays reserved.
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const accepted = await bodyOf<{ operation_uuid: string }>(
      await mint({}, { prefer: "respond-async" }),
      202,
    );
    const waiting = await me();
    expect(BigInt(waiting.wallet.available ?? 0)).toBeLessThan(BigInt(before.wallet.available ?? 0));
    expect(waiting.limits.used.operations_waiting).toBe(1);
    await setFaults();
    await operationOver(shop.key, accepted.operation_uuid);
    expect((await me()).limits.used.operations_waiting).toBe(0);
  });

  test("reads nodes once in five seconds, unless the wallet has changed", async () => {
    vi.setSystemTime(Date.now() + 6_000);
    const before = await me();
    await setFaults({ kind: "down", methods: ["query"] });
    const again = await Promise.all([me(), me(shop.readKey)]);
    for (const answer of again) {
      expect(answer.wallet).toEqual(before.wallet);
      expect(answer.contracts).toEqual(before.contracts);
    }
    const other = await me((await newTenant()).key);
    expect(other).toMatchObject({
      wallet: { balance: null },
      contracts: [{ name: null, balance_free: null }],
    });
    await setFaults();
    await bodyOf(await mint(), 201);
    const minted = await me();
    expect(BigInt(minted.wallet.balance ?? 0)).toBeLessThan(BigInt(before.wallet.balance ?? 0));
  });

  test("has null for data of the chain while no node answers", async () => {
    const own = await createIntegration("Swan shop");
    await me(own.key);
    await setFaults({ kind: "down" });
    vi.setSystemTime(Date.now() + 6_000);
    const { wallet, contracts, limits } = await me(own.key);
    expect(wallet).toMatchObject({ account_id: own.walletAccountId, balance: null, available: null });
    expect(contracts).toEqual([
      {
        contract_uuid: own.contractUuid,
        account_id: own.contractAccountId,
        name: null,
        symbol: null,
        balance_free: null,
      },
    ]);
    expect(limits).toMatchObject(await defaultLimits());
  });

  test("reports that there is no wallet yet, and shows nothing of other integrations", async () => {
    const other = await newTenant();
    const answer = await me(other.key);
    expect(answer).toMatchObject({
      integration_uuid: other.integrationId,
      wallet: {
        account_id: null,
        state: "empty",
        balance: null,
        available: null,
        unpaid_sales: "0",
        queued: 0,
      },
    });
    expect(JSON.stringify(answer)).not.toContain(shop.contractUuid);
    expect(JSON.stringify(answer)).not.toContain(shop.walletAccountId);
  });

  test("shows no secret, and requires a key", async () => {
    const text = JSON.stringify(await me());
    expect(text).not.toContain(shop.key);
    expect(text).not.toMatch(/mk_live_|digest|secret|ed25519:/);
    await bodyOf(await api("/me"), 401);
    await bodyOf(await api("/me", { key: `mk_live_${"a".repeat(43)}` }), 401);
    await bodyOf(await api("/me", { key: shop.key, method: "POST", json: {} }), 405);
  });
});

describe("operations that wait", () => {
  test("never exceed their limit, however many are sent at once, and are refused with Retry-After", async () => {
    await setLimits({ operations_waiting: 5 });
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const sent = await Promise.all(Array.from({ length: 20 }, () => mint({}, { prefer: "respond-async" })));
    const accepted = await Promise.all(
      sent
        .filter(({ status }) => status === 202)
        .map((answer) => bodyOf<{ operation_uuid: string }>(answer, 202)),
    );
    expect(accepted).toHaveLength(5);
    for (const refused of sent.filter(({ status }) => status !== 202)) {
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(await bodyOf(refused, 429)).toMatchObject({
        code: "too_many_operations",
        outcome: "not_submitted",
        retryable: true,
        quota: { limit: "operations_waiting", used: 5, max: 5 },
        message: expect.stringMatching(/5 operations.*operator/),
      });
    }
    await setFaults();
    for (const { operation_uuid } of accepted) await operationOver(shop.key, operation_uuid);
    await bodyOf(await mint(), 201);
    await setLimits({ operations_waiting: null });
  });
});

describe("files that are fetched by their address", () => {
  test("count towards the limit, and are refused above it before anything is sent", async () => {
    const draft = await createDraft(shop, { copies: [1] });
    const [asset] = await bodyOf<{ asset_cid: string; asset_size: number }[]>(
      await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
      200,
    );
    const metadata = { asset_file_url: `http://mintage.test/ipfs/${asset?.asset_cid}` };
    const before = (await me()).limits.used.stored_bytes ?? 0;
    await setLimits({ stored_bytes: before + (asset?.asset_size ?? 0) - 1 });
    const minted = async () =>
      (
        await bodyOf<{ minted: number }>(
          await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
          200,
        )
      ).minted;
    const tokens = await minted();
    const refused = await bodyOf<{ quota: object }>(await mint({ metadata }), 403);
    expect(refused.quota).toMatchObject({ limit: "stored_bytes", used: before });
    expect((await me()).limits.used).toMatchObject({ stored_bytes: before, operations_waiting: 0 });
    expect(await minted()).toBe(tokens);
    await setLimits({ stored_bytes: null });
    await bodyOf(await mint({ metadata }), 201);
    expect((await me()).limits.used.stored_bytes).toBe(before + (asset?.asset_size ?? 0));
  });
});
