import type { Api } from "../endpoint.ts";
import { referencePage } from "./page.ts";

/** Address of Scalar's script at the service. */
const SCRIPT = "/docs/reference.js";

/** Its name in the folder of `[assets]` (wrangler.toml). */
const SCRIPT_ASSET = "/standalone.js";

/**
 * What the page may do: run the scripts of its nonce and ask this service. Scalar sets `style` attributes, which can't
 * carry a nonce; style elements have to.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src-elem 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Serves the reference at /docs, and its script. Both come from this service alone. */
export const serveReference = (api: Api): void => {
  api.get("/docs", (c) => {
    const nonce = crypto.randomUUID();
    c.header("Content-Security-Policy", policy(nonce));
    return c.html(referencePage(nonce, SCRIPT));
  });
  api.get(SCRIPT, async (c) => {
    const asset = await c.env.ASSETS.fetch(new Request(new URL(SCRIPT_ASSET, c.req.url), c.req.raw));
    const answer = new Response(asset.body, asset);
    answer.headers.set("Cache-Control", "public, max-age=3600");
    return answer;
  });
};
