import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { addOperations } from "../support/archives.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, createHalfSold } from "../support/collections.ts";
import { operationOver } from "../support/operations.ts";

interface Summary {
  readonly operation_uuid: string;
  readonly kind: string;
  readonly state: string;
  readonly subject_uuid: string;
  readonly created_at: string;
}

let shop: TestIntegration;
let stranger: TestIntegration;
let collection: string;

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  collection = (await createHalfSold(shop)).collection_uuid;
});

afterEach(() => setFaults());

const mint = (more: object = {}, headers: Record<string, string> = {}) =>
  api(`/collection/${collection}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [shop.walletAccountId], ...more },
    headers,
  });
const list = async (query: string, key = shop.key) =>
  bodyOf<Summary[]>(await api(`/operation?${query}`, { key }), 200);
const refused = async (query: string) =>
  bodyOf<{ issues: object[] }>(await api(`/operation?${query}`, { key: shop.key }), 400);

describe("GET /operation", () => {
  test("filters by state, kind, subject and time, newest first", async () => {
    await bodyOf(await mint({ quantity_per_receiver: 2 }), 409);
    await bodyOf(await mint(), 201);
    const all = await list("");
    expect(all.map(({ kind }) => kind)).toEqual([
      "mint",
      "mint",
      "finalize",
      "contract_deploy",
      "wallet_create",
    ]);
    expect(all.map(({ state }) => state)).toEqual(["succeeded", "failed", ...Array(3).fill("succeeded")]);
    const [minted, failed, finalized] = all as [Summary, Summary, Summary];
    expect(await list("state=failed")).toEqual([failed]);
    expect(await list("kind=mint")).toEqual([minted, failed]);
    expect(await list("kind=mint&state=succeeded")).toEqual([minted]);
    expect(await list(`subject_uuid=${collection}`)).toEqual([minted, failed]);
    expect(await list(`created_after=${finalized.created_at}`)).toEqual([minted, failed]);
    expect(await list(`created_after=${minted.created_at}`)).toEqual([]);
    expect(await list("state=unknown")).toEqual([]);
    expect(Object.keys(failed)).toEqual([
      "operation_uuid",
      "kind",
      "state",
      "subject_uuid",
      "reference",
      "created_at",
      "updated_at",
      "finished_at",
    ]);
  });

  test("shows running operations without asking a wallet", async () => {
    collection = (await createCollection(shop, { copies: [1] })).collection_uuid;
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const begun = await mint({ reference: "order-7" }, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<Summary>(begun, 202);
    expect(await list("state=pending")).toMatchObject([{ operation_uuid: uuid, state: "pending" }]);
    expect(await list("state=pending&reference=order-7")).toHaveLength(1);
    expect(await list("state=pending&reference=order-8")).toEqual([]);
    expect(await list(`state=pending&subject_uuid=${collection}&kind=mint`)).toHaveLength(1);
    expect(await list("state=pending&kind=finalize")).toEqual([]);
    await setFaults();
    await operationOver(shop.key, uuid);
    expect(await list("state=pending")).toEqual([]);
  });

  test("examines a bounded number of rows, and continues after those that it left out", async () => {
    const subject = crypto.randomUUID();
    await addOperations(shop.integrationUuid, subject, 1, "allowlist_add");
    const wanted = `subject_uuid=${subject}&kind=allowlist_add`;
    const oldest = await list(wanted);
    expect(oldest).toHaveLength(1);
    // The most that it looks at.
    await addOperations(shop.integrationUuid, subject, 1_000, "allowlist_clear");
    const first = await api(`/operation?${wanted}&limit=1`, { key: shop.key });
    const link = /^<http:\/\/mintage\.test([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
    expect(await bodyOf(first, 200)).toEqual([]);
    expect(await bodyOf(await api(link!, { key: shop.key }), 200)).toEqual(oldest);
    expect(await list(wanted)).toEqual(oldest);
    const foreign = await api(`/operation?${wanted}&limit=1`, { key: stranger.key });
    expect(foreign.headers.get("link")).toBeNull();
    expect(await bodyOf(foreign, 200)).toEqual([]);
  });

  test("refuses invalid filters by their names", async () => {
    for (const [query, path] of [
      ["state=done", "state"],
      ["kind=burn", "kind"],
      ["subject_uuid=1", "subject_uuid"],
      ["created_after=yesterday", "created_after"],
      ["cursor=1", "cursor"],
      ["owner=alice.near", "owner"],
    ]) {
      expect(await refused(query!), query).toMatchObject({ issues: [{ path: [path] }] });
    }
  });

  test("accepts a read key, and requires a key", async () => {
    expect(await list("kind=finalize", shop.readKey)).toHaveLength(2);
    await bodyOf(await api("/operation"), 401);
  });

  test("shows nothing of another integration with any filter", async () => {
    expect(await list(`subject_uuid=${collection}`, stranger.key)).toEqual([]);
    const [own] = await list("kind=mint");
    const theirs = await list(`cursor=${own!.operation_uuid}`, stranger.key);
    expect(theirs.map(({ kind }) => kind)).not.toContain("mint");
  });
});
