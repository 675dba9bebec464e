import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createCollection } from "../support/collections.ts";
import { forgetContract } from "../support/database.ts";
import { withdrawAll } from "../support/former-contract.ts";
import { background, firstPass, killAt, killedAt, observeCheckpoints } from "../support/operations.ts";
import { walletOf } from "../support/own-wallets.ts";
import { sendFrom } from "../support/payments.ts";

/** A contract goes to another owner: proposed by the integration's wallet, accepted by the other's. */

const GAS = "10000000000000";

let artist: TestIntegration;
let elsewhere: TestIntegration;
let receiver: string;

interface Roles {
  readonly owner_id: string;
  readonly proposed_owner_id: string | null;
  readonly admin_ids: readonly string[];
}

const roles = ({ contractAccountId } = artist) =>
  view<Roles>(env.NEAR_RPC_URL, contractAccountId, "contract_roles");
const handOver = (json: object, contract = artist.contractUuid) =>
  admin(`/contract/${contract}/hand-over`, { json });
const shown = async (contract = artist.contractUuid) => bodyOf(await admin(`/contract/${contract}`), 200);
const accept = (integration: TestIntegration, json: object = { account_id: artist.contractAccountId }) =>
  admin(`/integration/${integration.integrationUuid}/contract/accept`, { json });
const transactionsOf = async (integration: TestIntegration) =>
  (await walletOf(integration.integrationUuid).status()).lanes;

/** A contract of the artist's that this service, like any other, has never heard of. @param before what it did until then */
const forgotten = async (before: (uuid: string) => Promise<void> = async () => undefined) => {
  const made = await admin(`/integration/${artist.integrationUuid}/contract`, {
    json: { name: "Second", symbol: "SECOND" },
  });
  const { contract_uuid: uuid, account_id: account } = await bodyOf<{
    contract_uuid: string;
    account_id: string;
  }>(made, 201);
  await before(uuid);
  await forgetContract(account);
  return { account_id: account };
};

beforeAll(async () => {
  [artist, elsewhere] = [await createIntegration("Artist"), await createIntegration("Elsewhere")];
  [receiver] = (await createReceivers(1)) as [string];
});
afterEach(() => observeCheckpoints(null));

test("a contract can't be handed over to a missing account or its owner, nor accepted without a proposal", async () => {
  expect(await bodyOf(await handOver({ account_id: "nobody-here.test" }), 400)).toMatchObject({
    code: "unknown_account",
    issues: [{ path: ["account_id"] }],
  });
  for (const account of [artist.walletAccountId, "Not An Account", undefined]) {
    expect(await bodyOf(await handOver({ account_id: account }), 400)).toMatchObject({
      issues: [{ path: ["account_id"] }],
    });
  }
  await bodyOf(await handOver({ account_id: receiver }, crypto.randomUUID()), 404);
  const unknown = await forgotten();
  expect(await bodyOf(await accept(elsewhere, unknown), 400)).toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining(`Have the owner, ${artist.walletAccountId}, propose`),
  });
  expect(await bodyOf(await accept(elsewhere, { account_id: receiver }), 400)).toMatchObject({
    issues: [{ path: ["account_id"] }],
  });
  expect(await roles()).toMatchObject({ owner_id: artist.walletAccountId, proposed_owner_id: null });
});

test("a contract that isn't on the chain yet can't be handed over", async () => {
  const shop = await createIntegration("Deploying");
  const path = `/integration/${shop.integrationUuid}/contract`;
  const deploy = () => admin(path, { json: { name: "Late", symbol: "LATE" } });
  killAt("operation.before_submit");
  await (await deploy()).body?.cancel();
  const [late] = await bodyOf<{ contract_uuid: string; account_id: string; state: string }[]>(
    await admin(path),
    200,
  );
  expect(late?.state).toBe("deploying");
  expect(await shown(late?.contract_uuid)).toMatchObject({
    ...late,
    owner_id: null,
    proposed_owner_id: null,
    wallet_is_admin: null,
  });
  expect(await bodyOf(await handOver({ account_id: receiver }, late?.contract_uuid), 409)).toMatchObject({
    code: "conflict",
    message: `Wait until the contract is deployed, or check the account ${late?.account_id}: the chain shows no Mintage contract there.`,
  });
  const withRoles = `${path}?roles=true`;
  const all = await bodyOf(await admin(withRoles), 200);
  expect(all).toEqual([await shown(late?.contract_uuid), await shown(shop.contractUuid)]);
  expect(all).toMatchObject([{ owner_id: null }, { owner_id: shop.walletAccountId }]);
  const first = await admin(`${withRoles}&limit=1`);
  expect(first.headers.get("link")).toContain("roles=true");
  expect(await bodyOf(first, 200)).toEqual([await shown(late?.contract_uuid)]);
  observeCheckpoints(null);
  await background.reconcile(60_000);
});

test("the operator finds a contract of any integration by its account id", async () => {
  const at = async (account: string) =>
    bodyOf(await admin(`/contract?account_id=${encodeURIComponent(account)}`), 200);
  expect(await at(artist.contractAccountId)).toMatchObject([
    { contract_uuid: artist.contractUuid, integration_uuid: artist.integrationUuid },
  ]);
  expect(await at(receiver)).toEqual([]);
  expect((await admin("/contract?account_id=Not%20An%20Account")).status).toBe(400);
});

test("only the operator may hand a contract over and see its owner", async () => {
  const path = `/admin/v1/contract/${artist.contractUuid}`;
  const json = { account_id: elsewhere.walletAccountId };
  for (const authorization of [`Api-Key ${artist.key}`, `Bearer ${"x".repeat(32)}`]) {
    await bodyOf(await api(`${path}/hand-over`, { json, headers: { authorization } }), 401);
    await bodyOf(await api(path, { headers: { authorization } }), 401);
  }
  await bodyOf(await admin(`/contract/${crypto.randomUUID()}`), 404);
  expect((await roles()).proposed_owner_id).toBeNull();
});

test("a proposal doesn't change the owner, may be repeated, and is withdrawn by null", async () => {
  const wanted = { account_id: elsewhere.walletAccountId };
  for (const _ of [1, 2]) {
    expect(await bodyOf(await handOver(wanted), 200)).toMatchObject({
      contract_uuid: artist.contractUuid,
      owner_id: artist.walletAccountId,
      proposed_owner_id: elsewhere.walletAccountId,
      wallet_is_admin: true,
      tx_results: { status: "success" },
    });
  }
  expect(await roles()).toMatchObject({
    owner_id: artist.walletAccountId,
    proposed_owner_id: elsewhere.walletAccountId,
    admin_ids: [artist.walletAccountId],
  });
  expect(await shown()).toMatchObject({
    contract_uuid: artist.contractUuid,
    account_id: artist.contractAccountId,
    integration_uuid: artist.integrationUuid,
    state: "ready",
    owner_id: artist.walletAccountId,
    proposed_owner_id: elsewhere.walletAccountId,
    wallet_is_admin: true,
  });
  expect(await bodyOf(await handOver({ account_id: null, keep_admin: false }), 200)).toMatchObject({
    proposed_owner_id: null,
    wallet_is_admin: false,
  });
  expect(await roles()).toMatchObject({ proposed_owner_id: null, admin_ids: [] });
  // The wallet is still the owner.
  await createCollection(artist, { copies: [1] });
});

test("another integration of this service can't accept a contract that belongs to an integration", async () => {
  await bodyOf(await handOver({ account_id: elsewhere.walletAccountId }), 200);
  expect(await bodyOf(await accept(elsewhere), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining(artist.integrationUuid),
  });
  expect(await roles()).toMatchObject({ owner_id: artist.walletAccountId });
  await bodyOf(await handOver({ account_id: null }), 200);
});

test("after the hand-over the service can still mint as an admin, and its wallet doesn't top up the contract", async () => {
  const former = await createIntegration("Former owner");
  const { collection_uuid: uuid } = await createCollection(former, { copies: [20] });
  const wanted = { account_id: elsewhere.walletAccountId };
  await bodyOf(await handOver(wanted, former.contractUuid), 200);
  const accepted = {
    kind: "function_call",
    method: "owner_accept",
    args: new Uint8Array(),
    gas: GAS,
    deposit: "1",
  } as const;
  await sendFrom(elsewhere.integrationUuid, former.contractAccountId, [accepted]);
  expect(await roles(former)).toMatchObject({
    owner_id: elsewhere.walletAccountId,
    proposed_owner_id: null,
    admin_ids: [former.walletAccountId],
  });
  expect(await shown(former.contractUuid)).toMatchObject({
    owner_id: elsewhere.walletAccountId,
    proposed_owner_id: null,
    wallet_is_admin: true,
  });
  const json = { receiver_addresses: [receiver] };
  await bodyOf(await api(`/collection/${uuid}/mint`, { key: former.key, json }), 201);
  for (const account of [receiver, former.walletAccountId]) {
    expect(await bodyOf(await handOver({ account_id: account }, former.contractUuid), 409)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(elsewhere.walletAccountId),
    });
  }
  // The next owner could withdraw the money of each top-up.
  await withdrawAll({ ...elsewhere, contractAccountId: former.contractAccountId });
  const { free } = await view<{ free: string }>(
    env.NEAR_RPC_URL,
    former.contractAccountId,
    "contract_balance",
  );
  expect(BigInt(free)).toBeLessThan(10n ** 23n);
  await background.reconcile();
  const kinds = await bodyOf<{ kind: string }[]>(await api("/operation", { key: former.key }), 200);
  expect(kinds.map(({ kind }) => kind)).not.toContain("contract_top_up");
});

test("after the hand-over, writes of a wallet without a role are refused before they are sent", async () => {
  const leaver = await createIntegration("Leaver");
  const { collection_uuid: left } = await createCollection(leaver, { copies: [9] });
  const write = (headers = {}) =>
    api(`/collection/${left}/mint`, { key: leaver.key, json: { receiver_addresses: [receiver] }, headers });
  const callOf = (method: string, args: object) =>
    ({
      kind: "function_call",
      method,
      args: Buffer.from(JSON.stringify(args)),
      gas: GAS,
      deposit: "1",
    }) as const;
  const wanted = { account_id: elsewhere.walletAccountId, keep_admin: false };
  await bodyOf(await handOver(wanted, leaver.contractUuid), 200);
  await bodyOf(await write(), 201);
  await sendFrom(elsewhere.integrationUuid, leaver.contractAccountId, [callOf("owner_accept", {})]);
  const quote = {
    method: "POST",
    path: `/collection/${left}/mint`,
    body: { receiver_addresses: [receiver] },
  };
  const lanes = await transactionsOf(leaver);
  for (const answer of [await write(), await api("/quote", { key: leaver.key, json: quote })]) {
    expect(answer.headers.get("x-operation-uuid")).toBeNull();
    expect(await bodyOf(answer, 409)).toMatchObject({
      code: "conflict",
      outcome: "not_submitted",
      message: expect.stringContaining(`Ask ${elsewhere.walletAccountId}, the owner of the contract`),
    });
  }
  expect(await transactionsOf(leaver)).toEqual(lanes);
  const admin_id = { account_id: leaver.walletAccountId };
  await sendFrom(elsewhere.integrationUuid, leaver.contractAccountId, [callOf("admin_add", admin_id)]);
  await bodyOf(await write(), 201);
});

test("a hand-over is accepted and adopted once, whatever is killed, and its old wallet may keep no role", async () => {
  const wanted = { account_id: elsewhere.walletAccountId, keep_admin: false };
  const account = await forgotten(async (uuid) => {
    await killedAt("operation.after_submit", () => handOver(wanted, uuid), firstPass);
    await background.reconcile(60_000);
  });
  await killedAt("operation.before_effects", () => accept(elsewhere, account), firstPass);
  await background.reconcile(60_000);
  expect(await view(env.NEAR_RPC_URL, account.account_id, "contract_roles")).toMatchObject({
    owner_id: elsewhere.walletAccountId,
    proposed_owner_id: null,
    admin_ids: [],
  });
  const lanes = await transactionsOf(elsewhere);
  expect(await bodyOf(await accept(elsewhere, account), 200)).toEqual({
    account_id: account.account_id,
    owner_id: elsewhere.walletAccountId,
    tx_results: [],
  });
  expect(await transactionsOf(elsewhere)).toEqual(lanes);
  const adopted = await admin(`/integration/${elsewhere.integrationUuid}/contract/adopt`, { json: account });
  expect(await bodyOf(adopted, 201)).toMatchObject({ ...account, state: "ready" });
});
