import { z } from "@hono/zod-openapi";
import { OPEN_METRICS } from "../../domain/open-metrics.ts";
import { answered } from "../../http/answered.ts";
import { readMetrics } from "../../operator/metrics.ts";
import { endpoint } from "../endpoint.ts";
import { OPEN_METRICS_TYPE } from "../other-types.ts";

export const metricsRead = endpoint(
  {
    method: "get",
    path: "/metrics",
    operationId: "adminGetMetrics",
    tag: "Operator: service",
    summary: "Metrics as OpenMetrics text, for Prometheus and compatible collectors",
    description:
      "Operations by outcome and time to finality, open ones, wallets' balances and queues, nodes, calls of nodes, database. ops/ of the repository has a dashboard and alert rules.",
    success: {
      200: { description: "The metrics.", content: { [OPEN_METRICS_TYPE]: { schema: z.string() } } },
    },
    access: "admin",
  },
  async (c) => answered(c.body(await readMetrics(c.get("context")), 200, { "Content-Type": OPEN_METRICS })),
);
