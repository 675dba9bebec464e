import { OpenAPIHono } from "@hono/zod-openapi";
import { ADMIN_ENDPOINTS } from "./api/admin/index.ts";
import { registerGateway } from "./api/gateway/route.ts";
import { API_ENDPOINTS, SERVICE_ENDPOINTS } from "./api/index.ts";
import { keyAnswers } from "./api/key-answers.ts";
import { serveDocument } from "./api/openapi.ts";
import { OTHER_TYPES } from "./api/other-types.ts";
import { PUBLIC_ENDPOINTS } from "./api/public/reads.ts";
import { serveReference } from "./api/reference/reference.ts";
import { acceptance } from "./http/acceptance.ts";
import type { AppEnv } from "./http/app-env.ts";
import { authenticate, writesOnly } from "./http/authentication.ts";
import { bookmarks } from "./http/bookmarks.ts";
import { crossOrigin } from "./http/cors.ts";
import { errorResponse } from "./http/error-responses.ts";
import { handOn, refuseUnanswered } from "./http/hand-on.ts";
import { idempotency } from "./http/idempotency.ts";
import { boundedBody } from "./http/json-body.ts";
import { operatorOnly } from "./http/operator.ts";
import { loggedContext, requestLog } from "./http/request-log.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { allowedMethods, routedOnly, unmatched } from "./http/unmatched.ts";
import { refuseInvalid } from "./http/validation.ts";
import { serveOperatorPage } from "./pages/operator-routes.ts";
import { otherAddress } from "./pages/other-addresses.ts";
import { servePages } from "./pages/routes.ts";

const router = () => new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });

const methodsAt = allowedMethods(() => app);

const elsewhere = unmatched(methodsAt);

const api = router();
api.use(
  authenticate,
  acceptance(OTHER_TYPES),
  boundedBody,
  routedOnly(methodsAt),
  bookmarks,
  writesOnly(idempotency(keyAnswers)),
);
for (const register of API_ENDPOINTS) register(api);

const admin = router();
admin.use(operatorOnly, acceptance(), boundedBody);
for (const register of ADMIN_ENDPOINTS) register(admin);

const open = router();
open.use(acceptance(), boundedBody);
for (const register of PUBLIC_ENDPOINTS) register(open);

/** The whole service: middleware, routes, and what answers where there is none. */
export const app: OpenAPIHono<AppEnv> = router();
app.use(requestLog, handOn, securityHeaders, crossOrigin, refuseUnanswered);
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

/** The context of work that no request asks for: the schedule's and the wallet's alarm. */
export const backgroundContext = loggedContext;
