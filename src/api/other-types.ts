import { z } from "@hono/zod-openapi";
import { json } from "./endpoint.ts";

/** Comma-separated values (RFC 4180). */
export const CSV = "text/csv";

/** Server-sent events. */
export const EVENT_STREAM = "text/event-stream";

/** OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec/). */
export const OPEN_METRICS_TYPE = "application/openmetrics-text";

/** The same text for clients that don't support OpenMetrics. */
export const PLAIN_TEXT = "text/plain";

/** A list that is also available as CSV, with a header line. */
export const jsonOrCsv = <S extends z.ZodType>(
  description: string,
  schema: S,
  headers: Parameters<typeof json>[2],
) => {
  const answer = json(description, schema, headers);
  return { ...answer, content: { ...answer.content, [CSV]: { schema: z.string() } } };
};
