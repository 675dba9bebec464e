import { Hono } from "hono";
import Mintage from "../src/index.ts";

export { IntegrationWallet, RequestCounter, WebhookEndpoint } from "../src/index.ts";

/** What the service is measured beside: a handler that does nothing but one query. */
const bare = new Hono<{ Bindings: Env }>().get("/bare/:id", async (c) => {
  const id = Uint8Array.from(c.req.param("id").match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const row = await c.env.DB.prepare("SELECT settings, total, minted FROM collections WHERE id = ?")
    .bind(id)
    .first();
  return c.json(row);
});

/** The Worker as it is deployed, and beside it in the same runtime the bare handler. */
export default class Bench extends Mintage {
  override fetch(request: Request): Response | Promise<Response> {
    const isBare = new URL(request.url).pathname.startsWith("/bare/");
    return isBare ? bare.fetch(request, this.env, this.ctx) : super.fetch(request);
  }
}
