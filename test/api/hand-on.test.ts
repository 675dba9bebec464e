import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
// Inside: the rule by which a request is handed on, for all routes and any path.
import { app, endpointAt } from "../../src/app.ts";
import { isHandedOn } from "../../src/http/request.ts";
import { api, apiWith, bodyOf } from "../support/api.ts";

test.each([
  ["POST", "/api/v1/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/mint", true],
  ["POST", "/api/v1/collection-draft/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/asset-bulk", true],
  ["PUT", "/api/v1/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/allowlist-add", true],
  ["DELETE", "/api/v1/webhook/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11", true],
  ["POST", "/admin/v1/integration", true],
  ["POST", "/public/v1/claim", true],
  ["PUT", "/api/v1/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/allowlist-checkaccount", false],
  ["DELETE", "/api/v1/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/allowlist-checkaccount", true],
  ["PUT", "/api/v1/webhook/allowlist-checkaccount", true],
  ["POST", "/admin/v1/integration/allowlist-checkaccount", true],
  ["OPTIONS", "/api/v1/collection-draft", false],
  ["GET", "/api/v1/event", false],
  ["HEAD", "/api/v1/me", false],
  ["POST", "/docs", false],
  ["POST", "/ipfs/x/api/v1/", false],
])("%s %s is handed on to the other Worker: %s", (method, path, isHanded) => {
  expect(isHandedOn(method, path, endpointAt(method, path))).toBe(isHanded);
});

test("every write is handed on, and no read is", () => {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  const paths = routes.map(
    ({ method, path }) => [method, path.replaceAll(/:\w+(\{[^}]*\})?/g, "x")] as const,
  );
  const writes = paths.filter(([method]) => ["POST", "PUT", "PATCH", "DELETE"].includes(method));
  expect(writes.length).toBeGreaterThan(40);
  const kept = writes.filter(([method, path]) => !isHandedOn(method, path, endpointAt(method, path)));
  expect([...new Set(kept.map(([method, path]) => `${method} ${path}`))]).toEqual([
    "PUT /api/v1/collection/x/allowlist-checkaccount",
    // Each write behind a tool is a request of its own, which is handed on.
    "POST /mcp",
  ]);
  const reads = paths.filter(([method]) => method === "GET" || method === "HEAD");
  expect(reads.length).toBeGreaterThan(40);
  expect(reads.filter(([method, path]) => isHandedOn(method, path, endpointAt(method, path)))).toEqual([]);
});

test("no read is handed on, whatever its path", () => {
  const path = fc.webPath().map((text) => `/api/v1/${text}`);
  fc.assert(
    fc.property(
      fc.constantFrom("GET", "HEAD", "OPTIONS"),
      path,
      (method, read) => !isHandedOn(method, read, endpointAt(method, read)),
    ),
  );
});

/** Another Worker of the same code, which has no binding to a further one, and what it was asked. */
const writesWorker = () => {
  const asked: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    const context = createExecutionContext();
    const response = await app.fetch(request, { ...env, CORS_ORIGINS: "https://shop.example" }, context);
    await waitOnExecutionContext(context);
    return response;
  };
  return { asked, WRITES: { fetch }, CORS_ORIGINS: "https://shop.example" };
};

const lines = (spy: { mock: { calls: unknown[][] } }) =>
  spy.mock.calls.map(
    ([line]) => JSON.parse(String(line)) as { event: string; status?: number; request_id: string },
  );

test("a write is answered by the other Worker, and logged by it alone", async () => {
  const { asked, ...bindings } = writesWorker();
  const log = vi.spyOn(console, "log");
  const { response } = await apiWith(bindings, "/collection-draft", { json: {}, key: null });
  const body = await bodyOf<{ code: string; request_id: string }>(response, 401);
  expect(asked).toEqual(["POST /api/v1/collection-draft"]);
  expect(body.code).toBe("api_key_missing");
  expect(response.headers.get("x-request-id")).toBe(body.request_id);
  expect(lines(log).filter(({ event }) => event === "request")).toMatchObject([
    { status: 401, request_id: body.request_id },
  ]);
});

test("a read and a browser's preflight are answered without the other Worker", async () => {
  const { asked, ...bindings } = writesWorker();
  const { response: read } = await apiWith(bindings, "/me");
  await bodyOf(read, 401);
  const headers = { Origin: "https://shop.example", "Access-Control-Request-Method": "POST" };
  const { response } = await apiWith(bindings, "/collection-draft", { method: "OPTIONS", headers });
  expect(response.status).toBe(204);
  expect(asked).toEqual([]);
});

test("an answer has the same headers, once each, with and without the other Worker", async () => {
  const { asked, ...bindings } = writesWorker();
  const request = { json: {}, headers: { Origin: "https://shop.example" } };
  const { response: handed } = await apiWith(bindings, "/collection-draft", request);
  const { response: own } = await apiWith({ ...bindings, WRITES: undefined }, "/collection-draft", request);
  const headersOf = ({ headers }: Response) =>
    [...headers].filter(([name]) => name !== "x-request-id" && name !== "content-length");
  expect(asked).toHaveLength(1);
  expect(headersOf(handed)).toEqual(headersOf(own));
  expect(handed.headers.get("access-control-allow-origin")).toBe("https://shop.example");
  await Promise.all([handed.body?.cancel(), own.body?.cancel()]);
});

test("if the other Worker doesn't answer, the caller gets the service's error and the operator a log line", async () => {
  const error = vi.spyOn(console, "error");
  const WRITES = { fetch: () => Promise.reject(new Error("the other Worker ran out of memory")) };
  const { response } = await apiWith({ WRITES }, "/collection-draft", { json: {} });
  const body = await bodyOf<{ code: string; message: string; request_id: string }>(response, 500);
  expect(body).toMatchObject({ code: "internal_error", message: expect.stringContaining("Idempotency-Key") });
  expect(body.message).not.toContain("memory");
  expect(response.headers.get("x-request-id")).toBe(body.request_id);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(lines(error)).toMatchObject([
    { event: "request.error", code: "internal_error", message: "the other Worker ran out of memory" },
  ]);
});

test("a service without another Worker carries out writes itself", async () => {
  const response = await api("/collection-draft", { json: {} });
  await bodyOf(response, 401);
});
