import { z } from "@hono/zod-openapi";
import { countPublic } from "../http/address-limit.ts";
import { readiness } from "../services/health.ts";
import { endpoint, json } from "./endpoint.ts";

const TAG = "Service";

/** GET /health */
export const health = endpoint(
  {
    method: "get",
    path: "/health",
    operationId: "getHealth",
    tag: TAG,
    summary: "Whether the Worker runs",
    success: { 200: json("It does.", z.object({ status: z.literal("ok") }).openapi("Health")) },
    access: "public",
  },
  (c) => c.json({ status: "ok" }),
);

const readyView = z
  .object({
    status: z.enum(["ready", "unavailable"]),
    database: z.object({
      size_bytes: z.int().nullable().openapi({ example: 1_486_848 }),
      limit_bytes: z.int().openapi({ example: 10_000_000_000 }),
      behind: z.boolean().nullable().openapi({
        description: "It was taken back in time and is to be recovered: wallets refuse what is new.",
        example: false,
      }),
    }),
  })
  .openapi("Readiness");

/** GET /ready */
export const ready = endpoint(
  {
    method: "get",
    path: "/ready",
    operationId: "getReadiness",
    tag: TAG,
    summary: "Whether the service can answer, and how full its database is",
    success: {
      200: json("It can.", readyView),
      503: json("The database does not answer.", readyView),
    },
    errors: ["rate_limited"],
    access: "public",
  },
  async (c) => {
    await countPublic(c, "ready");
    const body = await readiness(c.get("context"));
    return c.json(body, body.status === "ready" ? 200 : 503);
  },
);
