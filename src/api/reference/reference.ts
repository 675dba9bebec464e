import type { Api } from "../endpoint.ts";
import page from "./page.html";

/**
 * Serves the reference at /docs: one page without anything from elsewhere, which draws the service's own OpenAPI
 * document and sends requests to this service alone. Its script and style run by a nonce and nothing else does.
 */
export const serveReference = (api: Api): void => {
  api.get("/docs", (c) => {
    const nonce = crypto.randomUUID();
    c.header(
      "Content-Security-Policy",
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    return c.html(page.replaceAll('nonce="NONCE"', `nonce="${nonce}"`));
  });
};
