import { z } from "@hono/zod-openapi";
import { prefers } from "../../http/acceptance.ts";
import { typedResponse } from "../../http/typed-response.ts";
import { metricsOf, OPEN_METRICS } from "../../operator/metrics.ts";
import { readOverview } from "../../operator/overview.ts";
import { endpoint } from "../endpoint.ts";
import { OPEN_METRICS_TYPE, PLAIN_TEXT } from "../other-types.ts";

export const metricsRead = endpoint(
  {
    method: "get",
    path: "/metrics",
    operationId: "adminGetMetrics",
    tag: "Operator: service",
    summary: "Metrics as OpenMetrics text, for Prometheus and compatible collectors",
    description:
      "The data of GET overview: operations by outcome and duration, open operations, wallets, nodes, database, and what needs attention. ops/ of the repository has a dashboard and alert rules.",
    success: {
      200: {
        description: "The metrics. As text/plain where the Accept header prefers that.",
        content: { [OPEN_METRICS_TYPE]: { schema: z.string() }, [PLAIN_TEXT]: { schema: z.string() } },
      },
    },
    access: "admin",
  },
  async (c) => {
    const isPlain = prefers(PLAIN_TEXT, c.req.header("Accept"), OPEN_METRICS_TYPE);
    const type = isPlain ? `${PLAIN_TEXT}; charset=utf-8` : OPEN_METRICS;
    return typedResponse(
      c.body(metricsOf(await readOverview(c.get("context"))), 200, { "Content-Type": type }),
    );
  },
);
