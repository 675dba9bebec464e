import { z } from "@hono/zod-openapi";
import { countAddress } from "../../http/address-limit.ts";
import { typedResponse } from "../../http/app-env.ts";
import { readiness } from "../../operator/health.ts";
import { endpoint, errorSchema, json } from "../endpoint.ts";
import { readyView } from "../resources/readiness.ts";

const TAG = "Service";

export const health = endpoint(
  {
    method: "get",
    path: "/health",
    operationId: "getHealth",
    tag: TAG,
    summary: "Whether the Worker runs",
    success: { 200: json("It does.", z.object({ status: z.literal("ok") }).openapi("Health")) },
    scope: "public",
  },
  () => ({ status: "ok" as const }),
);

export const ready = endpoint(
  {
    method: "get",
    path: "/ready",
    operationId: "getReadiness",
    tag: TAG,
    summary: "Whether the service can carry out a write, and the state of each part",
    description:
      "The state of other machines is up to five seconds old. The service stays ready if a part is only low or late.",
    success: {
      200: json("It can.", readyView),
      503: json(
        "The database, the bucket or every node of the chain is down. Or `not_configured`: settings are missing or wrong; `issues` names them.",
        z.union([readyView, errorSchema]),
      ),
    },
    errors: ["rate_limited"],
    scope: "public",
  },
  async ({ context }, c) => {
    await countAddress(c, "ready");
    const body = await readiness(context);
    return body.status === "ready"
      ? typedResponse<typeof body, 200>(c.json(body, 200))
      : typedResponse<typeof body, 503>(c.json(body, 503));
  },
);
