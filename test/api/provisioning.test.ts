import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
// Inside: no request stores a second key of a wallet.
import { storeWalletKey } from "../../src/db/queries/provisioning.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { admin, api, bodyOf, createIntegration, type TestIntegration, walletReady } from "../support/api.ts";
import { account, view } from "../support/chain.ts";
import { chainCall } from "../support/chain-control.ts";
import { forgetContract } from "../support/database.ts";
import { deployFormer } from "../support/former-contract.ts";
import { inLedger } from "../support/ledgers.ts";
import {
  background,
  firstPass,
  killAt,
  killedAt,
  type OperationResource,
  observeCheckpoints,
  serviceContext,
} from "../support/operations.ts";
import { walletOf } from "../support/own-wallets.ts";
import { pay } from "../support/payments.ts";
import { until } from "../support/waiting.ts";
import { endObject, loseObject } from "../support/wallets.ts";

interface Contract {
  readonly contract_uuid: string;
  readonly account_id: string;
  readonly code_hash: string;
  readonly state: string;
}
interface Failed {
  readonly code: string;
  readonly message: string;
  readonly operation_uuid: string;
}

let integration: TestIntegration;
let first: Awaited<ReturnType<typeof deployFirst>>;

beforeAll(async () => {
  first = await deployFirst();
  integration = await createIntegration();
});
afterEach(() => observeCheckpoints(null));

const deploy = (uuid: string, name = "Herons") =>
  admin(`/integration/${uuid}/contract`, { json: { name, symbol: "HERON" } });
const contracts = async (uuid: string) =>
  bodyOf<Contract[]>(await admin(`/integration/${uuid}/contract`), 200);
const keysOf = async (accountId: string) => {
  const params = { request_type: "view_access_key_list", finality: "final", account_id: accountId };
  return (await chainCall<{ keys: unknown[] }>("query", params)).keys;
};
const operationOf = async (uuid: string) =>
  bodyOf<OperationResource<Contract>>(await admin(`/operation/${uuid}`), 200);

/** Three deployments at once, before which no code is published. */
const deployFirst = async () => {
  const { integration_uuid: uuid, wallet_account_id: wallet } = await bodyOf<{
    integration_uuid: string;
    wallet_account_id: string;
  }>(await admin("/integration", { json: { name: "First shop" } }), 201);
  await walletReady(uuid);
  return { uuid, wallet, answers: await Promise.all([deploy(uuid), deploy(uuid), deploy(uuid)]) };
};

describe("a first deployment", () => {
  test("publishes the code once for concurrent requests", async () => {
    const { uuid, wallet, answers } = first;
    const deployed = await Promise.all(answers.map((answer) => bodyOf<Contract>(answer, 201)));
    expect(new Set(deployed.map(({ account_id }) => account_id)).size).toBe(3);
    const operations = await Promise.all(
      answers.map((answer) => operationOf(answer.headers.get("x-operation-uuid")!)),
    );
    // Only the publication is sent to the platform's own account.
    const published = operations.flatMap(({ transactions }) =>
      (transactions as unknown as { receiver_id: string }[]).filter(
        ({ receiver_id }) => receiver_id === env.PLATFORM_ACCOUNT_ID,
      ),
    );
    expect(published).toHaveLength(1);
    for (const { account_id: id, contract_uuid } of deployed) {
      expect(await keysOf(id)).toEqual([]);
      expect(await view(env.NEAR_RPC_URL, id, "contract_roles")).toMatchObject({
        owner_id: wallet,
        platform_id: env.PLATFORM_ACCOUNT_ID,
      });
      expect(await view(env.NEAR_RPC_URL, id, "nft_metadata")).toMatchObject({
        spec: "nft-1.0.0",
        name: "Herons",
        symbol: "HERON",
        base_uri: "http://mintage.test/ipfs",
      });
      // D1 has it within seconds, here and below.
      await expect
        .poll(() => contracts(uuid))
        .toContainEqual(expect.objectContaining({ contract_uuid, state: "ready" }));
    }
  });
});

describe("while the code is published", () => {
  test("a deployment is one transaction", async () => {
    const answer = await deploy(integration.integrationUuid);
    const operation = await operationOf(answer.headers.get("x-operation-uuid")!);
    expect(operation).toMatchObject({ state: "succeeded", kind: "contract_deploy" });
    expect(operation.transactions).toHaveLength(1);
    await bodyOf(answer, 201);
  });

  test("a contract whose deployment isn't accepted has failed", async () => {
    const { integrationUuid: uuid } = integration;
    const limit = async (operations_waiting: number | null) =>
      bodyOf(
        await admin(`/integration/${uuid}/limits`, { method: "PUT", json: { operations_waiting } }),
        200,
      );
    const listed = async () => (await contracts(uuid)).map(({ contract_uuid: contract }) => contract);
    const before = await listed();
    await limit(0);
    await bodyOf(await deploy(uuid), 429);
    const [refused] = await contracts(uuid);
    expect(refused).toMatchObject({ state: "failed" });
    expect(await listed()).toEqual([refused!.contract_uuid, ...before]);
    expect(await account(env.NEAR_RPC_URL, refused!.account_id)).toBeNull();
    await limit(null);
    await bodyOf(await deploy(uuid), 201);
  });

  test.each(["operation.accepted", "operation.after_submit", "operation.before_effects"])(
    "a deployment that is interrupted at %s ends with one contract",
    async (point) => {
      const before = await contracts(integration.integrationUuid);
      const send = () => deploy(integration.integrationUuid);
      await (await killedAt(point, send, firstPass)).body?.cancel();
      await background.reconcile(60_000);
      const newest = async () => (await contracts(integration.integrationUuid))[0];
      await expect.poll(newest).toMatchObject({ state: "ready" });
      const after = await contracts(integration.integrationUuid);
      expect(after).toHaveLength(before.length + 1);
      expect(await account(env.NEAR_RPC_URL, after[0]!.account_id)).not.toBeNull();
    },
  );

  test("a contract can be adopted by the integration whose wallet owns it, once", async () => {
    const other = await createIntegration("Other shop");
    const adopt = (uuid: string, id: string) =>
      admin(`/integration/${uuid}/contract/adopt`, { json: { account_id: id } });
    const { contractAccountId: id } = integration;
    expect(await bodyOf<Failed>(await adopt(other.integrationUuid, id), 400)).toMatchObject({
      code: "invalid_request",
    });
    expect(await bodyOf<Failed>(await adopt(integration.integrationUuid, id), 409)).toMatchObject({
      code: "conflict",
    });
    expect(await bodyOf<Failed>(await adopt(integration.integrationUuid, "nobody.test"), 400)).toMatchObject({
      issues: [{ path: ["account_id"] }],
    });
    const platform = env.PLATFORM_ACCOUNT_ID;
    expect((await adopt(integration.integrationUuid, platform)).status).toBe(400);
    const abroad = await deployFormer({ owner: integration.walletAccountId, network: "mainnet" });
    const misled = await bodyOf<Failed>(await adopt(integration.integrationUuid, abroad), 400);
    expect(misled.message).toContain("mainnet");
    // As after a lost database: the chain has the contract, D1 doesn't.
    await forgetContract(id);
    const adopted = await bodyOf<Contract & { full_access_keys: string[]; upgrade_delay_blocks: number }>(
      await adopt(integration.integrationUuid, id),
      201,
    );
    const { full_access_keys: keys, upgrade_delay_blocks: delay, ...contract } = adopted;
    expect(contract).toMatchObject({ account_id: id, state: "ready" });
    // A contract that the service deploys has none.
    expect(keys).toEqual([]);
    expect(delay).toBe(432_000);
    expect(await contracts(integration.integrationUuid)).toContainEqual(expect.objectContaining(contract));
  });
});

test("a contract is refused as retryable while its wallet is being created, and a draft while its contract is being deployed", async () => {
  const answerOf = async (send: () => Promise<Response>) =>
    bodyOf<{ subject_uuid: string }>(await send(), 202);
  killAt("operation.before_effects");
  const created = await answerOf(() => admin("/integration", { json: { name: "Being created" } }));
  expect(await bodyOf(await deploy(created.subject_uuid), 409)).toMatchObject({
    code: "conflict",
    retryable: true,
  });
  const { subject_uuid: contract_uuid } = await answerOf(() => deploy(integration.integrationUuid));
  const draft = { contract_uuid, title: "Herons" };
  const refused = await api("/collection-draft", { key: integration.key, json: draft });
  expect(await bodyOf(refused, 400)).toMatchObject({
    retryable: true,
    issues: [{ path: ["contract_uuid"] }],
  });
});

describe("an integration's wallet", () => {
  const brokenOff = (name: string, point = "operation.after_submit") =>
    killedAt(point, () => admin("/integration", { json: { name } }));
  const POINTS = ["operation.after_submit", "operation.before_effects"];

  test.each(POINTS)("is created once if its request stops at %s", async (point) => {
    const answer = await brokenOff("Broken off", point);
    const { operation_uuid: uuid, subject_uuid } = await bodyOf<OperationResource>(answer, 202);
    await background.reconcile(60_000);
    await expect.poll(() => operationOf(uuid)).toMatchObject({ state: "succeeded", answer: { status: 201 } });
    const read = async () =>
      bodyOf<{ wallet_state: string; wallet_account_id: string }>(
        await admin(`/integration/${subject_uuid}`),
        200,
      );
    await expect.poll(read).toMatchObject({ wallet_state: "ready" });
    expect(await account(env.NEAR_RPC_URL, (await read()).wallet_account_id)).not.toBeNull();
    // It signs from now on.
    await pay(subject_uuid, env.PLATFORM_ACCOUNT_ID, 1n);
  });

  test.each([
    ["at once", async () => undefined],
    [
      "after the database knew of its ledger",
      (uuid: string) =>
        until(async () => (await inLedger(uuid, "SELECT 1 FROM meta WHERE sent_entry > 0")).length > 0),
    ],
  ])("keeps its key if its object is lost while the account is created, %s", async (_, told) => {
    const { subject_uuid: uuid } = await bodyOf<OperationResource>(await brokenOff("Lost early"), 202);
    const read = async () =>
      bodyOf<{ wallet_state: string; wallet_public_key: string; wallet_account_id: string }>(
        await admin(`/integration/${uuid}`),
        200,
      );
    const wallet = (step: string) => admin(`/integration/${uuid}/wallet${step}`, { method: "POST" });
    const before = await read();
    await told(uuid);
    await loseObject(uuid);
    // On a request the object gets back the key that the account has or will have; it makes no other.
    await until(async () => {
      const answer = await wallet("");
      if (answer.status !== 503) return answer.status === 200;
      // The database knows that a ledger was lost: only the operator lets it continue.
      expect(await answer.json()).toMatchObject({ code: "wallet_inactive" });
      await bodyOf(await wallet("/restore"), 200);
      await bodyOf(await wallet("/activate"), 200);
      return false;
    });
    expect(await read()).toMatchObject({
      wallet_state: "ready",
      wallet_public_key: before.wallet_public_key,
    });
    const { wallet_public_key: public_key } = before;
    expect(await bodyOf(await admin(`/integration/${uuid}/wallet`), 200)).toMatchObject({ public_key });
    await bodyOf(await wallet("/activate"), 200);
    await pay(uuid, env.PLATFORM_ACCOUNT_ID, 1n);
  });

  test("never gets a key other than the stored one", async () => {
    const { integrationUuid: uuid, walletAccountId } = await createIntegration("Kept key");
    const other = await walletOf(newUuid()).prepareKey(walletAccountId);
    const copy = {
      walletAccountId,
      walletPublicKey: other.publicKey,
      walletSecret: other.sealed,
      walletSecretVersion: other.secretVersion,
    };
    const { db } = serviceContext();
    expect(await storeWalletKey(db, uuid as Uuid, copy, new Date())).toBe(false);
    await endObject(uuid);
    await pay(uuid, env.PLATFORM_ACCOUNT_ID, 1n);
  });
});
