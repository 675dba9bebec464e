import { z } from "@hono/zod-openapi";
import { prefers } from "../../http/acceptance.ts";
import { typedResponse } from "../../http/app-env.ts";
import { metricsOf, OPEN_METRICS } from "../../operator/metrics.ts";
import { readOverview } from "../../operator/overview.ts";
import { endpoint, json } from "../endpoint.ts";
import { overviewView } from "../resources/overview.ts";

/** OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec/), and the same text for other clients. */
const OPEN_METRICS_TYPE = "application/openmetrics-text";
const PLAIN_TEXT = "text/plain";

export const stateEndpoints = [
  endpoint(
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
      scope: "operator",
    },
    async ({ context }, c) => {
      const isPlain = prefers(PLAIN_TEXT, c.req.header("Accept"), OPEN_METRICS_TYPE);
      const type = isPlain ? `${PLAIN_TEXT}; charset=utf-8` : OPEN_METRICS;
      return typedResponse(c.body(metricsOf(await readOverview(context)), 200, { "Content-Type": type }));
    },
  ),
  endpoint(
    {
      method: "get",
      path: "/overview",
      operationId: "adminGetOverview",
      tag: "Operator: service",
      summary: "The state of the whole service, as the page /operator shows it",
      description:
        "The bucket, the nodes and the platform's account are up to five seconds old, wallets as old as the scheduled job's last look at them. The operation's end counts it, on the day (UTC) on which it ended.",
      success: { 200: json("The overview.", overviewView) },
      scope: "operator",
    },
    ({ context }) => readOverview(context),
  ),
];
