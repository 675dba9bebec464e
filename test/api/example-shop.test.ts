import { runDurableObjectAlarm } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MintageClient, type Token } from "../../client/src/index.ts";
import { createShop, type Order, WEBHOOK_TYPES } from "../../examples/shop/shop.ts";
import {
  api,
  BASE,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createDraft } from "../support/collections.ts";
import { later } from "../support/waiting.ts";

/** The shop of examples/shop/: from an order to its picture in the buyer's account. */

const ENDPOINT = "https://shop.example.com/mintage";

let integration: TestIntegration;
let shop: Hono;
let mintage: MintageClient;
let collection: string;
let webhook: string;
let buyer: string;
/** CID of each picture. */
let cids: Map<string, string>;
/** Where the connection of the shop's next mint breaks. */
let breaks: "before" | "after" | null;
/** The quotes that mints of the shop have named. */
let named: (string | null)[];
/** What the service sent to the shop. */
let sent: { readonly headers: Record<string, string>; readonly body: string }[];

beforeEach(async () => {
  [breaks, named, sent] = [null, [], []];
  integration = await createIntegration("Shop");
  [buyer] = (await createReceivers(1)) as [string];
  mintage = new MintageClient({
    baseUrl: BASE,
    apiKey: integration.key,
    retry: { retries: 0 },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith("/mint")) return exports.default.fetch(request);
      named.push(request.headers.get("mintage-quote"));
      const where = breaks;
      breaks = null;
      const answer = where === "before" ? null : await exports.default.fetch(request);
      if (answer && where === null) return answer;
      throw new Error("the connection broke");
    },
  });
  const draft = await createDraft(integration, { copies: [1, 20] });
  const pictures = new Map<string, string>();
  cids = new Map();
  for await (const asset of mintage.drafts.assets(draft)) {
    pictures.set(asset.asset_filename, asset.asset_uuid);
    cids.set(asset.asset_filename, asset.asset_cid);
  }
  collection = (await mintage.drafts.finalize(draft)).collection_uuid;
  const made = await mintage.webhooks.create({ url: ENDPOINT, types: [...WEBHOOK_TYPES] });
  webhook = made.webhook_uuid;
  shop = createShop({ mintage, collection, pictures, webhookSecret: made.secret });
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (String(input) !== ENDPOINT) return real(input, init);
    const delivery = { headers: Object.fromEntries(new Headers(init?.headers)), body: String(init?.body) };
    sent.push(delivery);
    return deliver(delivery);
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await mintage.webhooks.delete(webhook);
});

const deliver = async (delivery: { headers: Record<string, string>; body: string }) =>
  shop.request("/mintage", { method: "POST", ...delivery });
const order = async (picture: string, account = buyer) =>
  bodyOf<Order>(
    await shop.request("/orders", { method: "POST", body: JSON.stringify({ picture, account }) }),
    201,
  );
const pay = ({ id }: Order) => shop.request(`/orders/${id}/paid`, { method: "POST" });
const paid = async (one: Order) => bodyOf<Order>(await pay(one), 200);
const ended = async ({ id }: Order): Promise<Order> => {
  for (;;) {
    await runDurableObjectAlarm(env.WEBHOOK.getByName(webhook));
    const now = await bodyOf<Order>(await shop.request(`/orders/${id}`), 200);
    if (now.state !== "minting") return now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const tokens = async () =>
  bodyOf<Token[]>(await api(`/collection/${collection}/token?owner=${buyer}`, { key: integration.key }), 200);

test("a paid order is fulfilled by the webhook of its mint, with the ordered picture", async () => {
  const made = await order("1.png");
  expect(made.state).toBe("new");
  expect(await paid(made)).toMatchObject({ state: "minting", operation: expect.any(String) });
  const fulfilled = await ended(made);
  expect(fulfilled.state).toBe("fulfilled");
  const { cost } = await mintage.operations.get(fulfilled.operation!);
  expect(cost.quoted).toMatch(/^\d+$/);
  expect(BigInt(cost.actual!)).toBeLessThanOrEqual(BigInt(cost.at_most!));
  expect(await tokens()).toMatchObject([
    { token_id: fulfilled.token, owner_id: buyer, metadata: { media: cids.get("1.png") } },
  ]);
});

test("one NFT is minted even if an answer is lost, and the payment and the webhook come twice", async () => {
  const made = await order("1.png");
  breaks = "after";
  expect((await pay(made)).status).toBe(500);
  await paid(made);
  const fulfilled = await ended(made);
  expect(fulfilled.state).toBe("fulfilled");
  expect(await paid(made)).toEqual(fulfilled);
  // Where the webhook comes before the payment is told of again, there is nothing more to send.
  expect([...new Set(named)]).toEqual([fulfilled.quote]);
  for (const delivery of sent) expect((await deliver(delivery)).status).toBe(204);
  expect(await bodyOf<Order>(await shop.request(`/orders/${made.id}`), 200)).toEqual(fulfilled);
  expect(await tokens()).toHaveLength(1);
});

test("a mint whose quote expired before it was accepted is quoted again", async () => {
  const made = await order("1.png");
  breaks = "before";
  expect((await pay(made)).status).toBe(500);
  await later(11 * 60_000, async () => expect((await pay(made)).status).toBe(500));
  await paid(made);
  expect((await ended(made)).state).toBe("fulfilled");
  const [first, again, fresh] = named;
  expect(again).toBe(first);
  expect(fresh).not.toBe(first);
  expect(await tokens()).toHaveLength(1);
});

test("an order is refunded if the last copy is gone or the account doesn't exist", async () => {
  const [first, second] = [await order("0.png"), await order("0.png")];
  await paid(first);
  expect((await ended(first)).state).toBe("fulfilled");
  expect(await paid(second)).toMatchObject({
    state: "refund",
    problem: expect.stringContaining("0 copies left"),
  });
  const mistyped = await order("1.png", "nobody-has-this.test");
  expect(await paid(mistyped)).toMatchObject({ state: "refund" });
  expect(await tokens()).toHaveLength(1);
});

test("an order of an unknown picture and an unsigned webhook are refused", async () => {
  const body = JSON.stringify({ picture: "9.png", account: buyer });
  expect((await shop.request("/orders", { method: "POST", body })).status).toBe(400);
  expect((await shop.request("/orders/9")).status).toBe(404);
  const forged = {
    headers: { "webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" },
    body: "{}",
  };
  expect((await deliver(forged)).status).toBe(400);
});
