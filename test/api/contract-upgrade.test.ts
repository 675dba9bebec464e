import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
// Inside: what an owner calls without the service.
import { announceUpgrade, upgradeContract } from "../../src/chain/contract/calls.ts";
import { uuidFromBytes } from "../../src/domain/ids.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { balanceOf, chainCall } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import {
  adopt,
  type ContractResource,
  deployFormer,
  withdrawAll,
  withFormer,
} from "../support/former-contract.ts";
import { inLedgers } from "../support/ledgers.ts";
import {
  background,
  firstPasses,
  killAt,
  OPERATION_POINTS,
  type OperationResource,
  observeCheckpoints,
} from "../support/operations.ts";
import { drain, pay, sendFrom } from "../support/payments.ts";

interface Plan {
  readonly state: string;
  readonly obstacle: string | null;
  readonly code_hash: string;
  readonly layout: number;
  readonly new_code_hash: string;
  readonly collections: number;
  readonly transactions: number;
  readonly publish: boolean;
  readonly publish_cost: string;
  readonly top_up: string;
  readonly fees: string;
  readonly wallet: { readonly account_id: string; readonly available: string; readonly missing: string };
}
interface Upgraded extends ContractResource {
  readonly earliest_height: number | null;
  readonly tx_results: readonly { readonly gas_burnt: string; readonly receiver_id: string }[];
}

const NEAR = 10n ** 24n;

afterEach(() => observeCheckpoints(null));

const planOf = async (uuid: string) => bodyOf<Plan>(await admin(`/contract/${uuid}/upgrade`), 200);
const upgrade = (uuid: string) => admin(`/contract/${uuid}/upgrade`, { method: "POST" });
const upgraded = async (uuid: string) => bodyOf<Upgraded>(await upgrade(uuid), 200);
const moneyOf = async ({ contractAccountId }: TestIntegration) => {
  const balance = await view<{ missing: string; free: string }>(
    env.NEAR_RPC_URL,
    contractAccountId,
    "contract_balance",
  );
  return { missing: BigInt(balance.missing), isMuchFree: BigInt(balance.free) > NEAR / 20n };
};
/** Announces and switches a contract of the platform's own. */
const switchTo = async (accountId: string, codeHash: string) => {
  const code = Buffer.from(codeHash, "hex");
  await sendFrom("platform", accountId, [announceUpgrade(code)]);
  await sendFrom("platform", accountId, [upgradeContract(code)]);
};
const mint = (shop: TestIntegration, collection: Finalized, receivers: readonly string[]) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: receivers, quantity_per_receiver: 2 },
  });

const operationsOf = async (subject: string, kind: string) => {
  // Inside: no list has operations of the platform by what they are about.
  const results = await inLedgers<{ id: string; state: string }>(
    "SELECT hex(id) AS id, state FROM operations WHERE kind = ? AND hex(subject_id) = ? ORDER BY rowid",
    kind,
    subject.replaceAll("-", "").toUpperCase(),
  );
  return Promise.all(
    results.map(async ({ id }) =>
      bodyOf<OperationResource>(await admin(`/operation/${uuidFromBytes(Buffer.from(id, "hex"))}`), 200),
    ),
  );
};

/** The first upgrades of all, at once. */
const firstUpgrades = async () => {
  const { integration_uuid: uuid, wallet_account_id: owner } = await bodyOf<{
    integration_uuid: string;
    wallet_account_id: string;
  }>(await admin("/integration", { json: { name: "First upgrade" } }), 201);
  const contracts = await Promise.all([1, 2].map(async () => adopt(uuid, await deployFormer({ owner }))));
  const plans = await Promise.all(contracts.map(({ contract_uuid }) => planOf(contract_uuid)));
  const before = await balanceOf(env.PLATFORM_ACCOUNT_ID);
  const answers = await Promise.all(contracts.map(({ contract_uuid }) => upgraded(contract_uuid)));
  return { contracts, plans, answers, paid: before - (await balanceOf(env.PLATFORM_ACCOUNT_ID)) };
};

let first: Awaited<ReturnType<typeof firstUpgrades>>;

beforeAll(async () => {
  first = await firstUpgrades();
});

describe("new contract code", () => {
  test("is published once, by the platform, when the first contract is upgraded", async () => {
    const { contracts, plans, answers, paid } = first;
    const cost = BigInt(plans[0]!.publish_cost);
    expect(plans).toMatchObject([{ publish: true }, { publish: true }]);
    expect(cost).toBeGreaterThan(15n * NEAR);
    expect(answers.map(({ code_hash }) => code_hash)).toEqual(plans.map((plan) => plan.new_code_hash));
    expect(paid).toBeGreaterThanOrEqual(cost);
    expect(paid).toBeLessThan(cost + NEAR);
    expect(await planOf(contracts[0]!.contract_uuid)).toMatchObject({
      state: "current",
      publish: false,
      top_up: "0",
      transactions: 0,
    });
  });
});

describe("a contract of the previous release", () => {
  let shop: TestIntegration;
  let alice: string;
  let bob: string;

  beforeAll(async () => {
    shop = await createIntegration("Upgrades");
    await pay("platform", shop.walletAccountId, 500n * NEAR);
    [alice, bob] = (await createReceivers(2)) as [string, string];
  });

  const key = () => ({ key: shop.key });
  const read = async (path: string) => bodyOf<unknown>(await api(path, key()), 200);

  type Seen = Record<string, unknown>;

  /** A record of the chain without the fields that the release adds. */
  const withFieldsOf = (now: unknown, before: unknown): unknown => {
    if (Array.isArray(now) && Array.isArray(before))
      return now.map((item, index) => withFieldsOf(item, before[index]));
    const fields = Object.keys(before as Seen);
    return Object.fromEntries(Object.entries(now as Seen).filter(([field]) => fields.includes(field)));
  };
  const asBefore = (now: Seen, before: Seen): Seen => {
    const { chain, assets, standard } = before;
    return {
      ...now,
      chain: withFieldsOf(now.chain, chain),
      assets: withFieldsOf(now.assets, assets),
      standard: withFieldsOf(now.standard, standard),
    };
  };

  /** Everything that the API and the contract's standard views show of a collection. */
  const seen = async (old: TestIntegration, { collection_uuid: uuid, near_collection }: Finalized) => {
    const chain = (method: string, args: object) =>
      view<unknown>(env.NEAR_RPC_URL, old.contractAccountId, method, args);
    const { collection_id } = near_collection;
    const allowlisted = async (account: string) =>
      bodyOf(
        await api(`/collection/${uuid}/allowlist-checkaccount`, {
          ...key(),
          method: "PUT",
          json: { account },
        }),
        200,
      );
    const { updated_at, ...collection } = (await read(`/collection/${uuid}`)) as Record<string, unknown>;
    return {
      collection,
      tokens: await read(`/collection/${uuid}/token`),
      listed: [await allowlisted(alice), await allowlisted(bob)],
      chain: await chain("collection", { collection_id }),
      assets: await chain("collection_assets", { collection_id }),
      standard: await chain("nft_tokens", {}),
      payout: await chain("nft_payout", { token_id: `${collection_id}:1`, balance: "10000" }),
    };
  };

  /** A collection in use: settings of every kind, tokens with their own metadata, an allowlist. */
  const inUse = async (old: TestIntegration): Promise<Finalized> => {
    const collection = await createCollection(old, {
      copies: [40, 3, 40],
      references: true,
      subtitle: "#$TOKEN_NUM",
      settings: {
        description: "Of before",
        public_mint_config: { mint_fee: `${NEAR}`, limit_per_account: 5 },
        private_mint_config: { mint_fee: "0", limit_per_account: 2 },
        initial_royalties: { [alice]: 10 },
        ongoing_royalties: { [bob]: 7.5 },
        bypass_mint_fee_accounts: [bob],
        transfers_denied_accounts: [bob],
      },
    });
    const uuid = collection.collection_uuid;
    await bodyOf(await mint(old, collection, [alice, bob]), 201);
    await bodyOf(
      await api(`/collection/${uuid}/mint`, {
        ...key(),
        json: { receiver_addresses: [alice], metadata: { title: "Its own", extra: '{"n":1}' } },
      }),
      201,
    );
    const list = { ...key(), method: "PUT", json: { accounts: [alice] } };
    await bodyOf(await api(`/collection/${uuid}/allowlist-add`, list), 200);
    return collection;
  };

  test("is adopted unchanged, and works", async () => {
    const old = await withFormer(shop);
    const collection = await inUse(old);
    const list = await bodyOf<{ contract_uuid: string; is_current: boolean }[]>(
      await admin("/contract"),
      200,
    );
    expect(list.find(({ contract_uuid }) => contract_uuid === old.contractUuid)?.is_current).toBe(false);
    expect(list.find(({ contract_uuid }) => contract_uuid === shop.contractUuid)?.is_current).toBe(true);
    const changes = { ...key(), method: "PUT", json: { title: "New" } };
    await bodyOf(await api(`/collection/${collection.collection_uuid}`, changes), 200);
  });

  test("has its upgrade announced, and is upgraded once its delay is over", async () => {
    const old = await withFormer(shop, { delayBlocks: 40 });
    const collection = await inUse(old);
    const before = await seen(old, collection);
    const announced = await upgraded(old.contractUuid);
    const { new_code_hash: hash, ...plan } = await planOf(old.contractUuid);
    expect(announced.earliest_height).toBeGreaterThan(0);
    const shown = await view<object>(env.NEAR_RPC_URL, old.contractAccountId, "contract_upgrade");
    expect(shown).toMatchObject({ locked: false, earliest_height: announced.earliest_height });
    // Until then it is what it was, and asking again sends nothing.
    expect(plan).toMatchObject({
      state: "blocked",
      obstacle: expect.stringContaining(`${announced.earliest_height}`),
    });
    await bodyOf(await upgrade(old.contractUuid), 409);
    expect(await seen(old, collection)).toEqual(before);
    await chainCall("devchain_advance", { blocks: 45 });
    expect(await planOf(old.contractUuid)).toMatchObject({ state: "ready" });
    const done = await upgraded(old.contractUuid);
    expect(done).toMatchObject({ earliest_height: null, code_hash: hash });
    expect(done.tx_results).toHaveLength(1);
    expect(await planOf(old.contractUuid)).toMatchObject({ state: "current" });
    expect(asBefore(await seen(old, collection), before)).toEqual(before);
  });

  test("keeps its code once that is locked", async () => {
    const old = await withFormer(shop);
    const { near_collection } = await inUse(old);
    await sendFrom(shop.integrationUuid, old.contractAccountId, [
      {
        kind: "function_call",
        method: "collection_lock",
        args: new TextEncoder().encode(
          JSON.stringify({ collection_id: near_collection.collection_id, locks: ["code"] }),
        ),
        gas: `${30n * 10n ** 12n}`,
        deposit: "1",
      },
    ]);
    expect(await planOf(old.contractUuid)).toMatchObject({
      state: "blocked",
      obstacle: expect.stringContaining("locked"),
    });
    await bodyOf(await upgrade(old.contractUuid), 409);
  });

  test("is upgraded with all its data, for at most the cost of the dry run", async () => {
    const old = await withFormer(shop);
    const collection = await inUse(old);
    await withdrawAll(old);
    const before = await seen(old, collection);
    const plan = await planOf(old.contractUuid);
    expect(plan).toMatchObject({
      state: "ready",
      obstacle: null,
      layout: 6,
      collections: 1,
      transactions: 4,
      publish: false,
      wallet: { account_id: shop.walletAccountId, missing: "0" },
    });
    const money = await balanceOf(shop.walletAccountId);
    const answer = await upgraded(old.contractUuid);
    expect(answer).toMatchObject({ account_id: old.contractAccountId, code_hash: plan.new_code_hash });
    expect(money - (await balanceOf(shop.walletAccountId))).toBeLessThanOrEqual(
      BigInt(plan.top_up) + BigInt(plan.fees),
    );
    expect(await moneyOf(old)).toEqual({ missing: 0n, isMuchFree: false });
    expect(asBefore(await seen(old, collection), before)).toEqual(before);
    expect(await planOf(old.contractUuid)).toMatchObject({ state: "current", top_up: "0", fees: "0" });
    expect(await upgraded(old.contractUuid)).toMatchObject({ tx_results: [] });

    const uuid = collection.collection_uuid;
    const minted = await bodyOf<{ tokens: { token_id: string }[] }>(await mint(old, collection, [bob]), 201);
    const token = { token_id: minted.tokens[0]!.token_id, title: "New" };
    await bodyOf(await api(`/collection/${uuid}/nft-update`, { ...key(), method: "PUT", json: token }), 200);
    const changes = { ...key(), method: "PUT", json: { title: "Newer" } };
    expect(await bodyOf(await api(`/collection/${uuid}`, changes), 200)).toMatchObject({ title: "Newer" });
    const list = { ...key(), method: "PUT", json: { accounts: [bob] } };
    await bodyOf(await api(`/collection/${uuid}/allowlist-add`, list), 200);
    await bodyOf(await api(`/collection/${uuid}/allowlist-clear`, { ...key(), method: "PUT" }), 200);
    await createCollection(old);
  });

  /**
   * Kills an upgrade's request at a point, and then some of those that resume it. Returns the upgrade's operations.
   */
  const upgradedThroughKills = async (old: TestIntegration, point: string, kills: number) => {
    killAt(point, firstPasses(kills));
    await (await upgrade(old.contractUuid)).body?.cancel();
    // Each run of the schedule is a minute after the last one, which has looked at the operation.
    for (let later = 60_000; ; later += 60_000) {
      const operations = await operationsOf(old.contractUuid, "contract_upgrade");
      if (operations.some(({ state }) => state !== "pending")) {
        observeCheckpoints(null);
        return operations;
      }
      await background.reconcile(later);
    }
  };

  test.each(OPERATION_POINTS)(
    "is upgraded once even if all who work on it are killed at %s",
    async (point) => {
      const old = await withFormer(shop);
      const collection = await inUse(old);
      await withdrawAll(old);
      // The comparison with the chain counts each phase's list.
      await background.reconcile(60_000);
      const before = await seen(old, collection);
      const operations = await upgradedThroughKills(old, point, 4);
      expect(operations).toMatchObject([{ state: "succeeded", answer: { status: 200 } }]);
      const [{ transactions }] = operations as [(typeof operations)[number]];
      // A payment unless the schedule has made it, the announcement, the switch.
      expect(transactions.every(({ status }) => status === "success")).toBe(true);
      expect([2, 3]).toContain(transactions.length);
      // D1 has its end within seconds.
      await expect.poll(() => planOf(old.contractUuid)).toMatchObject({ state: "current" });
      expect(asBefore(await seen(old, collection), before)).toEqual(before);
      await bodyOf(await mint(old, collection, [alice]), 201);
    },
  );

  test("accepts mints while it is upgraded, without money of its own", async () => {
    const old = await withFormer(shop);
    const collection = await inUse(old);
    await withdrawAll(old);
    const [answer, ...minted] = await Promise.all([
      upgrade(old.contractUuid),
      ...Array.from({ length: 8 }, () => mint(old, collection, [alice])),
    ]);
    await bodyOf(answer!, 200);
    for (const one of minted) await bodyOf(one, 201);
    expect(await moneyOf(old)).toMatchObject({ missing: 0n });
  });

  test("isn't upgraded if somebody else owns it, and is completed after that owner has switched it", async () => {
    const accountId = await deployFormer({ owner: env.PLATFORM_ACCOUNT_ID, adminId: shop.walletAccountId });
    const { contract_uuid: contractUuid } = await adopt(shop.integrationUuid, accountId);
    await createCollection({ ...shop, contractUuid, contractAccountId: accountId });
    const plan = await planOf(contractUuid);
    expect(plan).toMatchObject({
      state: "blocked",
      obstacle: expect.stringContaining(env.PLATFORM_ACCOUNT_ID),
    });
    const refused = await bodyOf<{ message: string }>(await upgrade(contractUuid), 409);
    expect(refused).toMatchObject({ code: "conflict", message: plan.obstacle });
    await switchTo(accountId, plan.new_code_hash);
    expect(await planOf(contractUuid)).toMatchObject({ state: "ready", layout: 6 });
    expect((await upgraded(contractUuid)).code_hash).toBe(plan.new_code_hash);
    expect(await planOf(contractUuid)).toMatchObject({ state: "current" });
  });

  test("isn't upgraded if the integration's wallet can't pay", async () => {
    const poor = await createIntegration("Poor");
    const old = await withFormer(poor);
    await drain(poor.integrationUuid);
    const plan = await planOf(old.contractUuid);
    expect(BigInt(plan.wallet.missing)).toBeGreaterThan(0n);
    expect(await bodyOf(await upgrade(old.contractUuid), 402)).toMatchObject({
      code: "insufficient_funds",
      outcome: "not_submitted",
      message: expect.stringContaining(plan.wallet.account_id),
    });
    expect(await operationsOf(old.contractUuid, "contract_upgrade")).toEqual([]);
    await pay("platform", poor.walletAccountId, 5n * NEAR);
    await upgraded(old.contractUuid);
  });

  test("is upgraded by the operator only, and an unknown contract is refused", async () => {
    const path = `/contract/${crypto.randomUUID()}/upgrade`;
    await bodyOf(await admin(path), 404);
    await bodyOf(await admin(path, { method: "POST" }), 404);
    await bodyOf(await admin("/contract/1/upgrade"), 400);
    for (const method of ["GET", "POST"]) {
      const headers = { authorization: `Api-Key ${shop.key}` };
      const asked = await api(`/admin/v1/contract/${shop.contractUuid}/upgrade`, { method, headers });
      expect(await bodyOf(asked, 401)).toMatchObject({ code: "admin_token_invalid" });
    }
  });
});
