/**
 * A shop that sells the pictures of a collection as NFTs: an order is paid, its mint is quoted and costs no more, the
 * picture goes to the buyer, and the webhook fulfils the order. Orders are in memory here; keep yours in a database.
 */
import { Hono } from "hono";
import { ApiError, type MintageClient, type Operation, verifyWebhook } from "../../client/src/index.ts";

export interface Order {
  readonly id: string;
  /** A file name among the shop's pictures, and the NEAR account that its NFT goes to. */
  readonly picture: string;
  readonly account: string;
  /** `refund`: the mint is impossible, so the buyer gets the money back. */
  state: "new" | "paid" | "minting" | "fulfilled" | "refund";
  quote?: string | undefined;
  operation?: string;
  token?: string;
  problem?: string;
}

interface ShopOptions {
  readonly mintage: MintageClient;
  readonly collection: string;
  /** The uuid of each picture's asset, by file name. */
  readonly pictures: ReadonlyMap<string, string>;
  readonly webhookSecret: string;
}

/** Refusals that the same order gets whenever it is tried again. */
const IMPOSSIBLE = ["sold_out", "unknown_account", "invalid_request"];
/** Refusals after which the mint must be quoted again. */
const QUOTE_OVER = ["quote_expired", "cost_exceeds_maximum"];

/** Operations whose ends the shop wants to be told of. */
export const WEBHOOK_TYPES = ["operation.succeeded", "operation.failed"] as const;

export function createShop({ mintage, collection, pictures, webhookSecret }: ShopOptions): Hono {
  const orders = new Map<string, Order>();
  const app = new Hono();

  app.get("/orders/:id", (c) => {
    const order = orders.get(c.req.param("id"));
    return order ? c.json(order) : c.notFound();
  });

  app.post("/orders", async (c) => {
    const { picture, account } = await c.req.json<Pick<Order, "picture" | "account">>();
    if (!pictures.has(picture)) return c.text("The shop has no such picture.", 400);
    const order: Order = { id: crypto.randomUUID(), picture, account, state: "new" };
    orders.set(order.id, order);
    return c.json(order, 201);
  });

  // Your payment provider calls this. Verify that it is the provider, which calls again until it gets a 2xx.
  app.post("/orders/:id/paid", async (c) => {
    const order = orders.get(c.req.param("id"));
    if (!order) return c.notFound();
    if (order.state === "new") order.state = "paid";
    if (order.state === "paid") await mint(order);
    return c.json(order);
  });

  /** Sent again under the order's id it mints once, at the cost that was quoted first, whatever was lost before. */
  async function mint(order: Order): Promise<void> {
    const asset_uuid = pictures.get(order.picture) as string;
    const body = { receiver_addresses: [order.account], asset_uuid, reference: order.id };
    const path = `/collection/${collection}/mint`;
    try {
      order.quote ??= (await mintage.quote({ method: "POST", path, body })).quote_uuid;
      const options = { idempotencyKey: order.id, quote: order.quote };
      order.operation = await mintage.collections.startMint(collection, body, options);
      // The webhook may have come before this answer.
      if (order.state === "paid") order.state = "minting";
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "";
      if (QUOTE_OVER.includes(code)) order.quote = undefined;
      if (!(error instanceof ApiError) || !IMPOSSIBLE.includes(code)) throw error;
      Object.assign(order, { state: "refund", problem: error.message });
    }
  }

  app.post("/mintage", async (c) => {
    const signed = [c.req.raw.headers, await c.req.text(), webhookSecret] as const;
    const event = await verifyWebhook(...signed).catch(() => null);
    if (event === null) return c.text("not signed by Mintage", 400);
    const { reference, answer } = event.data as unknown as Operation;
    const order = orders.get(reference ?? "");
    if (!order) return c.body(null, 204);
    const { tokens, message } = answer!.body as { tokens?: { token_id: string }[]; message: string };
    if (event.type === "operation.succeeded") order.token = tokens?.[0]?.token_id;
    else order.problem = message;
    order.state = event.type === "operation.succeeded" ? "fulfilled" : "refund";
    return c.body(null, 204);
  });

  return app;
}
