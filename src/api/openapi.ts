import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../http/app-env.ts";
import { baseUrl } from "../http/base-url.ts";

const DESCRIPTION = `Draft an NFT collection, attach its files, put it on NEAR, keep its allowlist, mint and update its NFTs.

A write that touches the chain waits for finality. Where that takes longer, the answer is 202 and its Location leads to the operation, which ends with the very body that the call would have had. Send an \`Idempotency-Key\` with every write, and a request that was cut off can be repeated without doing anything twice.

Amounts are decimal strings of yoctoNEAR, times are RFC 3339 in UTC, lengths are counted in Unicode code points, and a field that is not known is an error.`;

type Document = ReturnType<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>;

/** Serves the document of an app, which its own routes make up, made once an isolate. */
export const serveDocument = (app: OpenAPIHono<AppEnv>): void => {
  app.openAPIRegistry.registerComponent("securitySchemes", "ApiKey", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Api-Key <API_KEY>`; the key begins with `mk_live_`.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "OperatorToken", {
    type: "http",
    scheme: "bearer",
    description: "The operator's token. Without one in the settings, /admin/v1 answers 404.",
  });
  let document: Document | undefined;
  app.get("/openapi.json", (c) => {
    document ??= app.getOpenAPI31Document({
      openapi: "3.1.0",
      info: {
        title: "Mintage",
        version: "1.0.0",
        description: DESCRIPTION,
        license: { name: "Apache-2.0" },
      },
    });
    c.header("Cache-Control", "public, max-age=300");
    return c.json({ ...document, servers: [{ url: baseUrl(c) }] });
  });
};
