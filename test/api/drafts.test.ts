import { beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";

interface Draft {
  collection_draft_uuid: string;
  title: string;
  [field: string]: unknown;
}

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration();
});

const create = (body: object, key = shop.key) => api("/collection-draft", { key, json: body });
const minimal = () => ({ contract_uuid: shop.contractUuid, title: "Herons" });
const created = async (body: object = {}) => bodyOf<Draft>(await create({ ...minimal(), ...body }), 201);

/** Paths of the issues for which a request is refused. */
async function refusedFor(body: object): Promise<string[]> {
  const answer = await bodyOf<{ code: string; issues: { path: (string | number)[] }[] }>(
    await create(body),
    400,
  );
  expect(answer.code).toBe("invalid_request");
  return answer.issues.map(({ path }) => path.join("."));
}

describe("creating a draft", () => {
  test("needs only the required fields, and sets defaults for all others", async () => {
    const draft = await created();
    expect(draft).toEqual({
      collection_draft_uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      contract_uuid: shop.contractUuid,
      state: "draft",
      collection_uuid: null,
      operation_uuid: null,
      title: "Herons",
      description: null,
      public_mint_config: null,
      private_mint_config: null,
      phases: [],
      bypass_mint_fee_accounts: [],
      initial_royalties: {},
      ongoing_royalties: {},
      allow_approvals: true,
      approvals_allowed_accounts: null,
      approvals_denied_accounts: null,
      allow_transfers: true,
      transfers_denied_accounts: null,
      reveal: false,
      asset_placeholder: null,
      created_at: expect.any(String),
      updated_at: draft.created_at,
    });
  });

  test("stores every field in its normal form, and returns it", async () => {
    const draft = await created({
      title: "🖼".repeat(256),
      description: "é".repeat(1024),
      public_mint_config: { mint_fee: "2700000000000000000000", starts_at: "2030-01-01T01:00:00+01:00" },
      private_mint_config: { mint_fee: "0", ends_at: "2031-01-01T00:00:00Z", limit_per_account: 3 },
      bypass_mint_fee_accounts: ["alice.near", "bob.near", "alice.near"],
      initial_royalties: { "alice.near": 82.5, "bob.near": 12.5 },
      ongoing_royalties: { "alice.near": 100 },
      allow_approvals: false,
      approvals_allowed_accounts: [],
      approvals_denied_accounts: ["market.near"],
      allow_transfers: false,
      transfers_denied_accounts: ["escrow.near"],
    });
    expect(draft).toMatchObject({
      public_mint_config: {
        mint_fee: "2700000000000000000000",
        starts_at: "2030-01-01T00:00:00.000Z",
        ends_at: null,
        limit_per_account: null,
      },
      private_mint_config: { starts_at: null, ends_at: "2031-01-01T00:00:00.000Z", limit_per_account: 3 },
      bypass_mint_fee_accounts: ["alice.near", "bob.near"],
      initial_royalties: { "alice.near": 82.5, "bob.near": 12.5 },
      approvals_allowed_accounts: [],
      allow_transfers: false,
    });
    const read = await api(`/collection-draft/${draft.collection_draft_uuid}`, { key: shop.key });
    expect(await bodyOf(read, 200)).toEqual(draft);
  });

  test("treats null as an absent field", async () => {
    const nulls = {
      description: null,
      public_mint_config: null,
      initial_royalties: null,
      allow_transfers: null,
    };
    expect(await created(nulls)).toMatchObject({ initial_royalties: {}, allow_transfers: true });
  });

  test.each([
    ["a title of 257 characters", { title: "x".repeat(257) }, ["title"]],
    ["an empty title", { title: "" }, ["title"]],
    ["no title", { title: undefined }, ["title"]],
    ["a description of 1025", { description: "x".repeat(1025) }, ["description"]],
    ["a field that is not known", { titel: "x" }, ["titel"]],
    [
      "a fee below a token's storage",
      { public_mint_config: { mint_fee: "1" } },
      ["public_mint_config.mint_fee"],
    ],
    ["a fee as a number", { public_mint_config: { mint_fee: 0 } }, ["public_mint_config.mint_fee"]],
    ["a window that ends before it starts", window("2031", "2030"), ["public_mint_config.ends_at"]],
    ["no account id", { bypass_mint_fee_accounts: ["ok.near", "Not"] }, ["bypass_mint_fee_accounts.1"]],
    ["96% of mint fees", { initial_royalties: { "a.near": 50, "b.near": 46 } }, ["initial_royalties"]],
    ["101% of resales", { ongoing_royalties: { "a.near": 60, "b.near": 41 } }, ["ongoing_royalties"]],
    ["three decimals", { ongoing_royalties: { "a.near": 1.005 } }, ["ongoing_royalties.a.near"]],
    ["11 initial accounts", { initial_royalties: accounts(11) }, ["initial_royalties"]],
    ["10 ongoing accounts", { ongoing_royalties: accounts(10) }, ["ongoing_royalties"]],
    ["half a surrogate pair", { title: "\ud800" }, ["title"]],
    ["someone's contract that is none", { contract_uuid: crypto.randomUUID() }, ["contract_uuid"]],
    ["no UUID", { contract_uuid: "1" }, ["contract_uuid"]],
  ])("with %s is refused by the field's name", async (_, change, paths) => {
    expect(await refusedFor({ ...minimal(), ...change })).toEqual(paths);
  });

  test("reports all mistakes together", async () => {
    const wrong = {
      title: 5,
      allow_transfers: "no",
      extra: 1,
      public_mint_config: { mint_fee: "x", limit: 1 },
    };
    expect((await refusedFor(wrong)).sort()).toEqual([
      "allow_transfers",
      "contract_uuid",
      "extra",
      "public_mint_config.limit",
      "public_mint_config.mint_fee",
      "title",
    ]);
  });
});

describe("changing and deleting a draft", () => {
  test("keeps absent fields, and clears fields that are null", async () => {
    const draft = await created({ description: "old", initial_royalties: { "a.near": 5 } });
    const path = `/collection-draft/${draft.collection_draft_uuid}`;
    const changes = { title: "New", initial_royalties: null };
    const changed = await bodyOf<Draft>(
      await api(path, { method: "PUT", key: shop.key, json: changes }),
      200,
    );
    expect(changed).toMatchObject({ title: "New", description: "old", initial_royalties: {} });
    expect(await bodyOf(await api(path, { key: shop.key }), 200)).toEqual(changed);
  });

  test("keeps the changes of two concurrent requests", async () => {
    const { collection_draft_uuid: id } = await created();
    const put = (json: object) => api(`/collection-draft/${id}`, { method: "PUT", key: shop.key, json });
    const fields = [
      { title: "A" },
      { description: "B" },
      { allow_transfers: false },
      { allow_approvals: false },
    ];
    for (const response of await Promise.all(fields.map(put))) await bodyOf(response, 200);
    const read = await bodyOf<Draft>(await api(`/collection-draft/${id}`, { key: shop.key }), 200);
    expect(read).toMatchObject({
      title: "A",
      description: "B",
      allow_transfers: false,
      allow_approvals: false,
    });
  });

  test("keeps concurrent changes within a mint config too", async () => {
    const config = {
      mint_fee: "2700000000000000000000",
      ends_at: "2031-01-01T00:00:00.000Z",
      limit_per_account: 3,
    };
    const { collection_draft_uuid: id } = await created({ public_mint_config: config });
    const put = (public_mint_config: object | null, headers = {}) =>
      api(`/collection-draft/${id}`, { method: "PUT", key: shop.key, json: { public_mint_config }, headers });
    const changes = [{ mint_fee: "0" }, { ends_at: null }, { limit_per_account: 4 }];
    const answers = await Promise.all(
      changes.map((change, index) => put(change, index % 2 ? { "idempotency-key": `change-${index}` } : {})),
    );
    for (const answer of answers) await bodyOf(answer, 200);
    const read = await bodyOf<Draft>(await api(`/collection-draft/${id}`, { key: shop.key }), 200);
    const changed = { mint_fee: "0", starts_at: null, ends_at: null, limit_per_account: 4 };
    expect(read.public_mint_config).toEqual(changed);
    expect(await bodyOf(await put({ mint_fee: null }), 400)).toMatchObject({
      issues: [
        { path: ["public_mint_config", "mint_fee"], message: expect.stringMatching(/whole config to null/) },
      ],
    });
    await bodyOf(await put(null), 200);
    expect(await bodyOf(await put({ limit_per_account: 1 }), 400)).toMatchObject({
      issues: [
        { path: ["public_mint_config", "mint_fee"], message: expect.stringMatching(/^Give mint_fee/) },
      ],
    });
    const other = await createIntegration("Other shop");
    const json = { public_mint_config: { mint_fee: "0" } };
    await bodyOf(await api(`/collection-draft/${id}`, { method: "PUT", key: other.key, json }), 404);
  });

  test("can't clear the title", async () => {
    const { collection_draft_uuid: id } = await created();
    const response = await api(`/collection-draft/${id}`, {
      method: "PUT",
      key: shop.key,
      json: { title: null },
    });
    expect(await bodyOf(response, 400)).toMatchObject({ issues: [{ path: ["title"] }] });
  });

  test("removes a deleted draft", async () => {
    const { collection_draft_uuid: id } = await created();
    const response = await api(`/collection-draft/${id}`, { method: "DELETE", key: shop.key });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    for (const method of ["GET", "DELETE"]) {
      const again = await api(`/collection-draft/${id}`, { method, key: shop.key });
      expect(await bodyOf(again, 404)).toMatchObject({ code: "not_found" });
    }
  });
});

describe("a list of drafts", () => {
  test("is returned whole or in pages, newest first", async () => {
    const own = await createIntegration("List shop");
    const titles = Array.from({ length: 7 }, (_, index) => `Draft ${index}`);
    for (const title of titles) {
      await bodyOf(await create({ contract_uuid: own.contractUuid, title }, own.key), 201);
    }
    const all = await bodyOf<Draft[]>(await api("/collection-draft", { key: own.key }), 200);
    expect(all.map(({ title }) => title)).toEqual(titles.toReversed());
    const paged: Draft[] = [];
    let path: string | undefined = "/api/v1/collection-draft?limit=3";
    let pages = 0;
    while (path !== undefined) {
      const response: Response = await api(path, { key: own.key });
      paged.push(...(await bodyOf<Draft[]>(response, 200)));
      path = /<http:\/\/mintage\.test([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      pages += 1;
    }
    expect([pages, paged]).toEqual([3, all]);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "limit=1&limit=2", "cursor=nonsense&limit=1", "page=2"])(
    "with ?%s is refused",
    async (query) => {
      await bodyOf(await api(`/collection-draft?${query}`, { key: shop.key }), 400);
    },
  );
});

/** A public mint from one year to another. */
function window(from: string, to: string) {
  const at = (year: string) => `${year}-01-01T00:00:00Z`;
  return { public_mint_config: { mint_fee: "0", starts_at: at(from), ends_at: at(to) } };
}

/** Royalties of 1% to that many accounts. */
function accounts(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`account-${index}.near`, 1]));
}
