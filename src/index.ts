// The Worker. docs/architecture.md shows the layers of src/ and what each may import.

import { WorkerEntrypoint } from "cloudflare:workers";
import { app, backgroundContext } from "./app.ts";
import type { Uuid } from "./domain/ids.ts";
import { finish } from "./operations/engine/drive.ts";
import { provideStorage } from "./operations/top-up-ahead.ts";
import { reconcile } from "./operator/jobs/reconcile.ts";
import type { EndedRow, StorageDemand } from "./wallet/interface.ts";

export { WebhookEndpoint } from "./events/webhooks/object.ts";
export { RequestCounter } from "./http/request-counter-object.ts";
export { IntegrationWallet } from "./operations/engine/object.ts";

/** The Worker: requests, scheduled work, and what a wallet object leaves to another isolate. */
export default class Mintage extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Response | Promise<Response> {
    return app.fetch(request, this.env, this.ctx);
  }

  override scheduled(controller: ScheduledController): Promise<void> {
    return reconcile(this.#context({ cron: controller.cron }));
  }

  /** Reads an operation's results and ends it; its wallet's object asks for it where that takes long (`Drive`). */
  finish(integrationId: Uuid, id: Uuid, height: number | null): Promise<EndedRow | null> {
    return finish(this.#context({ operation_uuid: id }), { integrationId, id }, height);
  }

  /** Tops a contract up for the next likely writes; the wallet object calls it while it receives intents. */
  provideStorage(demand: StorageDemand): Promise<number | null> {
    return provideStorage(this.#context({ contract: demand.contract }), demand);
  }

  #context(fields: Readonly<Record<string, unknown>>) {
    const waitUntil = (work: Promise<unknown>) => this.ctx.waitUntil(work);
    return backgroundContext(this.env, { waitUntil }, fields);
  }
}
