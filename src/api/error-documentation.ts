import { type RouteConfig, z } from "@hono/zod-openapi";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../domain/errors.ts";

/** The body of every error, as http/error-responses.ts makes it. */
const errorSchema = z
  .object({
    message: z.string().openapi({ description: "A sentence that says what to do." }),
    code: z.enum(ERROR_CODES).openapi({ description: "One of a closed list; see docs/errors.md." }),
    request_id: z.string(),
    issues: z
      .array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
      .optional()
      .openapi({ description: "One entry for every bad field, with its path." }),
    quota: z.object({ limit: z.string(), used: z.int(), max: z.int() }).optional().openapi({
      description: "The limit that the request would exceed, by its name in `limits` of GET /me.",
    }),
    cost: z.object({ needed: z.string(), at_most: z.string() }).optional().openapi({
      description: "yoctoNEAR: what the write could cost by now, and the most that it may.",
    }),
    outcome: z.enum(["not_submitted", "failed_on_chain", "unknown", "final"]).optional().openapi({
      description: "How far the operation got on the chain.",
    }),
    retryable: z
      .boolean()
      .optional()
      .openapi({ description: "Whether sending the request again may succeed." }),
    operation_uuid: z.string().optional().openapi({ description: "The operation that failed." }),
  })
  .openapi("Error", {
    example: {
      message: "Correct the fields that `issues` names.",
      code: "invalid_request",
      request_id: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12",
      issues: [{ path: ["title"], message: "Use at most 256 characters; there are 257." }],
    },
  });

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds until another try makes sense.", schema: { type: "integer" } },
};
const AUTHENTICATE = {
  "WWW-Authenticate": { description: "The scheme to use.", schema: { type: "string" } },
};

/** The OpenAPI responses of these codes: one for each status, with the causes of all its codes. */
export const errorResponses = (codes: readonly ErrorCode[]): RouteConfig["responses"] => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join("\n\n"),
        headers: {
          ...(status === 401 ? AUTHENTICATE : {}),
          ...(status === 429 || status === 503 ? RETRY_AFTER : {}),
        },
        content: { "application/json": { schema: errorSchema } },
      },
    ]),
  ) as RouteConfig["responses"];
};
