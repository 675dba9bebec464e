import { z } from "@hono/zod-openapi";
import type { OtherTypes } from "../http/acceptance.ts";
import { json } from "./endpoint.ts";

/** Comma-separated values (RFC 4180). */
export const CSV = "text/csv";

/** Server-sent events. */
export const EVENT_STREAM = "text/event-stream";

/** OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec/). */
export const OPEN_METRICS_TYPE = "application/openmetrics-text";

/** The same text for clients that don't support OpenMetrics. */
export const PLAIN_TEXT = "text/plain";

/** The content types that a path supports other than JSON. Each endpoint describes them in its own `success`. */
export const OTHER_TYPES: OtherTypes = [
  [/^\/api\/v1\/collection\/[^/]+\/(?:token|holder)$/, CSV],
  [/^\/api\/v1\/event$/, EVENT_STREAM],
  [/^\/admin\/v1\/metrics$/, OPEN_METRICS_TYPE],
  [/^\/admin\/v1\/metrics$/, PLAIN_TEXT],
];

/** A list that is also available as CSV, with a header line. */
export const jsonOrCsv = <S extends z.ZodType>(
  description: string,
  schema: S,
  headers: Parameters<typeof json>[2],
) => {
  const answer = json(description, schema, headers);
  return { ...answer, content: { ...answer.content, [CSV]: { schema: z.string() } } };
};
