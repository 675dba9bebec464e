import { env } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { type ApiRequest, admin, api, apiWith, bodyOf } from "../support/api.ts";
import { operationsOf, readDocument } from "../support/openapi.ts";
import { attach, formOf, newTenant } from "../support/uploads.ts";

let key: string;

beforeAll(async () => {
  const { integration_uuid: uuid } = await bodyOf<{ integration_uuid: string }>(
    await admin("/integration", { json: { name: "Surface" } }),
    201,
  );
  const issued = await bodyOf<{ api_key: string }>(
    await admin(`/integration/${uuid}/key`, { json: { name: "k" } }),
    201,
  );
  key = issued.api_key;
});

afterEach(() => vi.restoreAllMocks());

/** A request with other bindings than the Worker's own. */
async function withBindings(changes: object, path: string, init: RequestInit = {}): Promise<Response> {
  const { response, background } = await apiWith({ ...changes }, path, init as ApiRequest);
  await background();
  return response;
}

const authorized = (headers: Record<string, string> = {}) => ({
  headers: { authorization: `Api-Key ${key}`, ...headers },
});

describe("errors have the same form for", () => {
  test.each<[string, string, RequestInit, number, string]>([
    ["an unknown address", "/healthy", {}, 404, "not_found"],
    ["an unknown address of the API", "/api/v1/nothing", {}, 404, "not_found"],
    ["another method", "/api/v1/collection", { method: "PATCH" }, 405, "method_not_allowed"],
    ["another method outside", "/health", { method: "POST" }, 405, "method_not_allowed"],
    ...["/api/v1/collection", "/admin/v1/contract", "/public/v1/page/herons"].map(
      (path): [string, string, RequestInit, number, string] => [
        `another method with a body that can't be read, at ${path}`,
        path,
        { ...body(new Uint8Array([0xff]), "application/json"), method: "PATCH" },
        405,
        "method_not_allowed",
      ],
    ),
    ["no JSON wanted", "/api/v1/collection", { headers: { accept: "text/html" } }, 406, "not_acceptable"],
    [
      "a form",
      "/api/v1/collection-draft",
      body("a=b", "application/x-www-form-urlencoded"),
      415,
      "unsupported_content_type",
    ],
    [
      "no type",
      "/api/v1/collection-draft",
      body(new Uint8Array([123, 125])),
      415,
      "unsupported_content_type",
    ],
    [
      "JSON of another meaning",
      "/api/v1/collection-draft",
      body("{}", "application/merge-patch+json"),
      415,
      "unsupported_content_type",
    ],
    ["half JSON", "/api/v1/collection-draft", body("{", "application/json"), 400, "invalid_json"],
    [
      "a compressed body",
      "/api/v1/collection-draft",
      {
        ...body("{}", "application/json"),
        headers: { ...body("{}", "application/json").headers, "content-encoding": "gzip" },
      },
      415,
      "unsupported_content_type",
    ],
    [
      "bytes that are no UTF-8",
      "/api/v1/collection-draft",
      body(new Uint8Array([34, 255, 34]), "application/json"),
      400,
      "invalid_json",
    ],
    ["an array", "/api/v1/collection-draft", body("[]", "application/json"), 400, "invalid_request"],
    ["nothing at all", "/api/v1/collection-draft", body("", "application/json"), 400, "invalid_json"],
    ["an id that is none", "/api/v1/collection/1", {}, 400, "invalid_request"],
    [
      "a body where there is none",
      finalizePath(),
      body('{"force":true}', "application/json"),
      400,
      "invalid_request",
    ],
  ])("%s", async (_, path, init, status, code) => {
    const headers = new Headers(init.headers);
    if (path.startsWith("/api")) headers.set("authorization", `Api-Key ${key}`);
    if (path.startsWith("/admin")) headers.set("authorization", `Bearer ${env.ADMIN_TOKEN}`);
    const response = await api(path, { ...(init as object), headers: Object.fromEntries(headers) });
    const answer = await bodyOf<{ request_id: string }>(response, status);
    expect(answer).toMatchObject({ code, message: expect.stringMatching(/\.$/) });
    expect(response.headers.get("x-request-id")).toBe(answer.request_id);
    if (status === 405) expect(response.headers.get("allow")).toContain("GET");
  });

  test("a message names the mistakes in few words, however long the names are", async () => {
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}`.repeat(500), 1]));
    const answer = await bodyOf<{ message: string; issues: object[] }>(
      await api("/collection-draft", { key, json: fields }),
      400,
    );
    expect(answer.message.length).toBeLessThan(700);
    expect(answer.issues).toHaveLength(22);
    const one = { contract_uuid: crypto.randomUUID(), title: "Herons", titel: "Herons" };
    expect(await bodyOf(await api("/collection-draft", { key, json: one }), 400)).toMatchObject({
      message: "Correct titel: Remove this field: its name is unknown.",
    });
  });

  test("an unsupported method doesn't use up an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "claimed by nobody", ...json() };
    const path = `/collection-draft/${crypto.randomUUID()}`;
    for (const body of ["1", "2"]) {
      await bodyOf(await api(path, { method: "PATCH", key, body, headers }), 405);
    }
    await bodyOf(await api("/nothing", { method: "POST", key, body: "3", headers }), 404);
  });

  test("a body is refused by every write that takes no body", async () => {
    const writes = operationsOf(await readDocument()).filter(
      ({ method, requestBody }) => method !== "GET" && requestBody === undefined,
    );
    expect(writes.length).toBeGreaterThan(10);
    for (const { method, path } of writes) {
      const address = path
        .replaceAll("{drop_id}", "1")
        .replaceAll(/\{\w+\}/g, "01900000-0000-7000-8000-000000000000");
      const request = { method, json: { dry_run: true } };
      const answer = path.startsWith("/admin/")
        ? await admin(address.slice("/admin/v1".length), request)
        : await api(address, { ...request, key });
      expect(await bodyOf(answer, 400), `${method} ${path}`).toMatchObject({
        message: "Send no body: this address doesn't take one.",
      });
    }
  });

  test("a body that is too large is refused before it is read, declared or not", async () => {
    const large = "x".repeat(1_048_577);
    const declared = await api("/collection-draft", { key, body: large, headers: json() });
    expect(await bodyOf(declared, 413)).toMatchObject({ code: "payload_too_large" });
    // A stream doesn't declare its length.
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
        if (pulled === 200) controller.close();
      },
    });
    const streamed = await api("/collection-draft", { key, body: stream, headers: json() });
    expect(await bodyOf(streamed, 413)).toMatchObject({ code: "payload_too_large" });
    expect(pulled).toBeLessThan(30);
  });

  test("an exception is logged completely, and its answer contains only the request's id", async () => {
    const said: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line: string) => void said.push(line));
    const broken = {
      prepare: () => {
        throw new Error("the secret inside");
      },
    };
    const init = { headers: { authorization: `Api-Key mk_live_${"z".repeat(43)}` } };
    const response = await withBindings({ DB: broken }, "/api/v1/collection", init);
    const text = JSON.stringify(await bodyOf(response, 500));
    expect(JSON.parse(text)).toEqual({
      code: "internal_error",
      message: expect.any(String),
      request_id: response.headers.get("x-request-id"),
    });
    expect(said.join("\n")).toContain("the secret inside");
    expect(said.join("\n")).toContain(response.headers.get("x-request-id"));
  });
});

describe("headers", () => {
  test("keep browsers from doing more than reading an answer", async () => {
    const { headers } = await api("/collection", { key });
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "strict-transport-security": expect.stringContaining("max-age="),
      "cache-control": "no-store",
    });
  });

  test("allow no other origin unless it is configured", async () => {
    const origin = { origin: "https://shop.example" };
    const { headers } = await api("/collection", { key, headers: origin });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("allow a configured origin after its preflight, and no other", async () => {
    const configured = { CORS_ORIGINS: "https://shop.example, https://game.example" };
    const ask = (origin: string) =>
      withBindings(configured, "/api/v1/collection-draft", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
    const allowed = await ask("https://game.example");
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://game.example");
    expect(allowed.headers.get("access-control-allow-headers")).toContain("Idempotency-Key");
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const read = await withBindings(
      configured,
      "/api/v1/collection",
      authorized({ origin: "https://shop.example" }),
    );
    expect(read.headers.get("access-control-expose-headers")).toContain("Link");
  });

  test("a configured origin may send and read all headers of the document", async () => {
    const configured = { CORS_ORIGINS: "*" };
    const listed = (answer: Response, name: string) =>
      (answer.headers.get(name) ?? "").toLowerCase().split(/, ?/);
    const asked = await withBindings(configured, "/api/v1/event", {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
    });
    const operations = operationsOf(await readDocument());
    const sent = operations.flatMap(({ parameters = [] }) =>
      parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name.toLowerCase()),
    );
    expect(sent.length).toBeGreaterThan(0);
    expect(listed(asked, "access-control-allow-headers")).toEqual(
      expect.arrayContaining([...new Set(sent), "authorization", "content-type", "last-event-id"]),
    );
    const read = await withBindings(
      configured,
      "/api/v1/collection",
      authorized({ origin: "https://shop.example" }),
    );
    const shown = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    );
    expect(shown).toContain("X-Block-Hash");
    expect(listed(read, "access-control-expose-headers")).toEqual(
      expect.arrayContaining([...new Set(shown)].map((name) => name.toLowerCase())),
    );
  });

  test("open the gateway to every page, whatever is configured", async () => {
    const tenant = await newTenant();
    const form = formOf(
      [{ asset_filename: "a.png", copies: 1 }],
      [{ name: "a.png", bytes: picture("png", 7) }],
    );
    const [asset] = await bodyOf<[{ asset_cid: string }]>(await attach(tenant, form), 201);
    const path = `/ipfs/${asset.asset_cid}`;
    const origin = { headers: { origin: "https://elsewhere.example" } };
    for (const configured of [{}, { CORS_ORIGINS: "https://shop.example" }, { CORS_ORIGINS: "*" }]) {
      const { headers, body } = await withBindings(configured, path, origin);
      await body?.cancel();
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toBe(
        "Content-Length, Content-Range, Content-Disposition, ETag, X-Ipfs-Path, X-Ipfs-Roots",
      );
    }
  });
});

describe("webhooks at http://localhost", () => {
  const network = { NEAR_NETWORK: "testnet", PUBLIC_URL: "https://mint.example" };
  const create = async (configured: object) => {
    const { key } = await newTenant();
    const headers = { authorization: `Api-Key ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ url: "http://localhost:8790/mintage" });
    return withBindings(configured, "/api/v1/webhook", { method: "POST", headers, body });
  };

  test("are accepted on any network if the settings allow them", async () => {
    await bodyOf(await create({ ...network, LOCAL_WEBHOOKS: "on" }), 201);
  });

  test("are refused otherwise", async () => {
    expect(await bodyOf(await create({ LOCAL_WEBHOOKS: "" }), 400)).toMatchObject({
      issues: [{ path: ["url"] }],
    });
  });
});

describe("wrong settings", () => {
  const wrong: readonly (readonly [string, object, readonly string[]])[] = [
    ["a secret that is too short", { WALLET_SECRETS: '{"1":"c2hvcnQ="}' }, ["WALLET_SECRETS"]],
    [
      "no address of its own on a network of others",
      { NEAR_NETWORK: "testnet", PUBLIC_URL: "" },
      ["PUBLIC_URL"],
    ],
    [
      "nothing that wrangler.toml lacks",
      {
        NEAR_NETWORK: "testnet",
        NEAR_RPC_URL: "",
        PLATFORM_ACCOUNT_ID: "",
        PLATFORM_PRIVATE_KEY: "",
        WALLET_SECRETS: "",
      },
      ["PLATFORM_ACCOUNT_ID", "PLATFORM_PRIVATE_KEY", "WALLET_SECRETS", "PUBLIC_URL"],
    ],
    [
      "values that are not settings'",
      { PLATFORM_PRIVATE_KEY: "c2hvcnQ=", NEAR_RPC_URL: "c2hvcnQ=", MAX_LANES: "c2hvcnQ=" },
      ["NEAR_RPC_URL", "PLATFORM_PRIVATE_KEY", "MAX_LANES"],
    ],
    [
      "an account and a key that no chain has",
      { PLATFORM_ACCOUNT_ID: "Bad", PLATFORM_PRIVATE_KEY: "ed25519:c2hvcnQ" },
      ["PLATFORM_ACCOUNT_ID", "PLATFORM_PRIVATE_KEY"],
    ],
    [
      "a key whose halves don't belong together",
      { PLATFORM_PRIVATE_KEY: env.PLATFORM_PRIVATE_KEY.replace(/.$/, (end) => (end === "2" ? "3" : "2")) },
      ["PLATFORM_PRIVATE_KEY"],
    ],
  ];

  test.each(wrong)(
    "%s: every address answers 503, and /ready and one log line name the settings",
    async (_, configured, names) => {
      const [lines, requests]: [string[], string[]] = [[], []];
      vi.spyOn(console, "error").mockImplementation((line: string) => lines.push(line));
      vi.spyOn(console, "log").mockImplementation((line: string) => requests.push(line));
      const addresses = [
        "/",
        "/health",
        "/docs",
        "/m/herons",
        "/api/v1/me",
        "/admin/v1/overview",
        "/ipfs/bafy",
      ];
      for (const path of addresses) {
        const answered = await withBindings(configured, path);
        const { issues, ...error } = await bodyOf<{ issues?: unknown }>(answered, 503);
        expect(error).toMatchObject({
          code: "not_configured",
          message: expect.not.stringContaining("WALLET"),
        });
        expect(issues).toBeUndefined();
        expect(Object.fromEntries(answered.headers)).toMatchObject({
          ...{ "x-content-type-options": "nosniff", "cache-control": "no-store", vary: "Accept" },
          ...{ "strict-transport-security": expect.any(String), "x-request-id": expect.any(String) },
        });
      }
      expect(requests.map((line) => JSON.parse(line))).toMatchObject(
        addresses.map((path) => ({ event: "request", path: expect.stringContaining(path), status: 503 })),
      );
      const accept = "application/problem+json";
      const problem = await withBindings(configured, "/api/v1/me", { headers: { accept } });
      expect(problem.headers.get("content-type")).toBe(accept);
      expect(await bodyOf(problem, 503)).toMatchObject({ code: "not_configured", status: 503 });
      const agents = await bodyOf<object>(await withBindings(configured, "/mcp", { method: "POST" }), 503);
      expect(agents).toMatchObject({ jsonrpc: "2.0", error: { data: { code: "not_configured" } } });
      lines.splice(-2);
      expect(lines).toHaveLength(addresses.length);
      const ready = await bodyOf<{ issues: { path: string[] }[] }>(
        await withBindings(configured, "/ready"),
        503,
      );
      expect(ready).toMatchObject({ code: "not_configured" });
      expect(ready.issues.map(({ path }) => path)).toEqual(names.map((name) => [name]));
      const [line = "", ...others] = lines.slice(addresses.length);
      expect(others).toEqual([]);
      for (const name of names) expect(line).toContain(name);
      expect(JSON.stringify(ready) + lines.join()).not.toContain("c2hvcnQ");
    },
  );
});

describe("the operator's surface", () => {
  test.each([undefined, "Bearer", "Bearer wrong", "Basic abc"])(
    "refuses Authorization %s",
    async (header) => {
      const headers: Record<string, string> = header === undefined ? {} : { authorization: header };
      const response = await api("/admin/v1/integration", { headers });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(await bodyOf(response, 401)).toMatchObject({ code: "admin_token_invalid" });
    },
  );

  test("doesn't exist without a token in the settings", async () => {
    const init = { headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` } };
    const response = await withBindings({ ADMIN_TOKEN: "" }, "/admin/v1/integration", init);
    expect(await bodyOf(response, 404)).toMatchObject({ code: "not_found" });
  });

  test("can't be used with an API key", async () => {
    await bodyOf(await api("/admin/v1/integration", { key }), 401);
  });
});

test("a JSON object is required even if all its fields may be absent", async () => {
  const path = "/integration/01900000-0000-7000-8000-000000000000/limits";
  expect(await bodyOf(await admin(path, { method: "PUT" }), 400)).toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("Send a JSON object"),
  });
});

test("log lines are single JSON objects with the request's id, and contain no secret", async () => {
  const lines: string[] = [];
  for (const method of ["log", "error", "warn", "info"] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(String(line)));
  }
  const responses = [
    await api("/collection-draft?cursor=querysecret&limit=1", { key }),
    await api("/collection-draft", {
      key,
      json: { title: "titlesecret" },
      headers: { "idempotency-key": "idsecret" },
    }),
    await admin("/integration", { json: { name: "Logged" } }),
    await admin("/platform"),
    await api("/collection", { headers: { authorization: "Api-Key nonsense" } }),
  ];
  const { integration_uuid: uuid } = (await responses[2]!.json()) as { integration_uuid: string };
  const issued = await admin(`/integration/${uuid}/key`, { json: { name: "k" } });
  const { api_key: fresh } = (await issued.json()) as { api_key: string };
  const all = lines.join("\n");
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ event: expect.any(String) });
  for (const { headers } of responses) expect(all).toContain(headers.get("x-request-id"));
  const secrets = Object.values(JSON.parse(env.WALLET_SECRETS) as Record<string, string>);
  const hidden = [
    key,
    fresh,
    env.ADMIN_TOKEN,
    env.PLATFORM_PRIVATE_KEY,
    ...secrets,
    "querysecret",
    "titlesecret",
  ];
  for (const secret of hidden) expect(all).not.toContain(secret);
});

/** A POST of a body, with its type where it has one. */
function body(content: BodyInit, type?: string): RequestInit {
  return { method: "POST", body: content, headers: type === undefined ? {} : { "content-type": type } };
}

function json() {
  return { "content-type": "application/json" };
}

function finalizePath() {
  return `/api/v1/collection-draft/${crypto.randomUUID()}/finalize`;
}
