import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  admin,
  api,
  BASE,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { type OpenApi, type Operation, operationsOf, readDocument } from "../support/openapi.ts";

/**
 * Every list of the OpenAPI document that asks for a key is complete without a limit and pages in the same way with one.
 * What anybody may read is bounded by itself: test/api/collector-pages.test.ts.
 */

let document: OpenApi;
let shop: TestIntegration;
let ids: Record<string, string>;

beforeAll(async () => {
  document = await readDocument();
  shop = await createIntegration("Lists");
  await bodyOf(await admin("/integration", { json: { name: "Second" } }), 201);
  const json = { name: "Second", symbol: "TWO" };
  await bodyOf(await admin(`/integration/${shop.integrationUuid}/contract`, { json }), 201);
  const draft = await createDraft(shop, { copies: [1, 1, 1] });
  await createCollection(shop);
  const { collection_uuid: collection } = await createCollection(shop);
  const receivers = [shop.walletAccountId, ...(await createReceivers(1))];
  const mint = { receiver_addresses: receivers, quantity_per_receiver: 3 };
  await bodyOf(await api(`/collection/${collection}/mint`, { key: shop.key, json: mint }), 201);
  let webhook = "";
  for (const url of ["http://localhost:9/a", "http://localhost:9/b"]) {
    const made = await bodyOf<{ webhook_uuid: string }>(
      await api("/webhook", { key: shop.key, json: { url } }),
      201,
    );
    webhook = made.webhook_uuid;
  }
  for (let tests = 2; tests > 0; tests--) {
    await bodyOf(await api(`/webhook/${webhook}/test`, { key: shop.key, method: "POST" }), 200);
  }
  for (let drops = 2; drops > 0; drops--) {
    const drop = {
      issuer_public_key: newIssuer().getPublicKey().toString(),
      links: 1,
      quantity: 1,
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    await bodyOf(await api(`/collection/${collection}/drop`, { key: shop.key, json: drop }), 201);
  }
  ids = {
    webhook_uuid: webhook,
    collection_draft_uuid: draft,
    collection_uuid: collection,
    integration_uuid: shop.integrationUuid,
  };
});

/** Nothing is stuck here; test/losses/wallet-recovery.test.ts tests that list's pages. */
const EMPTY_HERE = "adminListStuckTransactions";

const withKey = (): Operation[] => operationsOf(document).filter(({ path }) => !path.startsWith("/public/"));

const lists = (): Operation[] =>
  withKey().filter(({ parameters = [] }) => parameters.some(({ name }) => name === "limit"));

const ask = (path: string): Promise<Response> =>
  path.startsWith("/admin")
    ? api(path, { headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` } })
    : api(path, { key: shop.key });

const addressOf = ({ path }: Operation): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);

test("every endpoint that returns an array is a list", () => {
  const arrays = withKey().filter(({ method, responses }) => {
    const schema = responses["200"]?.content?.["application/json"]?.schema;
    return method === "GET" && schema?.type === "array";
  });
  expect(arrays.length).toBeGreaterThanOrEqual(9);
  expect(lists().map(({ path }) => path)).toEqual(arrays.map(({ path }) => path));
});

describe("a list", () => {
  test("is complete when it is read in pages of one", async () => {
    for (const operation of lists()) {
      const address = addressOf(operation);
      const whole = await ask(address);
      expect(whole.headers.get("link"), address).toBeNull();
      const all = await bodyOf<unknown[]>(whole, 200);
      if (operation.operationId !== EMPTY_HERE) expect(all.length, address).toBeGreaterThan(1);
      const paged: unknown[] = [];
      let next: string | undefined = `${address}?limit=1`;
      while (next !== undefined) {
        const page: Response = await ask(next);
        const link = page.headers.get("link");
        next = link === null ? undefined : /^<http:\/\/mintage\.test([^>]+)>; rel="next"$/.exec(link)?.[1];
        if (link !== null) expect(next, address).toBeDefined();
        const entries = await bodyOf<unknown[]>(page, 200);
        expect(entries.length, address).toBeLessThanOrEqual(1);
        paged.push(...entries);
      }
      expect(paged, address).toEqual(all);
    }
  });

  test("refuses an invalid limit and cursor by their names", async () => {
    for (const operation of lists()) {
      for (const limit of ["0", "1001", "-1", "1.5", "ten", ""]) {
        const answer = await bodyOf(await ask(`${addressOf(operation)}?limit=${limit}`), 400);
        expect(answer, operation.path).toMatchObject({ issues: [{ path: ["limit"] }] });
      }
      const twice = await bodyOf(await ask(`${addressOf(operation)}?limit=1&limit=2`), 400);
      expect(twice, operation.path).toMatchObject({ message: "Correct limit: Give it once." });
      for (const cursor of ["nowhere", "", "%00", "1'--"]) {
        const answer = await bodyOf(await ask(`${addressOf(operation)}?cursor=${cursor}`), 400);
        expect(answer, `${operation.path} ${cursor}`).toMatchObject({ issues: [{ path: ["cursor"] }] });
      }
    }
  });

  test("answers HEAD like GET, without a body", async () => {
    for (const operation of lists()) {
      const key = operation.path.startsWith("/admin") ? `Bearer ${env.ADMIN_TOKEN}` : `Api-Key ${shop.key}`;
      const response = await api(new URL(addressOf(operation), BASE).pathname, {
        method: "HEAD",
        headers: { authorization: key },
      });
      expect(response.status, operation.path).toBe(200);
      expect(response.headers.get("content-type"), operation.path).toContain("application/json");
      expect(await response.text(), operation.path).toBe("");
    }
  });
});
