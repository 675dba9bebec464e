import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { ADMIN_ENDPOINTS } from "./api/admin/index.ts";
import { type Endpoint, reply, traitsOf } from "./api/endpoint.ts";
import { registerGateway } from "./api/gateway/route.ts";
import { API_ENDPOINTS, SERVICE_ENDPOINTS } from "./api/index.ts";
import { answerMcp, rpcError } from "./api/mcp/server.ts";
import { serveDocument } from "./api/openapi.ts";
import { otherAddress, servePages } from "./api/pages/routes.ts";
import { PUBLIC_ENDPOINTS } from "./api/public/reads.ts";
import { serveDocuments } from "./api/reference/documents.ts";
import { serveReference } from "./api/reference/reference.ts";
import type { Caller, EndpointResponse, ServiceContext } from "./context.ts";
import { ledgerOf } from "./db/ledger.ts";
import { findOperationWhole } from "./db/queries/operation-transactions.ts";
import { noRoom, toQuotaError } from "./db/quota.ts";
import { errorBody } from "./domain/errors.ts";
import type { Uuid } from "./domain/ids.ts";
import { API } from "./domain/surface.ts";
import { findArchived } from "./files/archive/read.ts";
import { requireAcceptable } from "./http/acceptance.ts";
import type { AppEnv, EndpointTraits, MatchedEndpoint } from "./http/app-env.ts";
import { authenticate, requireOperator } from "./http/authentication.ts";
import { type ErrorForm, errorResponse, hasRoute, unmatched } from "./http/error-responses.ts";
import { idempotency, type StoredResponses } from "./http/idempotency.ts";
import { readBody } from "./http/json-body.ts";
import { loggedContext } from "./http/log.ts";
import { answerRequest } from "./http/request.ts";
import { refuseInvalid } from "./http/validation.ts";
import { responseOf } from "./operations/engine/response.ts";
import { joinOperation } from "./operations/engine/run.ts";
import { serveOperatorPage } from "./operator/page.tsx";

/** Responds to a retried request from its Idempotency-Key's operation. @throws ServiceError */
export const replayOperation = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
): Promise<EndpointResponse> => {
  const found = await findOperationWhole(ledgerOf(context, caller.integrationId), id);
  if (found?.state === "pending") return joinOperation(context, caller, found);
  if (found) return responseOf(context, found);
  const archived = await findArchived(context, caller.integrationId, id);
  if (!archived) throw new Error(`a key leads to operation ${id}, which has no row`);
  return responseOf(context, { ...archived.row, results: archived.transactions });
};

/** Responses to requests with a known Idempotency-Key. */
export const keyAnswers: StoredResponses = {
  operation: async (c, id) => reply(c, await replayOperation(c.get("context"), c.get("caller"), id)),
  full: (c) => noRoom(c.get("context"), c.get("caller").integrationId),
};

const router = () => new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });

const SURFACES: Readonly<Record<string, readonly Endpoint[]>> = {
  [API]: API_ENDPOINTS,
  "/admin/v1": ADMIN_ENDPOINTS,
  "/public/v1": PUBLIC_ENDPOINTS,
};

const endpoints = new TrieRouter<EndpointTraits>();
for (const [surface, list] of Object.entries(SURFACES)) {
  for (const { definition } of list) {
    const path = definition.path.replaceAll(/\{(\w+)\}/g, ":$1");
    endpoints.add(definition.method.toUpperCase(), surface + path, traitsOf(definition));
  }
}

// Each request behind a tool is checked by itself.
endpoints.add("POST", "/mcp", {
  ...{
    isWrite: false,
    isStreamed: false,
    isOfLedger: false,
    looksUpKeyLast: false,
    needsNoRoom: false,
    scope: "any",
    limitsCollections: true,
  },
  otherTypes: ["text/event-stream"],
});

/** The endpoint of a method and path; undefined if there is none. */
export const endpointAt = (method: string, path: string): MatchedEndpoint | undefined => {
  const [traits, names] = endpoints.match(method === "HEAD" ? "GET" : method, path)[0][0] ?? [];
  // This router's matches have the parameters themselves.
  const { collection_uuid: collectionUuid } = (names ?? {}) as Readonly<Record<string, string>>;
  return traits && { ...traits, collectionUuid };
};

/** Middleware of the checks that come before a handler. */
const checking =
  (...checks: ((c: Context<AppEnv>) => void | Promise<void>)[]): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    for (const check of checks) await check(c);
    await next();
  };

/** Refuses a request without a route before its body is read and its Idempotency-Key is looked at. */
const requireRoute = (c: Context<AppEnv>): void => {
  const { method, path } = c.req;
  // Scripts and cards of pages are no endpoints of the document.
  const isFound = c.get("endpoint") || hasRoute(app, path, method === "HEAD" ? "GET" : method);
  if (!isFound) throw unmatched(app, c);
};

/** The form that errors have at a path. */
const formAt = (path: string): ErrorForm => (path === "/mcp" ? rpcError : errorBody);

const quotaError = (error: Error, c: Context<AppEnv>): unknown => {
  const caller = c.get("caller");
  return caller ? toQuotaError(c.get("context"), caller.integrationId, error) : error;
};

const api = router();
api.use(checking(authenticate, requireRoute, requireAcceptable, readBody), idempotency(keyAnswers));
for (const register of API_ENDPOINTS) register(api);

const admin = router();
admin.use(checking(requireOperator, requireRoute, requireAcceptable, readBody));
for (const register of ADMIN_ENDPOINTS) register(admin);

const open = router();
open.use(checking(requireRoute, requireAcceptable, readBody));
for (const register of PUBLIC_ENDPOINTS) register(open);

const agents = router();
agents.use("/", checking(authenticate, requireRoute, requireAcceptable, readBody));
agents.post("/", (c) => answerMcp(app, c));

/** The whole service: middleware, routes, and the responses for unknown paths. */
export const app: OpenAPIHono<AppEnv> = router();
app.use(answerRequest(endpointAt, formAt));
app.route(API, api);
app.route("/admin/v1", admin);
app.route("/public/v1", open);
app.route("/mcp", agents);
for (const register of SERVICE_ENDPOINTS) register(app);
serveDocument(app);
serveReference(app);
serveDocuments(app);
registerGateway(app);
servePages(app);
serveOperatorPage(app);
app.notFound((c) => otherAddress(c) ?? errorResponse(unmatched(app, c), c));
app.onError(async (error, c) => errorResponse(await quotaError(error, c), c, formAt(c.req.path)));

/** The context of background work: the schedule, and what wallet objects ask for. */
export const backgroundContext = loggedContext;
