import { beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { chainCall } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";

interface Holder {
  readonly account_id: string;
  readonly tokens: number;
}

interface Token {
  readonly token_id: string;
  readonly owner_id: string;
  readonly media_url: string;
}

let shop: TestIntegration;
let stranger: TestIntegration;
let collection: string;
let collectionId: number;
let other: string;
let [alice, bob, carol] = ["", "", ""];
/** Height of a block before carol got her token. */
let before: number;
/** Of one before that, whose state nodes no longer have. */
let old: number;

const get = (path: string, headers: Record<string, string> = {}, key = shop.key) =>
  api(path, { key, headers });
const holders = async (of: string) => bodyOf<Holder[]>(await get(`/collection/${of}/holder`), 200);
const owned = async (owner: string, query = "") =>
  bodyOf<Token[]>(await get(`/collection/${collection}/token?owner=${owner}${query}`), 200);
const mint = async (uuid: string, receiver: string, quantity: number) =>
  bodyOf<{ tokens: Token[] }>(
    await api(`/collection/${uuid}/mint`, {
      key: shop.key,
      json: { receiver_addresses: [receiver], quantity_per_receiver: quantity },
    }),
    201,
  );
const heightNow = async () =>
  Number((await get(`/collection/${collection}/holder`)).headers.get("x-block-height"));
const nextOf = (answer: Response): string | null =>
  /^<http:\/\/mintage\.test([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1] ?? null;

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  const made = await createCollection(shop, { copies: [20] });
  collection = made.collection_uuid;
  collectionId = made.near_collection.collection_id;
  other = (await createCollection(shop, { copies: [5] })).collection_uuid;
  [alice, bob, carol] = (await createReceivers(3)) as [string, string, string];
  await mint(collection, alice, 2);
  old = await heightNow();
  await chainCall("devchain_advance", { heights: 2_100, blocks: 10 });
  await mint(other, alice, 1);
  await mint(collection, bob, 3);
  before = await heightNow();
  await mint(collection, carol, 1);
  await mint(collection, alice, 1);
});

describe("GET /collection/{uuid}/holder", () => {
  test("counts tokens at one final block, which it names, with the largest holders first", async () => {
    const answer = await get(`/collection/${collection}/holder`);
    expect(Number(answer.headers.get("x-block-height"))).toBeGreaterThan(before);
    expect(answer.headers.get("x-block-hash")).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/);
    const tied = [
      { account_id: alice, tokens: 3 },
      { account_id: bob, tokens: 3 },
    ].sort((a, b) => (a.account_id < b.account_id ? -1 : 1));
    expect(await bodyOf<Holder[]>(answer, 200)).toEqual([...tied, { account_id: carol, tokens: 1 }]);
  });

  test("counts tokens at a given earlier block", async () => {
    const answer = await get(`/collection/${collection}/holder?block_height=${before}`);
    expect(answer.headers.get("x-block-height")).toBe(String(before));
    expect(await bodyOf<Holder[]>(answer, 200)).toEqual([
      { account_id: bob, tokens: 3 },
      { account_id: alice, tokens: 2 },
    ]);
  });

  test("counts each collection separately at the same block", async () => {
    const at = async (uuid: string) =>
      bodyOf<Holder[]>(await get(`/collection/${uuid}/holder?block_height=${before}`), 200);
    expect(await at(other)).toEqual([{ account_id: alice, tokens: 1 }]);
    expect(await at(collection)).toEqual([
      { account_id: bob, tokens: 3 },
      { account_id: alice, tokens: 2 },
    ]);
    expect(await at(other)).toEqual([{ account_id: alice, tokens: 1 }]);
  });

  test("uses the same block for all pages", async () => {
    await mint(other, bob, 1);
    const all = await holders(other);
    const first = await get(`/collection/${other}/holder?limit=1`);
    const height = first.headers.get("x-block-height");
    await mint(other, carol, 1);
    const second = await get(nextOf(first)!);
    expect(second.headers.get("x-block-height")).toBe(height);
    expect(nextOf(second)).toBeNull();
    const paged = [...(await bodyOf<Holder[]>(first, 200)), ...(await bodyOf<Holder[]>(second, 200))];
    expect(paged).toEqual(all);
  });

  test("returns CSV if Accept prefers it", async () => {
    const answer = await get(`/collection/${collection}/holder?block_height=${before}`, {
      accept: "text/csv",
    });
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(await answer.text()).toBe(`account_id,tokens\r\n${bob},3\r\n${alice},2\r\n`);
    const either = await get(`/collection/${collection}/holder`, {
      accept: "application/json, text/csv;q=0.9",
    });
    expect(either.headers.get("content-type")).toContain("application/json");
    await bodyOf(await get(`/collection/${collection}/holder`, { accept: "text/html" }), 406);
    await bodyOf(await get("/collection", { accept: "text/csv" }), 406);
  });

  test("refuses blocks that no node has, and invalid cursors, by the parameter's name", async () => {
    for (const [query, path] of [
      ["block_height=999999999", "block_height"],
      ["block_height=0", "block_height"],
      ["block_height=1e3", "block_height"],
      ["cursor=1-", "cursor"],
      ["cursor=x", "cursor"],
    ]) {
      const refused = await bodyOf(await get(`/collection/${collection}/holder?${query}`), 400);
      expect(refused, query).toMatchObject({ issues: [{ path: [path] }] });
    }
  });

  test("refuses blocks whose state nodes no longer have", async () => {
    expect(await chainCall("block", { block_id: old })).toHaveProperty("header");
    expect(
      await bodyOf(await get(`/collection/${collection}/holder?block_height=${old}`), 400),
    ).toMatchObject({
      issues: [{ path: ["block_height"] }],
    });
    expect(await bodyOf(await get(`/collection/${collection}/holder?cursor=${old}-1`), 400)).toMatchObject({
      message: expect.stringContaining("Begin again"),
      issues: [{ path: ["cursor"] }],
    });
    await holders(collection);
  });

  test("answers other integrations as if the collection didn't exist", async () => {
    await bodyOf(await get(`/collection/${collection}/holder`, {}, stranger.key), 404);
    await bodyOf(await api(`/collection/${collection}/holder`), 401);
    const { key, readKey } = shop;
    const read = async (by: string) => bodyOf(await get(`/collection/${collection}/holder`, {}, by), 200);
    expect(await read(readKey)).toEqual(await read(key));
  });
});

describe("GET /collection/{uuid}/token?owner=", () => {
  test("lists an account's tokens of this collection only", async () => {
    const tokens = await owned(alice);
    expect(tokens.map(({ token_id }) => token_id).sort()).toEqual([
      `${collectionId}:1`,
      `${collectionId}:2`,
      `${collectionId}:7`,
    ]);
    expect(tokens.every(({ owner_id }) => owner_id === alice)).toBe(true);
    expect(await owned("nobody.near")).toEqual([]);
  });

  test("lists each token once over pages of a bounded number of examined tokens", async () => {
    const paged: Token[] = [];
    let next: string | null = `/collection/${collection}/token?owner=${alice}&limit=1`;
    while (next !== null) {
      const page: Response = await get(next);
      next = nextOf(page);
      paged.push(...(await bodyOf<Token[]>(page, 200)));
    }
    expect(paged).toEqual(await owned(alice));
  });

  test("returns CSV if Accept prefers it, without texts written by others", async () => {
    const [token] = await owned(carol);
    const answer = await get(`/collection/${collection}/token?owner=${carol}&limit=1`, {
      accept: "text/csv",
    });
    expect((await answer.text()).split("\r\n").slice(0, 2)).toEqual([
      "token_id,owner_id,media_url,reference_url",
      `${token!.token_id},${carol},${token!.media_url},`,
    ]);
  });

  test("refuses invalid accounts and other integrations", async () => {
    const refused = await bodyOf(await get(`/collection/${collection}/token?owner=A`), 400);
    expect(refused).toMatchObject({ issues: [{ path: ["owner"] }] });
    await bodyOf(await get(`/collection/${collection}/token?owner=${alice}`, {}, stranger.key), 404);
  });
});
