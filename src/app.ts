import { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { TrieRouter } from "hono/router/trie-router";
import { ADMIN_ENDPOINTS } from "./api/admin/index.ts";
import { type Endpoint, reply, traitsOf } from "./api/endpoint.ts";
import { registerGateway } from "./api/gateway/route.ts";
import { API_ENDPOINTS, SERVICE_ENDPOINTS } from "./api/index.ts";
import { serveDocument } from "./api/openapi.ts";
import { otherAddress, servePages } from "./api/pages/routes.ts";
import { PUBLIC_ENDPOINTS } from "./api/public/reads.ts";
import { serveReference } from "./api/reference/reference.ts";
import type { Caller, EndpointResponse, ServiceContext } from "./context.ts";
import { findOperationWhole } from "./db/queries/operation-transactions.ts";
import { noRoom } from "./db/quota.ts";
import type { Uuid } from "./domain/ids.ts";
import { findArchived } from "./files/archive/read.ts";
import { acceptance } from "./http/acceptance.ts";
import type { AppEnv, EndpointTraits } from "./http/app-env.ts";
import { authenticate, writesOnly } from "./http/authentication.ts";
import { bookmarks } from "./http/bookmarks.ts";
import { crossOrigin, securityHeaders } from "./http/cors.ts";
import { errorResponse } from "./http/error-responses.ts";
import { handOn, refuseUnanswered } from "./http/hand-on.ts";
import { idempotency, type StoredResponses } from "./http/idempotency.ts";
import { boundedBody } from "./http/json-body.ts";
import { operatorOnly } from "./http/operator.ts";
import { loggedContext, requestLog } from "./http/request-log.ts";
import { allowedMethods, endpointsOnly, unmatched } from "./http/unmatched.ts";
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
  const found = await findOperationWhole(context.db, id);
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
  "/api/v1": API_ENDPOINTS,
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

/** The endpoint of a method and path; undefined if there is none. */
export const endpointAt = (method: string, path: string): EndpointTraits | undefined =>
  endpoints.match(method === "HEAD" ? "GET" : method, path)[0][0]?.[0];

const findEndpoint = createMiddleware<AppEnv>(async (c, next) => {
  c.set("endpoint", endpointAt(c.req.method, c.req.path));
  await next();
});

const elsewhere = unmatched(allowedMethods(() => app));

const api = router();
api.use(
  authenticate,
  acceptance,
  boundedBody,
  endpointsOnly(elsewhere),
  bookmarks,
  writesOnly(idempotency(keyAnswers)),
);
for (const register of API_ENDPOINTS) register(api);

const admin = router();
admin.use(operatorOnly, acceptance, boundedBody);
for (const register of ADMIN_ENDPOINTS) register(admin);

const open = router();
open.use(acceptance, boundedBody);
for (const register of PUBLIC_ENDPOINTS) register(open);

/** The whole service: middleware, routes, and the responses for unknown paths. */
export const app: OpenAPIHono<AppEnv> = router();
app.use(findEndpoint, requestLog, handOn, securityHeaders, crossOrigin, refuseUnanswered);
app.route("/api/v1", api);
app.route("/admin/v1", admin);
app.route("/public/v1", open);
for (const register of SERVICE_ENDPOINTS) register(app);
serveDocument(app);
serveReference(app);
registerGateway(app);
servePages(app);
serveOperatorPage(app);
app.notFound((c) => otherAddress(c) ?? elsewhere(c));
app.onError(errorResponse);

/** The context of background work: the schedule and the wallet's alarm. */
export const backgroundContext = loggedContext;
