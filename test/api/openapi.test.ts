import { beforeAll, describe, expect, test, vi } from "vitest";
import { api, apiWith, bodyOf } from "../support/api.ts";
import {
  type JsonSchema,
  type OpenApi,
  type Operation,
  operationsOf,
  problemsOf,
  readDocument,
  resolved,
} from "../support/openapi.ts";

let document: OpenApi;
let operations: Operation[];

beforeAll(async () => {
  document = await readDocument();
  operations = operationsOf(document);
});

describe("the OpenAPI document", () => {
  test("has version 3.1 and every endpoint of the interface", () => {
    expect(document.openapi).toBe("3.1.0");
    const named = operations.map(({ method, path }) => `${method} ${path}`);
    expect(named).toEqual(
      expect.arrayContaining([
        "POST /api/v1/collection-draft",
        "GET /api/v1/collection-draft",
        "GET /api/v1/collection-draft/{collection_draft_uuid}",
        "PUT /api/v1/collection-draft/{collection_draft_uuid}",
        "DELETE /api/v1/collection-draft/{collection_draft_uuid}",
        "POST /api/v1/collection-draft/{collection_draft_uuid}/asset-bulk",
        "POST /api/v1/collection-draft/{collection_draft_uuid}/finalize",
        "GET /api/v1/collection",
        "GET /api/v1/collection/{collection_uuid}",
        "PUT /api/v1/collection/{collection_uuid}",
        "PUT /api/v1/collection/{collection_uuid}/allowlist-add",
        "PUT /api/v1/collection/{collection_uuid}/allowlist-remove",
        "PUT /api/v1/collection/{collection_uuid}/allowlist-clear",
        "PUT /api/v1/collection/{collection_uuid}/allowlist-checkaccount",
        "POST /api/v1/collection/{collection_uuid}/mint",
        "PUT /api/v1/collection/{collection_uuid}/nft-update",
      ]),
    );
  });

  test("has a unique id for every operation", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is generated once, however often it is requested, and has an ETag for each address", async () => {
    const written = vi.spyOn(JSON, "stringify");
    const ask = async (address?: string, headers = {}) => {
      const changes = address === undefined ? {} : { PUBLIC_URL: address };
      return (await apiWith(changes, "/openapi.json", { headers })).response;
    };
    const answers = [
      await ask(),
      await ask(),
      await ask("https://a.example"),
      await ask("https://b.example"),
    ];
    const tags = answers.map((answer) => answer.headers.get("etag") ?? "");
    const documents = await Promise.all(
      answers.map((answer) => bodyOf<OpenApi & { servers: object }>(answer, 200)),
    );
    expect(documents.map(({ servers }) => servers)).toEqual([
      [{ url: "http://mintage.test" }],
      [{ url: "http://mintage.test" }],
      [{ url: "https://a.example" }],
      [{ url: "https://b.example" }],
    ]);
    for (const { servers, ...rest } of documents)
      expect({ ...rest, servers: null }).toEqual({ ...document, servers: null });
    expect(tags[0]).toMatch(/^"[0-9a-f]{32}"$/);
    expect(tags[1]).toBe(tags[0]);
    expect(new Set(tags).size).toBe(3);
    const same = await ask("https://a.example", { "if-none-match": `"other", W/${tags[2]}` });
    expect([same.status, same.headers.get("etag"), await same.text()]).toEqual([304, tags[2], ""]);
    await bodyOf(await ask("https://b.example", { "if-none-match": tags[2] ?? "" }), 200);
    const large = written.mock.results.filter(({ value }) => String(value).length > 10_000);
    expect(large).toEqual([]);
    written.mockRestore();
  });

  test("has no reference to something missing", () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(names.filter((name) => document.components.schemas[name!] === undefined)).toEqual([]);
  });

  test("states what every operation needs and how it can fail", () => {
    for (const { path, security, responses } of operations) {
      const schemes = security.flatMap(Object.keys);
      const [scheme] = schemes;
      if (path.startsWith("/api/")) expect(schemes, path).toEqual(["ApiKey", "Bearer"]);
      if (path.startsWith("/admin/")) expect(schemes, path).toEqual(["OperatorToken"]);
      expect(responses, path).toHaveProperty("500");
      if (scheme) expect(responses, path).toHaveProperty("401");
    }
  });

  test("has no example that its own schema refuses", () => {
    const problems: string[] = [];
    let examples = 0;
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const schema = node as JsonSchema;
      const isSchema = ["$ref", "type", "enum", "allOf", "anyOf", "oneOf"].some((name) => name in schema);
      if (schema.example !== undefined && isSchema) {
        examples += 1;
        problems.push(
          ...problemsOf(document, schema, schema.example).map((problem) => `${path}: ${problem}`),
        );
      }
      for (const [name, value] of Object.entries(node))
        if (name !== "example") walk(value, `${path}/${name}`);
    };
    walk(document.components.schemas, "");
    walk(document.paths, "");
    expect(examples).toBeGreaterThan(50);
    expect(problems).toEqual([]);
  });

  // A generator of clients leaves out a whole operation that it can't read: openapi-python-client is such a one.
  test("combines only objects, and gives every answer a type that generators can read", () => {
    const composed: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { allOf = [] } = node as { readonly allOf?: readonly JsonSchema[] };
      if (allOf.some((part) => resolved(document, part).type !== "object")) composed.push(path);
      for (const [name, value] of Object.entries(node)) walk(value, `${path}/${name}`);
    };
    walk(document, "");
    expect(composed).toEqual([]);
    const unread = operations.flatMap(({ operationId, responses }) =>
      Object.values(responses)
        .map(({ content }) => Object.keys(content ?? {}))
        .filter(
          (types) => types.length > 0 && !types.some((type) => /^(application\/json|text\/.+)$/.test(type)),
        )
        .map((types) => `${operationId}: ${types}`),
    );
    expect(unread).toEqual([]);
  });

  test("has a webhook for every type of event, with an example that fits its schema", () => {
    const { enum: types = [] } = document.components.schemas.Event!.properties!.type!;
    expect(Object.keys(document.webhooks)).toEqual([...types, "webhook.test"]);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema, example } = post!.requestBody!.content["application/json"]!;
      expect(example).toMatchObject({ type });
      expect(problemsOf(document, schema!, example)).toEqual([]);
      expect(post!.parameters!.map(({ name }) => name)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ]);
    }
  });

  test("has an example that fits its schema for every JSON body", () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) => {
      const media = requestBody?.content["application/json"];
      return media?.schema
        ? [{ operationId, problems: problemsOf(document, media.schema, media.example) }]
        : [];
    });
    expect(bodies.length).toBeGreaterThan(15);
    expect(bodies.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  test("has an example for every JSON body", () => {
    const without = operations.filter(({ requestBody }) => {
      const media = requestBody?.content["application/json"];
      return media !== undefined && media.example === undefined;
    });
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });
});

test("the reference page needs no other host", async () => {
  const response = await api("/docs");
  const html = await response.text();
  expect(response.headers.get("content-type")).toContain("text/html");
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  const policy = response.headers.get("content-security-policy") ?? "";
  const nonce = /script-src 'nonce-([^']+)';/.exec(policy)?.[1];
  expect(policy).toContain("default-src 'none'; ");
  const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);

  const source = /src="([^"]+)"/.exec(html)?.[1] ?? "";
  const script = await api(source);
  expect(script.status).toBe(200);
  expect(script.headers.get("content-type")).toContain("text/javascript");
  expect(await script.text()).toContain("createApiReference");
  const tag = script.headers.get("etag") ?? "";
  expect((await api(source, { headers: { "If-None-Match": tag } })).status).toBe(304);
  // The asset's folder isn't served under its own name; `..` leads to the root.
  expect((await api("/docs/../standalone.js")).status).toBe(404);
});

test("/health and /ready are described and answered", async () => {
  expect(await (await api("/health")).json()).toEqual({ status: "ok" });
  const ready = (await (await api("/ready")).json()) as { database: { size_bytes: number } };
  expect(ready).toMatchObject({
    status: "ready",
    database: { size_bytes: expect.any(Number), limit_bytes: 10_000_000_000 },
  });
  expect(ready.database.size_bytes).toBeGreaterThan(0);
});
