import { WorkerEntrypoint } from "cloudflare:workers";
import { app } from "./app.ts";

export { IntegrationWallet } from "./wallet/object.ts";

/** The Worker: requests and scheduled work come in here, and the wallet object's alarm by `resume`. */
export default class Mintage extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Response | Promise<Response> {
    return app.fetch(request, this.env, this.ctx);
  }
}
