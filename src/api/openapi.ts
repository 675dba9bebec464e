import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { EVENT_TYPES, type EventType } from "../domain/events.ts";
import { toHex } from "../domain/ids.ts";
import { namesEtag } from "../http/acceptance.ts";
import type { AppEnv } from "../http/app-env.ts";
import { baseUrl } from "../http/app-env.ts";
import { jsonBody } from "./endpoint.ts";
import { EVENT_MEANINGS, eventView, testEventView } from "./resources/event.ts";

const DESCRIPTION = `Draft an NFT collection, attach its files, put it on NEAR, keep its allowlist, mint and update its NFTs.

A write that touches the chain waits for finality. If that takes too long, the answer is 202 and its Location leads to the operation, which ends with the same body that the call would have had. Send an \`Idempotency-Key\` with every write, and a request that was cut off can be repeated without doing anything twice.

Amounts are decimal strings of yoctoNEAR, times are RFC 3339 in UTC, lengths are counted in Unicode code points, and a field that is not known is an error.`;

/** What the document says of itself. */
export const ABOUT = {
  openapi: "3.1.0",
  info: {
    title: "Mintage",
    version: "1.0.0",
    description: DESCRIPTION,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
};

const digestOf = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))).slice(0, 32);

const webhookHeaders = z.object({
  "webhook-id": z.uuid().openapi({ description: "`event_uuid`, the same in every attempt." }),
  "webhook-timestamp": z
    .string()
    .openapi({ description: "Unix time of the attempt.", example: "1798135200" }),
  "webhook-signature": z.string().openapi({
    description: "`v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what.",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
});

/** What the service sends to an integration's endpoint. */
const webhookOf = (type: string, summary: string, body: ReturnType<typeof jsonBody>) => ({
  ...{ method: "post" as const, path: type, tags: ["Webhooks"], summary },
  operationId: `on-${type}`.replaceAll(/[-._](\w)/g, (_all, letter: string) => letter.toUpperCase()),
  security: [],
  request: { headers: webhookHeaders, body },
  responses: {
    "2XX": { description: "Received. Any other answer but 410 is a failure, and the event is sent again." },
    410: { description: "Disables the webhook." },
  },
});

const eventWebhookOf = (type: EventType) =>
  webhookOf(type, EVENT_MEANINGS[type], jsonBody(eventView, { ...EXAMPLE_EVENT, type }));

const testWebhook = () => {
  const data = { webhook_uuid: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c14" };
  const example = { ...EXAMPLE_EVENT, seq: 0, type: "webhook.test", data };
  return webhookOf("webhook.test", "A test was asked for.", jsonBody(testEventView, example));
};

const EXAMPLE_EVENT = {
  ...{ seq: 42, event_uuid: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13", timestamp: "2026-12-24T18:00:02.000Z" },
  data: { see: "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12" },
};

/** Serves an app's document, which is written once an isolate; its servers are the address that is asked. */
export const serveDocument = (app: OpenAPIHono<AppEnv>): void => {
  app.openAPIRegistry.registerComponent("securitySchemes", "ApiKey", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Api-Key <API_KEY>`; the key begins with `mk_live_`, or with `mk_test_` on testnet.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "Bearer", {
    type: "http",
    scheme: "bearer",
    description: "The same key as `Bearer <API_KEY>`, for software that knows no other scheme.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "OperatorToken", {
    type: "http",
    scheme: "bearer",
    description: "The operator's token. Without one in the settings, /admin/v1 returns 404.",
  });
  for (const type of EVENT_TYPES) app.openAPIRegistry.registerWebhook(eventWebhookOf(type));
  app.openAPIRegistry.registerWebhook(testWebhook());
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
