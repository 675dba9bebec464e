import { createRoute, type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Caller, EndpointResponse, ServiceContext } from "../context.ts";
import type { Page } from "../domain/cursors.ts";
import { CONTROLS, ERROR_CODES, ERRORS, type ErrorCode } from "../domain/errors.ts";
import type { NeededScope } from "../domain/key-rights.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../domain/media-types.ts";
import { API } from "../domain/surface.ts";
import type { AppEnv, EndpointTraits } from "../http/app-env.ts";
import { type TypedResponse, typedResponse } from "../http/app-env.ts";
import { emptyBody, refuseBody, requireBody } from "../http/json-body.ts";
import { listResponse } from "../http/list-response.ts";
import { costLimitOf } from "../operations/quotes.ts";
import { acceptedView } from "./resources/operation.ts";
import { ownName, type Shown } from "./resources/samples.ts";
import { LINK, pageQuery } from "./schemas/parameters.ts";

/** Applies the cost limit of a write's headers. @throws ServiceError those of `costLimitOf` */
const limitCost = async (c: Context<AppEnv>): Promise<void> => {
  const quote = c.req.header("Mintage-Quote");
  const most = c.req.header("Mintage-Max-Cost");
  if (quote === undefined && most === undefined) return;
  const { method, path } = c.req;
  const text = await c.req.text();
  const body: unknown = text.trim() === "" ? undefined : JSON.parse(text);
  const write = { method, path: path.slice(API.length), body };
  const caller = c.get("caller");
  const costLimit = await costLimitOf(c.get("context"), caller, { quote, most }, write);
  c.set("caller", { ...caller, costLimit });
};

/** The body of every error, as http/error-responses.ts makes it. */
export const errorSchema = z
  .object({
    message: z.string().openapi({ description: "A sentence that says what to do." }),
    code: z.enum(ERROR_CODES).openapi({ description: "One of a closed list; see docs/errors.md." }),
    request_id: z.string(),
    limit: z.enum(CONTROLS).optional().openapi({
      description: "The control that refused the request. Every 429 names one.",
    }),
    issues: z
      .array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
      .optional()
      .openapi({ description: "One entry for every bad field, with its path." }),
    quota: z.object({ limit: ownName(), used: z.int(), max: z.int() }).optional().openapi({
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

/** The same error for a caller whose Accept header names application/problem+json (RFC 9457). */
const problemSchema = errorSchema
  .extend({
    type: z.url().openapi({ description: "Address of the list of codes, with this one." }),
    title: z.string().openapi({ description: "The cause that all errors with this code have." }),
    status: z.int(),
    detail: z.string().openapi({ description: "As `message`." }),
    instance: z.string().openapi({ description: "The request's id, as a URN." }),
  })
  .openapi("Problem", {
    example: {
      type: "https://mint.example.com/docs/errors.md#invalid_json",
      title: ERRORS.invalid_json.cause,
      status: 400,
      detail: "Send a body that is valid JSON.",
      instance: "urn:uuid:0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12",
      message: "Send a body that is valid JSON.",
      code: "invalid_json",
      request_id: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12",
    },
  });

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds until another try makes sense.", schema: { type: "integer" } },
};
const AUTHENTICATE = {
  "WWW-Authenticate": { description: "The schemes to use.", schema: { type: "string" } },
};

/** The OpenAPI responses of these codes: one for each status, with the causes of all its codes. */
const errorResponses = (codes: readonly ErrorCode[]): RouteConfig["responses"] => {
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
        content: { [JSON_TYPE]: { schema: errorSchema }, [PROBLEM_TYPE]: { schema: problemSchema } },
      },
    ]),
  ) as RouteConfig["responses"];
};

export type Api = OpenAPIHono<AppEnv>;

/** An endpoint: adds itself to an app. */
export interface Endpoint {
  (api: Api): void;
  readonly definition: Definition;
}

type Request = NonNullable<RouteConfig["request"]>;
type Responses = RouteConfig["responses"];

export interface Definition {
  readonly method: "get" | "post" | "put" | "delete";
  /** Below the prefix, with `{name}` for parameters. */
  readonly path: `/${string}`;
  /** Name in clients: unique, in camel case. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly request?: Request;
  /** A body that no validator touches, as OpenAPI describes it. */
  readonly rawBody?: { readonly contentType: string; readonly schema: object; readonly example?: unknown };
  readonly success: Responses;
  /** Codes beyond those that every request, body and write has. */
  readonly errors?: readonly ErrorCode[];
  /** Whether it changes something; default: every method but GET. */
  readonly write?: boolean;
  /** Whether it may respond 202 with an operation. */
  readonly operation?: boolean;
  /** The scope that a key needs for it; `operator`: no key but the operator's token; `public`: neither. */
  readonly scope: NeededScope | "operator" | "public";
  /**
   * Whether its handler itself keeps a key that is limited to collections from others. Without it such a key is refused
   * unless the path names one of its collections.
   */
  readonly limitsCollections?: boolean;
  /** Its Idempotency-Key is looked up by the call that carries it out: it is frequent, and seldom repeated. */
  readonly looksUpKeyLast?: boolean;
  /** Its effect is in the ledger, though it is no operation. */
  readonly isOfLedger?: boolean;
  /** It may end the use of a leaked secret: as a deletion, it is carried out without its Idempotency-Key if there is no room for it. */
  readonly needsNoRoom?: boolean;
}

export const traitsOf = (definition: Definition): EndpointTraits => ({
  isWrite: isWriting(definition),
  otherTypes: Object.keys((definition.success as ByStatus)[200]?.content ?? {}).filter(
    (type) => type !== JSON_TYPE,
  ),
  isStreamed: definition.rawBody !== undefined,
  isOfLedger: definition.operation === true || definition.isOfLedger === true,
  looksUpKeyLast: definition.looksUpKeyLast ?? false,
  needsNoRoom: definition.method === "delete" || definition.needsNoRoom === true,
  scope: neededScope(definition),
  limitsCollections: definition.limitsCollections ?? false,
});

const accessOf = ({ scope }: Pick<Definition, "scope">): "key" | "operator" | "public" =>
  scope === "operator" || scope === "public" ? scope : "key";

const neededScope = ({ scope }: Pick<Definition, "scope">): NeededScope =>
  scope === "operator" || scope === "public" ? "any" : scope;

type ByStatus = Readonly<Record<number, { readonly content?: object } | undefined>>;

const header = (name: string, description: string, schema: object = { type: "string" }) =>
  ({ name, in: "header", required: false, description, schema }) as const;

const IDEMPOTENCY_KEY = header(
  "Idempotency-Key",
  "1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`.",
  { type: "string", minLength: 1, maxLength: 255 },
);
const PREFER = header(
  "Prefer",
  "`respond-async` returns 202 at once instead of waiting for the chain (RFC 7240).",
);
const QUOTE = header(
  "Mintage-Quote",
  "`quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`.",
  { type: "string", format: "uuid" },
);
const MAX_COST = header(
  "Mintage-Max-Cost",
  "yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402).",
  { type: "string", pattern: "^(0|[1-9][0-9]{0,38})$" },
);

const SECURITY: Readonly<Record<ReturnType<typeof accessOf>, readonly Record<string, string[]>[]>> = {
  key: [{ ApiKey: [] }, { Bearer: [] }],
  operator: [{ OperatorToken: [] }],
  public: [],
};

const REQUEST_ID = {
  "X-Request-Id": { description: "The request's id, as in the logs.", schema: { type: "string" } },
};

/** Headers of answers to a key; the limits are those of draft-ietf-httpapi-ratelimit-headers. */
const KEY_HEADERS = {
  ...REQUEST_ID,
  "RateLimit-Policy": {
    description: "Requests that a key may send, and the seconds in which they are counted.",
    schema: { type: "string", example: '"key";q=1000;w=10' },
  },
  RateLimit: {
    description: "Requests that this key has left, and the seconds until it has more.",
    schema: { type: "string", example: '"key";r=998;t=10' },
  },
};

/** A handler's input: the request's context, its caller if a key is needed, and its validated parts. */
export interface Input<D extends Definition> {
  readonly context: ServiceContext;
  readonly caller: Caller;
  readonly params: Output<NonNullable<D["request"]>["params"]>;
  readonly query: Output<NonNullable<D["request"]>["query"]>;
  readonly body: JsonOutput<NonNullable<D["request"]>["body"]>;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type JsonOutput<Body> = Body extends { content: { "application/json": { schema: infer Schema } } }
  ? Output<Schema>
  : undefined;

type BodyOf<Answer> = Answer extends { content: { "application/json": { schema: infer Schema } } }
  ? Schema extends z.ZodType
    ? Shown<Schema>
    : never
  : null;

/** A response: at each status of the definition, JSON of the schema's type, or nothing. */
export type ResponseFor<Success> = {
  [Status in keyof Success & number]: TypedResponse<BodyOf<Success[Status]>, Status>;
}[keyof Success & number];

type Only<Status, All = Status> = Status extends unknown ? ([All] extends [Status] ? Status : never) : never;

/** What a handler returns: a response; an operation's; or the body alone, if there is one status. */
type Result<D extends Definition> =
  | ResponseFor<D["success"]>
  | (D["operation"] extends true
      ? EndpointResponse<BodyOf<D["success"][keyof D["success"] & number]>>
      : BodyOf<D["success"][Only<keyof D["success"] & number>]>);

type Handler<D extends Definition> = (
  input: Input<D>,
  c: Context<AppEnv>,
) => Result<D> | Promise<Result<D>> | (204 extends keyof D["success"] ? Promise<void> : never);

/** Describes an endpoint once, for the router, the validators and the OpenAPI document, and binds its handler. */
export const endpoint = <D extends Definition>(definition: D, handle: Handler<D>): Endpoint => {
  const { request, operation = false, rawBody, success } = definition;
  const access = accessOf(definition);
  const [status] = Object.keys(success).map(Number) as [ContentfulStatusCode];
  const register = (api: Api) => {
    const valid = (c: Context<AppEnv>, target: string) => c.req.valid(target as never) as unknown;
    // The definition types input and response; the router's own inference isn't needed.
    api.openapi(routeOf(definition), (async (c: Context<AppEnv>) => {
      if (request?.body) await requireBody(c);
      else if (isWriting(definition) && !rawBody) await refuseBody(c);
      if (operation && access === "key") await limitCost(c);
      const input = {
        context: c.get("context"),
        caller: c.get("caller"),
        params: request?.params && valid(c, "param"),
        query: request?.query && valid(c, "query"),
        body: request?.body && valid(c, "json"),
      } as Input<D>;
      const result = await handle(input, c);
      if (result instanceof Response) return result;
      if (operation) return reply(c, result as EndpointResponse);
      return result === undefined ? c.body(null, 204) : c.json(result, status);
    }) as never);
  };
  return Object.assign(register, { definition });
};

interface ListDefinition<Params, Query, View> extends Omit<Definition, "method" | "request" | "success"> {
  readonly params?: Params;
  readonly filters?: Query;
  /** What the entries are, as a sentence, and the view of one. */
  readonly entries: readonly [string, View];
}

/** Describes a list: pages by `limit` and `cursor`, or all of it, streamed. */
export const list = <
  View extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodRawShape = z.ZodRawShape,
>(
  { params, filters, entries: [sentence, view], ...definition }: ListDefinition<Params, Query, View>,
  read: (
    input: Pick<Input<Definition>, "context" | "caller"> & {
      readonly params: z.output<Params>;
      readonly query: z.output<z.ZodObject<Query>>;
    },
    cursor: string | null,
    size: number,
  ) => Promise<Page<Shown<View>>>,
): Endpoint => {
  const request = { params, query: filters ? pageQuery.extend(filters) : pageQuery };
  const success = { 200: json(sentence, z.array(view), LINK) };
  const handle = (input: { readonly query: z.output<typeof pageQuery> }, c: Context<AppEnv>) =>
    listResponse(c, input.query, (cursor, size) => read(input as never, cursor, size));
  return endpoint({ ...definition, method: "get", request, success } as Definition, handle as never);
};

const routeOf = (definition: Definition) => {
  const { method, path, operationId, tag, summary, request } = definition;
  const { success, errors = [], operation = false, rawBody } = definition;
  const access = accessOf(definition);
  const write = isWriting(definition);
  const parameters = [
    ...(write && access === "key" ? [IDEMPOTENCY_KEY] : []),
    ...(operation && access === "key" ? [PREFER, QUOTE, MAX_COST] : []),
  ];
  const body = rawBody && {
    required: true,
    content: { [rawBody.contentType]: { schema: rawBody.schema, example: rawBody.example } },
  };
  return createRoute({
    ...{ method, path, operationId, tags: [tag], summary },
    description: withScope(definition),
    security: [...SECURITY[access]],
    parameters,
    ...(request?.body?.required === false && { middleware: emptyBody }),
    request: body ? { ...request, body } : request,
    responses: {
      ...errorResponses([...commonErrors(definition), ...errors]),
      ...withHeaders(
        access === "key" ? KEY_HEADERS : REQUEST_ID,
        operation ? { ...success, 202: acceptedResponse(access) } : success,
      ),
    },
  });
};

/** The description of an endpoint, with the scope that it needs. */
const withScope = ({ description, scope }: Definition): string | undefined => {
  if (scope === "any" || scope === "operator" || scope === "public") return description;
  return `${description === undefined ? "" : `${description} `}Scope: \`${scope}\`.`;
};

const isWriting = ({ write, method }: Definition): boolean => write ?? method !== "get";

/** Sends a use case's response; a stream is stored JSON text. */
export const reply = <Body>(
  c: Context<AppEnv>,
  { status, body, operationUuid }: EndpointResponse<Body>,
): TypedResponse<Body, never> => {
  if (operationUuid !== undefined) {
    const surface = c.get("isOperator") ? "/admin/v1" : API;
    c.header("X-Operation-Uuid", operationUuid);
    if (status === 202) c.header("Location", `${surface}/operation/${operationUuid}`);
  }
  if (body instanceof ReadableStream) {
    const headers = { "Content-Type": "application/json" };
    return typedResponse(c.body(body, status as ContentfulStatusCode, headers));
  }
  return typedResponse(c.json(body as object, status as ContentfulStatusCode));
};

type Headers = Record<string, { description: string; schema: { type: "string" | "integer" } }>;

/** Comma-separated values (RFC 4180). */
export const CSV = "text/csv";

/** A list that is also available as CSV, with a header line. */
export const jsonOrCsv = <S extends z.ZodType>(description: string, schema: S, headers?: Headers) => {
  const answer = json(description, schema, headers);
  return { ...answer, content: { ...answer.content, [CSV]: { schema: z.string() } } };
};

export const json = <S extends z.ZodType>(description: string, schema: S, headers?: Headers) => ({
  description,
  content: { "application/json": { schema } },
  ...(headers && { headers }),
});

export const jsonBody = <S extends z.ZodType>(schema: S, example: unknown) => ({
  required: true,
  content: { "application/json": { schema, example } },
});

/** A JSON body that a request may have; none is the same as `{}`. */
export const optionalBody = <S extends z.ZodType>(schema: S, example: unknown) => ({
  ...jsonBody(schema, example),
  required: false,
});

const acceptedResponse = (access: ReturnType<typeof accessOf>) => ({
  description: `Accepted: the chain took longer than the request waits${access === "key" ? ", or `Prefer: respond-async` was sent" : ""}. Location leads to the operation.`,
  headers: { Location: { description: "Address of the operation.", schema: { type: "string" as const } } },
  content: { "application/json": { schema: acceptedView } },
});

const withHeaders = (headers: object, responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...headers, ...(response as { headers?: object }).headers } },
    ]),
  ) as Responses;

const commonErrors = (definition: Definition): ErrorCode[] => {
  const write = isWriting(definition);
  const { request, rawBody, operation } = definition;
  const access = accessOf(definition);
  const codes: ErrorCode[] = ["not_acceptable", "internal_error", "not_configured"];
  if (access === "key")
    codes.push(
      "api_key_missing",
      "api_key_invalid",
      "api_key_expired",
      "api_key_revoked",
      "integration_suspended",
      "scope_missing",
      "collection_not_allowed",
      "invalid_request",
    );
  if (access !== "public") codes.push("rate_limited", "database_unavailable");
  if (access === "operator") codes.push("admin_token_invalid", "not_found");
  if (request?.params) codes.push("not_found", "invalid_request");
  if (request?.query || request?.body) codes.push("invalid_request");
  if (write || request?.body) codes.push("payload_too_large", "invalid_json", "invalid_request");
  if (request?.body || rawBody) codes.push("unsupported_content_type");
  if (write && access === "key") {
    codes.push("idempotency_key_in_flight", "idempotency_key_reused", "quota_exceeded");
  }
  if (operation) codes.push(...CHAIN_ERRORS);
  if (operation && access === "key") codes.push("cost_exceeds_maximum", "quote_expired", "quote_mismatch");
  return codes;
};

/** What every write to the chain can meet. */
const CHAIN_ERRORS: readonly ErrorCode[] = [
  "insufficient_funds",
  "contract_storage_unpaid",
  "spending_limit_reached",
  "conflict",
  "wallet_busy",
  "too_many_operations",
  "quota_exceeded",
  "transaction_failed",
  "outcome_unknown",
  "wallet_inactive",
  "chain_unavailable",
];
