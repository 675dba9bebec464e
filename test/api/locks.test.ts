import { beforeAll, expect, test } from "vitest";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { noteCode, noteKeyless, noteLock } from "../support/database.ts";
import { adopt, deployFormer } from "../support/former-contract.ts";
import { keyOf } from "../support/keys.ts";
import { beforeWrites } from "../support/ledgers.ts";
import { background, operationCount } from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";

/** Locks, by the API or by the contract's owner from a wallet; the API shows them with tokens and eligibility. */

interface Shown {
  readonly token_id: string;
  readonly locks: readonly string[];
}

let shop: TestIntegration;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Locks");
  [alice] = (await createReceivers(1)) as [string];
});

const lock = (at: TestIntegration, method: string, args: object) =>
  sendFrom(at.integrationUuid, at.contractAccountId, [
    {
      kind: "function_call",
      method,
      args: new TextEncoder().encode(JSON.stringify(args)),
      gas: `${3n * 10n ** 13n}`,
      deposit: "1",
    },
  ]);

const mint = async (at: TestIntegration, { collection_uuid: uuid }: Finalized, quantity: number) => {
  const json = { receiver_addresses: [alice], quantity_per_receiver: quantity };
  const answer = await api(`/collection/${uuid}/mint`, { key: at.key, json });
  return (await bodyOf<{ tokens: Shown[] }>(answer, 201)).tokens;
};

const locksOf = async (at: TestIntegration, { collection_uuid: uuid }: Finalized) =>
  (await bodyOf<Shown[]>(await api(`/collection/${uuid}/token`, { key: at.key }), 200)).map(
    ({ locks }) => locks,
  );

interface Eligibility {
  readonly allowed: boolean;
  readonly code: string | null;
  readonly locks: readonly string[];
  readonly phases: readonly { readonly allowed: boolean; readonly code: string | null }[];
}

const eligibilityOf = async (at: TestIntegration, { collection_uuid: uuid }: Finalized) =>
  bodyOf<Eligibility>(await api(`/collection/${uuid}/eligibility/${alice}`, { key: at.key }), 200);

const settings = { public_mint_config: { mint_fee: "0" } };

test("locks of a collection and of a token are shown with each token, and with eligibility", async () => {
  const collection = await createCollection(shop, { copies: [10], settings });
  const { collection_id } = collection.near_collection;
  const minted = await mint(shop, collection, 2);
  expect(minted.map(({ locks }) => locks)).toEqual([[], []]);
  expect(await eligibilityOf(shop, collection)).toMatchObject({ allowed: true, locks: [] });

  await lock(shop, "collection_lock", { collection_id, locks: ["royalties"] });
  await lock(shop, "nft_lock", { token_id: minted[0]!.token_id });
  expect(await locksOf(shop, collection)).toEqual([["metadata", "royalties"], ["royalties"]]);
  expect((await mint(shop, collection, 1))[0]!.locks).toEqual(["royalties"]);

  await lock(shop, "collection_lock", { collection_id, locks: ["supply"] });
  expect(await eligibilityOf(shop, collection)).toMatchObject({
    allowed: false,
    code: "E_LOCKED",
    locks: ["supply", "royalties"],
    phases: [{ allowed: false, code: "E_LOCKED" }],
  });
});

const put = (path: string, { collection_uuid: uuid }: Finalized, json: object, key = shop.key) =>
  api(`/collection/${uuid}/${path}`, { key, method: "PUT", json });

test("locks set by the API apply on the chain, their quote lists what is permanent, and an event reports them", async () => {
  const collection = await createCollection(shop, { copies: [10, 10], settings });
  const body = { locks: ["royalties", "supply"] };
  const path = `/collection/${collection.collection_uuid}/lock`;
  const quote = await api("/quote", { key: shop.key, json: { method: "PUT", path, body } });
  expect(await bodyOf(quote, 201)).toMatchObject({
    permanent: [
      "The accounts and shares of ongoing_royalties can never be changed again.",
      "No NFT can ever be minted in this collection again.",
    ],
  });
  expect(await bodyOf(await put("lock", collection, body), 200)).toMatchObject({
    locked: { collection_uuid: collection.collection_uuid, locks: ["royalties", "supply"], asset_uuids: [] },
    tx_results: [{ status: "success" }],
  });
  const events = await bodyOf<{ data: object }[]>(
    await api("/event?type=collection.locked", { key: shop.key }),
    200,
  );
  expect(events.at(-1)!.data).toMatchObject({
    collection_uuid: collection.collection_uuid,
    locks: ["royalties", "supply"],
  });
  expect(await eligibilityOf(shop, collection)).toMatchObject({
    allowed: false,
    locks: ["supply", "royalties"],
  });
  const royalties = { ongoing_royalties: { [alice]: 10 } };
  expect(
    await bodyOf(
      await api(`/collection/${collection.collection_uuid}`, {
        key: shop.key,
        method: "PUT",
        json: royalties,
      }),
      409,
    ),
  ).toMatchObject({ code: "conflict", message: expect.stringContaining("royalties are locked") });
});

test("a token and an asset are locked, each for itself", async () => {
  const collection = await createCollection(shop, { copies: [5, 5] });
  const draft = (
    await bodyOf<{ collection_draft_uuid: string }>(
      await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
      200,
    )
  ).collection_draft_uuid;
  const assets = await bodyOf<{ asset_uuid: string }[]>(
    await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
    200,
  );
  const mintOf = async (asset: string) => {
    const json = { receiver_addresses: [alice], asset_uuid: asset };
    const answer = await api(`/collection/${collection.collection_uuid}/mint`, { key: shop.key, json });
    return (await bodyOf<{ tokens: Shown[] }>(answer, 201)).tokens[0]!.token_id;
  };
  const tokens = [await mintOf(assets[0]!.asset_uuid), await mintOf(assets[1]!.asset_uuid)];
  const path = `/collection/${collection.collection_uuid}`;
  const body = { asset_uuids: [assets[1]!.asset_uuid] };
  const quoted = { method: "PUT", path: `${path}/lock`, body };
  expect(await bodyOf(await api("/quote", { key: shop.key, json: quoted }), 201)).toMatchObject({
    permanent: [
      "NFTs of 1 asset keep what they show for ever, and no mint brings its own metadata.",
      "Title and description of the collection, which these NFTs show, can never be changed again.",
    ],
  });
  await bodyOf(await put("lock", collection, body), 200);
  expect(await locksOf(shop, collection)).toEqual([[], ["metadata"]]);
  for (const json of [{ title: "Changed" }, { description: "Changed" }])
    expect(await bodyOf(await api(path, { key: shop.key, method: "PUT", json }), 409)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("title and description stay as they are"),
    });
  const update = (token_id: string) => put("nft-update", collection, { token_id, title: "Other" });
  expect(await bodyOf(await update(tokens[1]!), 409)).toMatchObject({ code: "conflict" });
  await bodyOf(await update(tokens[0]!), 200);
  expect(await bodyOf(await put("nft-lock", collection, { token_id: tokens[0] }), 200)).toMatchObject({
    token: { token_id: tokens[0], locks: ["metadata"], metadata: { title: "Other" } },
  });
  expect(await bodyOf(await update(tokens[0]!), 409)).toMatchObject({ code: "conflict" });
});

test("locks without effect, and locks of missing things, are refused before anything is sent", async () => {
  const collection = await createCollection(shop, { copies: [5], settings: { allow_transfers: false } });
  const before = await operationCount(shop.key);
  expect(await bodyOf(await put("lock", collection, { locks: ["transfers"] }), 409)).toMatchObject({
    code: "conflict",
    outcome: "not_submitted",
  });
  const missing = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
  expect(await bodyOf(await put("lock", collection, { asset_uuids: [missing] }), 404)).toMatchObject({
    issues: [{ path: ["asset_uuids", 0] }],
  });
  for (const body of [{}, { locks: [] }, { locks: ["prices"] }])
    expect(await bodyOf(await put("lock", collection, body), 400)).toMatchObject({ code: "invalid_request" });
  const { collection_id: id } = collection.near_collection;
  expect(await bodyOf(await put("nft-lock", collection, { token_id: `${id}:77` }), 404)).toMatchObject({
    code: "not_found",
  });
  expect(await operationCount(shop.key)).toBe(before);
});

test("another integration and a read key can't lock anything", async () => {
  const collection = await createCollection(shop, { copies: [5] });
  const { key } = await createIntegration("Stranger");
  const token = { token_id: `${collection.near_collection.collection_id}:1` };
  expect(await bodyOf(await put("lock", collection, { locks: ["supply"] }, key), 404)).toMatchObject({
    code: "not_found",
  });
  expect(await bodyOf(await put("nft-lock", collection, token, key), 404)).toMatchObject({
    code: "not_found",
  });
  const limits = { name: "One", scopes: ["settings"], collections: [collection.collection_uuid] };
  const { api_key: one } = await bodyOf<{ api_key: string }>(
    await api("/key", { key: shop.key, json: limits }),
    201,
  );
  // The lock concerns the contract's other collections too.
  expect(await bodyOf(await put("lock", collection, { locks: ["code"] }, one), 403)).toMatchObject({
    code: "collection_not_allowed",
  });
  for (const [path, body] of [
    ["lock", { locks: ["supply"] }],
    ["nft-lock", token],
  ] as const)
    expect(await bodyOf(await put(path, collection, body, shop.readKey), 403)).toMatchObject({
      code: "scope_missing",
    });
});

test("locks are in the audit log by the API's names, and the lock of an NFT is an event", async () => {
  const collection = await createCollection(shop, { copies: [5], settings });
  const [{ token_id }] = (await mint(shop, collection, 1)) as [Shown];
  await bodyOf(await put("lock", collection, { locks: ["royalties"] }), 200);
  await bodyOf(await put("nft-lock", collection, { token_id }), 200);
  const entries = await bodyOf<{ action: string; subject_uuid: string; changes: object }[]>(
    await api("/audit?limit=1000", { key: shop.key }),
    200,
  );
  const operation_uuid = expect.any(String);
  expect(
    entries
      .filter(({ subject_uuid: uuid }) => uuid === collection.collection_uuid)
      .map(({ action, changes }) => [action, changes]),
  ).toEqual([
    ["collection.locked", { operation_uuid, locks: ["royalties"], asset_uuids: [] }],
    ["nft.locked", { operation_uuid, token_id }],
  ]);
  const events = await bodyOf<{ data: Shown }[]>(
    await api("/event?type=nft.updated", { key: shop.key }),
    200,
  );
  expect(events.filter(({ data }) => data.token_id === token_id).map(({ data }) => data.locks)).toEqual([
    ["metadata", "royalties"],
  ]);
});

test("transfers and the code are locked by the API, and transfers can't be forbidden then", async () => {
  const own = await createIntegration("Locked code");
  const collection = await createCollection(own, { copies: [5] });
  const { collection_uuid: uuid } = collection;
  const request = { key: own.key, method: "PUT", json: { locks: ["transfers", "code"] } };
  expect(await bodyOf(await api(`/collection/${uuid}/lock`, request), 200)).toMatchObject({
    locked: { collection_uuid: uuid, locks: ["transfers", "code"] },
  });
  const forbid = { key: own.key, method: "PUT", json: { allow_transfers: false } };
  expect(await bodyOf(await api(`/collection/${uuid}`, forbid), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("transfers are locked"),
  });
  expect(await eligibilityOf(own, collection)).toMatchObject({ locks: ["transfers", "code"] });
});

test("the code isn't locked while an upgrade is announced, and nothing is sent", async () => {
  const own = await createIntegration("Announced code");
  const collection = await createCollection(own, { copies: [5] });
  await lock(own, "upgrade_announce", { code_hash: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi" });
  const before = await operationCount(own.key);
  const path = `/collection/${collection.collection_uuid}/lock`;
  const body = { locks: ["code"] };
  for (const answer of [
    await put("lock", collection, body, own.key),
    await api("/quote", { key: own.key, json: { method: "PUT", path, body } }),
  ])
    expect(await bodyOf(answer, 409)).toMatchObject({
      outcome: "not_submitted",
      message: expect.stringContaining("An upgrade is announced"),
    });
  expect(await operationCount(own.key)).toBe(before);
  await lock(own, "upgrade_announce", {});
  await bodyOf(await put("lock", collection, body, own.key), 200);
});

test("the code of a contract that was handed over is its owner's to lock, and nothing is sent", async () => {
  const [own, next] = await Promise.all([createIntegration("Handed over"), createIntegration("Next owner")]);
  const collection = await createCollection(own, { copies: [5] });
  await lock(own, "admin_add", { account_id: own.walletAccountId });
  await lock(own, "owner_propose", { account_id: next.walletAccountId });
  await lock({ ...own, integrationUuid: next.integrationUuid }, "owner_accept", {});
  const before = await operationCount(own.key);
  expect(await bodyOf(await put("lock", collection, { locks: ["code"] }, own.key), 409)).toMatchObject({
    outcome: "not_submitted",
    message: expect.stringContaining(`Ask ${next.walletAccountId}, the owner`),
  });
  expect(await operationCount(own.key)).toBe(before);
  await bodyOf(await put("lock", collection, { locks: ["royalties"] }, own.key), 200);
});

test("a locked supply leaves nothing to a drop", async () => {
  const collection = await createCollection(shop, { copies: [10], settings });
  const path = `/collection/${collection.collection_uuid}`;
  const json = {
    issuer_public_key: "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    links: 5,
  };
  const { drop } = await bodyOf<{ drop: { drop_id: number; copies_left: number } }>(
    await api(`${path}/drop`, { key: shop.key, json }),
    201,
  );
  expect(drop.copies_left).toBe(10);
  await bodyOf(await put("lock", collection, { locks: ["supply"] }), 200);
  const read = await api(`${path}/drop/${drop.drop_id}`, { key: shop.key });
  expect(await bodyOf(read, 200)).toMatchObject({ links: 5, copies_left: 0 });
});

test("a collection shows its locks, including those that were set without the service", async () => {
  const collection = await createCollection(shop, { copies: [10] });
  const read = async () =>
    (
      await bodyOf<{ locks: string[] }>(
        await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
        200,
      )
    ).locks;
  expect(await read()).toEqual([]);
  await bodyOf(await put("lock", collection, { locks: ["transfers", "supply"] }), 200);
  expect(await read()).toEqual(["supply", "transfers"]);
  const { collection_id } = collection.near_collection;
  await lock(shop, "collection_lock", { collection_id, locks: ["royalties"] });
  await background.reconcile();
  expect(await read()).toEqual(["supply", "royalties", "transfers"]);
  // Each lock is reported once, whoever has set it.
  const told = await bodyOf<{ data: Readonly<Record<string, unknown>> }[]>(
    await api("/event?type=collection.locked", { key: shop.key }),
    200,
  );
  const { collection_uuid: uuid } = collection;
  const place = { collection_uuid: uuid, collection_id, contract_address: shop.contractAccountId };
  const ofAll = { ...place, asset_uuids: [], reference: null };
  expect(told.map(({ data }) => data).filter(({ collection_uuid: about }) => about === uuid)).toEqual([
    { ...ofAll, locks: ["transfers", "supply"], operation_uuid: expect.any(String) },
    { ...ofAll, locks: ["royalties"], operation_uuid: null },
  ]);
  // Locks that are known already are no change.
  const updatedAt = async () =>
    (
      await bodyOf<{ updated_at: string }>(
        await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
        200,
      )
    ).updated_at;
  const before = await updatedAt();
  await background.reconcile();
  expect(await updatedAt()).toBe(before);
});

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly outcome: string;
  readonly issues?: readonly { readonly path: readonly (string | number)[] }[];
}

/** A write, and the fields that its refusal names. */
interface Forbidden {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly json: object;
  readonly fields: readonly (readonly (string | number)[])[];
}

/** The write and its quote are refused in the contract's words, and no operation is accepted. */
const expectRefused = async (
  { collection_uuid: uuid }: Finalized,
  writes: readonly Forbidden[],
  said: RegExp,
) => {
  const before = await operationCount(shop.key);
  for (const { method, path, json, fields } of writes) {
    const at = `/collection/${uuid}${path}`;
    const quote = { method, path: at, body: json };
    const answers = [
      [await api(at, { key: shop.key, method, json }), fields],
      [await api("/quote", { key: shop.key, json: quote }), fields.map((field) => ["body", ...field])],
    ] as const;
    for (const [answer, named] of answers) {
      const refused = await bodyOf<Refused>(answer, 409);
      expect(refused, path).toMatchObject({ code: "conflict", outcome: "not_submitted" });
      expect(refused.message, path).toMatch(said);
      expect(
        (refused.issues ?? []).map((issue) => issue.path),
        path,
      ).toEqual(named);
    }
  }
  expect(await operationCount(shop.key)).toBe(before);
};

const dropOf = (links: number) => ({
  issuer_public_key: "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  links,
});

test("what a lock forbids is refused before anything is sent, and so is its quote", async () => {
  const collection = await createCollection(shop, {
    copies: [10],
    settings: {
      description: "At dusk",
      ongoing_royalties: { [alice]: 10 },
      transfers_denied_accounts: ["denied.test"],
      approvals_denied_accounts: ["denied.test"],
      approvals_allowed_accounts: [alice],
    },
  });
  const [{ token_id }] = (await mint(shop, collection, 1)) as [Shown];
  const path = `/collection/${collection.collection_uuid}`;
  const { drop } = await bodyOf<{ drop: { drop_id: number } }>(
    await api(`${path}/drop`, { key: shop.key, json: dropOf(1) }),
    201,
  );
  await bodyOf(
    await put("lock", collection, { locks: ["metadata", "supply", "royalties", "transfers"] }),
    200,
  );

  const settings = (json: object) =>
    ({ method: "PUT", path: "", json, fields: Object.keys(json).map((name) => [name]) }) as const;
  const metadata = [
    settings({ title: "Egrets", description: null }),
    { method: "PUT", path: "/nft-update", json: { token_id, title: "Other" }, fields: [["token_id"]] },
    {
      method: "POST",
      path: "/nft-update-bulk",
      json: { updates: [{ token_id, metadata: { title: "Other" } }] },
      fields: [["updates", 0, "token_id"]],
    },
  ] as const;
  await expectRefused(collection, metadata.slice(0, 2), /^E_LOCKED: metadata is locked/);
  await expectRefused(collection, metadata.slice(2), /can be changed/);
  await expectRefused(
    collection,
    [
      settings({ ongoing_royalties: {} }),
      settings({ ongoing_royalties: { [alice]: 10.01 } }),
      settings({ ongoing_royalties: { [alice]: 10, [shop.walletAccountId]: 1 } }),
    ],
    /^E_LOCKED: royalties are locked/,
  );
  await expectRefused(
    collection,
    [
      settings({ allow_transfers: false }),
      settings({ allow_approvals: false }),
      settings({ transfers_denied_accounts: ["denied.test", alice] }),
      settings({ approvals_denied_accounts: [alice] }),
      settings({ approvals_allowed_accounts: [] }),
    ],
    /^E_LOCKED: transfers are locked/,
  );
  const supply = [
    { method: "POST", path: "/mint", json: { receiver_addresses: [alice] }, fields: [] },
    { method: "POST", path: "/drop", json: dropOf(1), fields: [] },
    { method: "PUT", path: `/drop/${drop.drop_id}`, json: { links: 2 }, fields: [["links"]] },
    { method: "PUT", path: `/drop/${drop.drop_id}`, json: { reserve: "1" }, fields: [["reserve"]] },
  ] as const;
  await expectRefused(collection, supply, /^E_LOCKED: supply is locked/);

  // What the contract would accept is sent: values that stay, and what allows more.
  const allowed = {
    title: "Herons",
    description: "At dusk",
    ongoing_royalties: { [alice]: 10 },
    allow_transfers: true,
    transfers_denied_accounts: [],
    approvals_denied_accounts: null,
    approvals_allowed_accounts: [alice, "more.test"],
    public_mint_config: { mint_fee: "0" },
  };
  await bodyOf(await api(path, { key: shop.key, method: "PUT", json: allowed }), 200);
  const end = { expires_at: new Date(Date.now() + 1_000_000).toISOString() };
  await bodyOf(await put(`drop/${drop.drop_id}`, collection, end), 200);
});

test("what the lock of an asset or a token forbids, or a lock that the owner made without the service, is refused before anything is sent", async () => {
  const collection = await createCollection(shop, { copies: [10] });
  const [{ token_id }, { token_id: other }] = (await mint(shop, collection, 2)) as [Shown, Shown];
  await bodyOf(await put("nft-lock", collection, { token_id }), 200);
  const update = { method: "PUT", path: "/nft-update", fields: [["token_id"]] } as const;
  const said = /^E_LOCKED: metadata is locked/;
  await expectRefused(collection, [{ ...update, json: { token_id, title: "Other" } }], said);
  await bodyOf(await put("nft-update", collection, { token_id: other, title: "Other" }), 200);

  const { collection_draft_uuid: draft } = await bodyOf<{ collection_draft_uuid: string }>(
    await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
    200,
  );
  const [asset] = await bodyOf<{ asset_uuid: string }[]>(
    await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
    200,
  );
  await bodyOf(await put("lock", collection, { asset_uuids: [asset!.asset_uuid] }), 200);
  const ofAssets = [
    { ...update, json: { token_id: other, title: "Another" } },
    { method: "PUT", path: "", json: { title: "Egrets" }, fields: [["title"]] },
    {
      method: "POST",
      path: "/mint",
      json: { receiver_addresses: [alice], metadata: { title: "Own" } },
      fields: [["metadata"]],
    },
  ] as const;
  await expectRefused(collection, ofAssets, said);
  // A mint without metadata of its own is none of what that lock forbids.
  await mint(shop, collection, 1);

  const { collection_id } = collection.near_collection;
  await lock(shop, "collection_lock", { collection_id, locks: ["supply"] });
  await background.reconcile();
  const minting = {
    method: "POST",
    path: "/mint",
    json: { receiver_addresses: [alice] },
    fields: [],
  } as const;
  await expectRefused(collection, [minting], /^E_LOCKED: supply is locked/);

  const owned = await createCollection(shop, { copies: [10] });
  const place = { collection_id: owned.near_collection.collection_id };
  await lock(shop, "collection_lock", { ...place, assets: [0] });
  await background.reconcile();
  await expectRefused(owned, ofAssets.slice(1), said);
});

test("a collection tells what can still change: royalties, and the contract's code", async () => {
  const own = await createIntegration("Changing");
  const open = await createCollection(own, { copies: [1], settings });
  const locked = await createCollection(own, { copies: [1], settings });
  const read = (path: string) => api(path, { key: own.key }).then((answer) => bodyOf<object>(answer, 200));
  const none = { locked: false, announced: null, has_full_access_key: false };
  expect(await read(`/collection/${open.collection_uuid}`)).toMatchObject({
    ...{ ongoing_royalties_can_change: true, contract_code: none },
  });
  const { collection_id } = locked.near_collection;
  await lock(own, "collection_lock", { collection_id, locks: ["royalties"] });
  const announce = await lock(own, "upgrade_announce", { code_hash: `${"1".repeat(31)}2` });
  await background.reconcile();
  const announced = { code_hash: `${"00".repeat(31)}01`, earliest_height: Number(announce) };
  for (const [slug, { collection_uuid: uuid }, canChange] of [
    ["can-change", open, true],
    ["cannot-change", locked, false],
  ] as const) {
    await bodyOf(await putPage(own.key, uuid, { slug, enabled: true }), 200);
    const expected = {
      ...{ ongoing_royalties_can_change: canChange, contract_code: { ...none, announced } },
    };
    expect(await read(`/collection/${uuid}`)).toMatchObject(expected);
    expect(await read(`/public/v1/page/${slug}`)).toMatchObject(expected);
    const page = await (await api(`/m/${slug}`)).text();
    expect(page).toContain(canChange ? "They can change at any time, up to 100 %." : "They never change.");
    expect(page).toContain("New code is announced, from block ");
  }
  // Taken back, it is no longer shown.
  await lock(own, "upgrade_announce", {});
  await background.reconcile();
  expect(await read(`/collection/${open.collection_uuid}`)).toMatchObject({ contract_code: none });
});

test("nothing is locked while the contract's account has a full-access key, which could undo it", async () => {
  const key = keyOf();
  const accountId = await deployFormer({ owner: shop.walletAccountId, publicKey: key.publicKey });
  const adopted = await adopt(shop.integrationUuid, accountId);
  expect(adopted.full_access_keys).toEqual([key.text]);
  const own = { ...shop, contractUuid: adopted.contract_uuid, contractAccountId: accountId };
  const collection = await createCollection(own, { copies: [2] });
  const [token] = await mint(own, collection, 1);
  const locks = [
    ["lock", { locks: ["supply"] }],
    ["nft-lock", { token_id: token!.token_id }],
  ] as const;
  for (const [name, json] of locks)
    expect(await bodyOf(await put(name, collection, json), 409)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(key.text),
    });
  const hasKey = async () => {
    const answer = await api(`/collection/${collection.collection_uuid}`, { key: shop.key });
    const found = await bodyOf<{ contract_code: { has_full_access_key: boolean } }>(answer, 200);
    return found.contract_code.has_full_access_key;
  };
  await noteKeyless(accountId);
  await background.reconcile();
  expect(await hasKey()).toBe(true);
  await key.send(accountId, accountId, [{ kind: "delete_key", publicKey: key.publicKey }]);
  await background.reconcile();
  expect(await hasKey()).toBe(false);
  for (const [name, json] of locks) await bodyOf(await put(name, collection, json), 200);
});

test("a write that is refused by a limit isn't reported as locked", async () => {
  const collection = await createCollection(shop, { copies: [5] });
  const limit = async (operations_waiting: number | null) =>
    bodyOf(
      await admin(`/integration/${shop.integrationUuid}/limits`, {
        method: "PUT",
        json: { operations_waiting },
      }),
      200,
    );
  await limit(0);
  // There is room again when the reason is looked for.
  const WALLET = beforeWrites(async () => void (await limit(null)));
  const path = `/collection/${collection.collection_uuid}/drop`;
  const { response } = await apiWith({ WALLET }, path, { key: shop.key, json: dropOf(1) });
  expect(await bodyOf(response, 409)).toMatchObject({ code: "idempotency_key_in_flight", retryable: true });
  await bodyOf(await api(path, { key: shop.key, json: dropOf(1) }), 201);
});

test("a lock keeps the settings as an admin has changed them without the service", async () => {
  const collection = await createCollection(shop, { copies: [5] });
  const { collection_id } = collection.near_collection;
  await lock(shop, "collection_update", { collection_id, title: "Egrets" });
  await bodyOf(await put("lock", collection, { locks: ["metadata"] }), 200);
  const path = `/collection/${collection.collection_uuid}`;
  const update = (title: string) => api(path, { key: shop.key, method: "PUT", json: { title } });
  // The database has the title of before.
  expect(await bodyOf(await update("Storks"), 409)).toMatchObject({
    message: expect.stringMatching(/^E_LOCKED/),
  });
  expect(await bodyOf(await update("Egrets"), 200)).toMatchObject({ title: "Egrets" });
});

test("a lock that the database has and the contract doesn't is removed by the next comparison", async () => {
  const own = await createIntegration("Healed");
  const collection = await createCollection(own, { copies: [5] });
  await bodyOf(await put("lock", collection, { locks: ["royalties"] }, own.key), 200);
  const { collection_uuid: uuid } = collection;
  await noteLock(own.integrationUuid, uuid, "supply");
  const locked = async () =>
    (await bodyOf<{ locks: string[] }>(await api(`/collection/${uuid}`, { key: own.key }), 200)).locks;
  expect(await locked()).toEqual(["supply", "royalties"]);
  // Other code may hide locks that hold.
  const putBack = await noteCode(own.contractAccountId, new Uint8Array(32));
  await background.reconcile();
  expect(await locked()).toEqual(["supply", "royalties"]);
  await putBack();
  await background.reconcile();
  expect(await locked()).toEqual(["royalties"]);
  await mint(own, collection, 1);
});
