import Mintage from "../src/index.ts";

export { IntegrationWallet, RequestCounter, WebhookEndpoint } from "../src/index.ts";

/** What the instrumented build counts: each function of src/ that runs, and the deepest stack (bench/path.ts). */
interface Counted {
  readonly functions: Set<number>;
  depth: number;
  /** Looking at the stack takes long, so that only what is asked about is counted. */
  isOn: boolean;
}

const { counted } = globalThis as unknown as { counted: Counted };

/** What the last request ran until its response. */
let last = { functions: [] as number[], depth: 0 };

/** The Worker as it is deployed; `/path` returns what the request before it ran. */
export default class Path extends Mintage {
  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/path") return Response.json(last);
    if (!request.url.endsWith("/mint")) return super.fetch(request);
    counted.isOn = true;
    counted.functions.clear();
    counted.depth = 0;
    const response = await super.fetch(request);
    counted.isOn = false;
    last = { functions: [...counted.functions], depth: counted.depth };
    return response;
  }
}
