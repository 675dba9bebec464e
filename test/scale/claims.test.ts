import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ClaimIssuer } from "../../client/src/index.ts";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { makeLink, newIssuer } from "../support/claim-links.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { background } from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";
import { spoilViews } from "../support/spoilt-views.ts";
import { eventually } from "../support/waiting.ts";
import { replaceObject } from "../support/wallets.ts";

/** Claims that collectors send without the service: it finds them in the contract's bits and reports them as events. */

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

const issuer = newIssuer();
let shop: TestIntegration;
let collector: TestIntegration;
let made: Finalized;
let before: number;

afterEach(() => vi.unstubAllGlobals());

beforeEach(async () => {
  shop = await createIntegration("Shop");
  collector = await createIntegration("Collector");
  made = await createCollection(shop, { copies: [40] });
  await createDrop({ links: 12, quantity: 2 });
  before = (await list()).at(-1)!.seq;
});

const list = async (query = "") => bodyOf<Event[]>(await api(`/event${query}`, { key: shop.key }), 200);
const told = () => list(`?after=${before}`);
const redeemed = async () =>
  (await list(`?after=${before}&type=claim.redeemed`)).map(({ data }) => [data.drop_id, data.link]);
const call = (
  from: TestIntegration,
  method: string,
  args: object,
  deposit = "0",
  contract = shop.contractAccountId,
) =>
  sendFrom(from.integrationUuid, contract, [
    { kind: "function_call", method, args: Buffer.from(JSON.stringify(args)), gas: `${10n ** 14n}`, deposit },
  ]);
const createDrop = (
  terms: { readonly links: number; readonly quantity: number },
  of: Pick<Finalized, "contract_address" | "near_collection"> = made,
) =>
  call(
    shop,
    "drop_create",
    {
      collection_id: of.near_collection.collection_id,
      issuer_public_key: issuer.getPublicKey().toString(),
      expires_at_ms: Date.now() + 86_400_000,
      ...terms,
    },
    "1",
    of.contract_address,
  );
const claim = (link: number, drop_id = 1, contract = shop.contractAccountId) => {
  const place = { network: env.NEAR_NETWORK, contract, drop: drop_id, link };
  const held = makeLink(issuer, place);
  return call(collector, "nft_claim", held.proofFor(collector.walletAccountId), "0", contract);
};

test("each redeemed link is reported once, beside its tokens", async () => {
  await claim(9);
  await claim(0);
  await Promise.all([background.reconcile(), background.reconcile()]);
  expect(await redeemed()).toEqual([
    [1, 0],
    [1, 9],
  ]);
  const events = await told();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => before + 1 + index));
  const tokens = events.filter(({ type }) => type === "nft.minted").map(({ data }) => data);
  expect(tokens).toHaveLength(4);
  expect(tokens).toMatchObject(
    Array(4).fill({
      source: "wallet",
      owner_id: collector.walletAccountId,
      collection_uuid: made.collection_uuid,
    }),
  );
  expect(events.find(({ type }) => type === "claim.redeemed")?.data).toEqual({
    collection_uuid: made.collection_uuid,
    collection_id: made.near_collection.collection_id,
    contract_address: shop.contractAccountId,
    drop_id: 1,
    link: 0,
    quantity: 2,
  });

  await background.reconcile();
  await claim(11);
  await createDrop({ links: 1, quantity: 1 });
  await claim(0, 2);
  await background.reconcile();
  await background.reconcile();
  expect((await redeemed()).slice(2)).toEqual([
    [1, 11],
    [2, 0],
  ]);
});

test("after a loss of the ledger, no claim of any contract is reported twice, and later ones are", async () => {
  const deploy = async (name: string) => {
    const answer = await admin(`/integration/${shop.integrationUuid}/contract`, {
      json: { name, symbol: "O" },
    });
    return (await bodyOf<{ contract_uuid: string }>(answer, 201)).contract_uuid;
  };
  // The schedule reads contracts in groups of five, by uuid, and the last of these is the sixth.
  const deployed = await Promise.all(["A", "B", "C", "D"].map(deploy));
  const contractUuid = deployed.toSorted().at(-1)!;
  const other = await createCollection({ ...shop, contractUuid }, { copies: [10] });
  await createDrop({ links: 8, quantity: 1 }, other);
  await claim(5);
  await claim(7, 1, other.contract_address);
  await background.reconcile();
  const numbers = (await redeemed()).map(([, link]) => link);
  expect(new Set(numbers)).toEqual(new Set([5, 7]));
  expect(numbers).toHaveLength(2);
  await replaceObject(shop.integrationUuid);
  await background.reconcile();
  await background.reconcile();
  expect(await redeemed()).toEqual([]);
  await claim(6);
  await background.reconcile();
  expect(await redeemed()).toEqual([[1, 6]]);
});

test("claims are reported however many drops of the contract were closed, and each run looks at few of them", async () => {
  // Thousands of drops would take minutes to make.
  const CLOSED = 4_150;
  const asked: number[] = [];
  spoilViews(
    ({ contract, method, args }) =>
      contract === shop.contractAccountId &&
      (method === "drops" || (method === "drop" && args.drop_id === CLOSED + 1)),
    async (_, { method, args }) => {
      const first = await view<object>(env.NEAR_RPC_URL, shop.contractAccountId, "drop", { drop_id: 1 });
      const drop = { ...first, drop_id: CLOSED + 1 };
      if (method === "drop") return JSON.stringify(drop);
      const { from_index: from, limit } = args as { readonly from_index: number; readonly limit: number };
      asked.push(from);
      return JSON.stringify([...Array(CLOSED).fill(null), drop].slice(from, from + limit));
    },
  );
  const views = async () => {
    asked.length = 0;
    await background.reconcile();
    return asked.length;
  };
  await claim(3);
  expect(await views()).toBe(20);
  expect(await redeemed()).toEqual([]);
  await views();
  await views();
  expect(await redeemed()).toEqual([[CLOSED + 1, 3]]);
  await claim(4);
  expect(await views()).toBe(1);
  expect(await redeemed()).toEqual([
    [CLOSED + 1, 3],
    [CLOSED + 1, 4],
  ]);
  await replaceObject(shop.integrationUuid);
  for (const _ of [1, 2, 3]) await views();
  expect(await redeemed()).toEqual([]);
});

test("no claim is reported to other integrations, and none for revoked links or drops without claims", async () => {
  await call(shop, "drop_update", { drop_id: 1, revoke: [2, 4] }, "1");
  await background.reconcile();
  expect(await redeemed()).toEqual([]);
  await claim(3);
  await background.reconcile();
  const other = await bodyOf<Event[]>(await api("/event?type=claim.redeemed", { key: collector.key }), 200);
  expect(other).toEqual([]);
  expect(await redeemed()).toEqual([[1, 3]]);
});

test("a voucher that the client signs sells NFTs of a drop, and is reported like a link", async () => {
  const seller = await ClaimIssuer.create();
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const terms = { issuer_public_key: seller.publicKey, links: 5, quantity: 2, expires_at, reserve: "0" };
  const opened = await api(`/collection/${made.collection_uuid}/drop`, { key: shop.key, json: terms });
  const { drop } = await bodyOf<{ drop: { drop_id: number; reserve: string } }>(opened, 201);
  expect(drop).toMatchObject({ drop_id: 2, reserve: "0" });
  const { args, deposit } = await seller.voucher({
    network: env.NEAR_NETWORK,
    contract: shop.contractAccountId,
    dropId: drop.drop_id,
    nonce: 3,
    receiver: shop.walletAccountId,
    price: 10n ** 22n,
    expiresAt: new Date(expires_at),
  });
  const slug = `vouchers-${crypto.randomUUID().slice(0, 8)}`;
  await bodyOf(await putPage(shop.key, made.collection_uuid, { slug, enabled: true }), 200);
  const asked = (more: object = {}, page = slug) => {
    const query = Object.entries({ ...args, ...more }).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return api(`/public/v1/page/${page}/voucher?${new URLSearchParams(query)}`);
  };
  const { signature: _, expires_at_ms: __, ...shown } = args;
  expect(await bodyOf(await asked(), 200)).toEqual({
    ...shown,
    currency: null,
    total_fee: deposit,
    expires_at,
  });
  // What its issuer didn't sign is refused, and so is what can be no voucher.
  for (const [more, status] of [
    [{ price: "1" }, 400],
    [{ price: `${10n ** 22n + 1n}` }, 400],
    [{ receiver_id: "thief.near" }, 400],
    [{ drop_id: 99 }, 404],
    [{ quantity: 0 }, 400],
    [{ quantity: 3 }, 400],
    [{ signature: "short" }, 400],
    [{ expires_at_ms: 1 }, 409],
    [{ currency: "usdc.example" }, 409],
  ] as const)
    expect((await asked(more)).status, JSON.stringify(more)).toBe(status);
  expect((await asked({}, "nowhere")).status).toBe(404);
  expect(JSON.parse(await call(collector, "voucher_mint", args, deposit))).toHaveLength(1);
  // An answer is kept for two seconds.
  await eventually(async () => expect(await bodyOf(await asked(), 409)).toMatchObject({ code: "conflict" }));
  await expect(call(collector, "voucher_mint", args, deposit)).rejects.toThrow("failed");
  await background.reconcile();
  expect(await redeemed()).toEqual([[2, 3]]);
  const minted = (await told()).filter(({ type }) => type === "nft.minted").map(({ data }) => data);
  expect(minted).toMatchObject([{ source: "wallet", owner_id: shop.walletAccountId }]);
});

test("a quote says that revoked links and a closed drop give no more NFTs", async () => {
  const path = `/collection/${made.collection_uuid}/drop/1`;
  const permanent = async (method: string, body?: object) => {
    const quoted = await api("/quote", { key: shop.key, json: { method, path, body } });
    return (await bodyOf<{ permanent: readonly string[] }>(quoted, 201)).permanent;
  };
  expect(await permanent("PUT", { revoke: [1, 2] })).toEqual(["Ends 2 of the links of drop 1 for ever."]);
  expect(await permanent("PUT", { links: 14 })).toEqual([]);
  expect(await permanent("DELETE")).toEqual([
    "Closes drop 1 for ever: none of its links gives NFTs any more.",
  ]);
});
