import { env } from "cloudflare:workers";
import Mintage from "../src/index.ts";
import { watchDatabase } from "../testing/database-usage.ts";

export { IntegrationWallet, RequestCounter, WebhookEndpoint } from "../src/index.ts";

const usage = watchDatabase(env.DB);

/** The Worker as it is deployed, which tells what it has asked of the database, and runs its schedule when told to. */
export default class Bench extends Mintage {
  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/usage") return Response.json(usage());
    if (pathname !== "/bench/schedule") return super.fetch(request);
    await this.scheduled({ cron: "* * * * *", scheduledTime: Date.now(), noRetry: () => undefined });
    return Response.json({});
  }
}
