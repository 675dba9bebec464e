import { app } from "../../src/app.ts";
import Mintage from "../../src/index.ts";

export { IntegrationWallet, RequestCounter, WebhookEndpoint } from "../../src/index.ts";

/** The Worker as it is deployed, which says in its answers and its log which of two it is. */
export default class Marking extends Mintage {
  get #name(): string {
    return (this.env as unknown as { readonly WORKER_NAME: string }).WORKER_NAME;
  }

  /**
   * Answers with the Workers that the request came through, the last one first, and what that one was asked. With
   * `x-test-fail` the Worker for writes throws; with `x-test-forget` it is ended as soon as it has answered.
   */
  override async fetch(request: Request): Promise<Response> {
    const isForWrites = this.#name.endsWith("-writes");
    if (isForWrites && request.headers.has("x-test-fail")) throw new Error("this Worker fails");
    const forgets = isForWrites && request.headers.has("x-test-forget");
    const answer = await (forgets ? this.#forgetting(request) : super.fetch(request));
    const headers = new Headers(answer.headers);
    headers.append("x-test-workers", this.#name);
    if (!headers.has("x-test-address")) {
      headers.set("x-test-address", request.headers.get("cf-connecting-ip") ?? "none");
      headers.set("x-test-url", request.url);
    }
    return new Response(answer.body, { status: answer.status, headers });
  }

  /** Carries a request out, and nothing that was to go on behind its answer. */
  #forgetting(request: Request): Response | Promise<Response> {
    const { exports, props } = this.ctx;
    return app.fetch(request, this.env, {
      waitUntil: () => undefined,
      passThroughOnException: () => undefined,
      exports,
      props,
    } as unknown as ExecutionContext);
  }
}
