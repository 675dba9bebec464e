/** The Worker with one more address, which puts plain bytes. */
import Mintage from "../src/index.ts";

export { IntegrationWallet, RequestCounter, WebhookEndpoint } from "../src/index.ts";

/** Puts at once: as many connections as a Worker has. */
const CONNECTIONS = 6;

/** What the upload is compared with: the same bytes put to R2, without a form around them and without rows. */
async function plainPuts(env: Env, count: number, size: number, seed: number): Promise<Response> {
  let next = 0;
  const worker = async () => {
    const bytes = new Uint8Array(size);
    while (next < count) {
      const index = next++;
      new DataView(bytes.buffer).setUint32(0, seed + index);
      await env.BUCKET.put(`plain/${seed + index}`, bytes);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return new Response("done");
}

export default class Bench extends Mintage {
  override fetch(request: Request): Response | Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname !== "/plain") return super.fetch(request);
    const number = (name: string) => Number(url.searchParams.get(name));
    return plainPuts(this.env, number("count"), number("size"), number("seed"));
  }
}
