import type { OpenAPIHono } from "@hono/zod-openapi";
import { toHex } from "../domain/ids.ts";
import { namesEtag } from "../http/acceptance.ts";
import type { AppEnv } from "../http/app-env.ts";
import { baseUrl } from "../http/app-env.ts";

const DESCRIPTION = `Draft an NFT collection, attach its files, put it on NEAR, keep its allowlist, mint and update its NFTs.

A write that touches the chain waits for finality. If that takes too long, the answer is 202 and its Location leads to the operation, which ends with the same body that the call would have had. Send an \`Idempotency-Key\` with every write, and a request that was cut off can be repeated without doing anything twice.

Amounts are decimal strings of yoctoNEAR, times are RFC 3339 in UTC, lengths are counted in Unicode code points, and a field that is not known is an error.`;

const ABOUT = {
  openapi: "3.1.0",
  info: { title: "Mintage", version: "1.0.0", description: DESCRIPTION, license: { name: "Apache-2.0" } },
};

const digestOf = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))).slice(0, 32);

/** Serves an app's document, which is written once an isolate; its servers are the address that is asked. */
export const serveDocument = (app: OpenAPIHono<AppEnv>): void => {
  app.openAPIRegistry.registerComponent("securitySchemes", "ApiKey", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Api-Key <API_KEY>`; the key begins with `mk_live_`. `Bearer <API_KEY>` is the same.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "OperatorToken", {
    type: "http",
    scheme: "bearer",
    description: "The operator's token. Without one in the settings, /admin/v1 returns 404.",
  });
  // The text is without its end, so that the servers can be put behind it.
  let written: { readonly text: string; readonly tag: string } | undefined;
  app.get("/openapi.json", async (c) => {
    if (written === undefined) {
      const text = JSON.stringify(app.getOpenAPI31Document(ABOUT)).slice(0, -1);
      written = { text, tag: await digestOf(text) };
    }
    const servers = JSON.stringify([{ url: baseUrl(c) }]);
    const etag = `"${await digestOf(written.tag + servers)}"`;
    c.header("Cache-Control", "public, max-age=300");
    c.header("ETag", etag);
    if (namesEtag(c.req.header("If-None-Match"), etag)) return c.body(null, 304);
    return c.body(`${written.text},"servers":${servers}}`, 200, { "Content-Type": "application/json" });
  });
};
