import { describe, expect, test } from "vitest";
import {
  ApiError,
  ChainError,
  ConnectionError,
  InsufficientFundsError,
  InvalidRequestError,
  MintageClient,
  type MintInput,
  OperationPendingError,
} from "../src/index.ts";
import { nextPage } from "../src/transport.ts";
import { type Reply, type Seen, scriptedService } from "./scripted-service.ts";

const KEY = "mk_live_test";
const QUICK = { baseMs: 1, maxMs: 2 };

const clientOf = (baseUrl: string, retries = 6) =>
  new MintageClient({ baseUrl, apiKey: KEY, retry: { ...QUICK, retries } });

const drafted = { status: 201, body: { collection_draft_uuid: "d" } };
const input = { contract_uuid: "c", title: "Herons" };
const keysOf = (seen: readonly Seen[]) => seen.map(({ headers }) => headers["idempotency-key"]);
const inOrder =
  (...replies: Reply[]) =>
  (_: Seen, count: number) =>
    replies[count - 1] ?? "drop";

test("holders without the block they are of are an error", async () => {
  const headers = { "x-block-height": "7", "x-block-hash": "h" };
  await using service = await scriptedService(
    inOrder(
      { status: 200, headers, body: [] },
      { status: 200, headers: { "x-block-height": "7" }, body: [] },
      { status: 200, headers: { "x-block-hash": "h" }, body: [] },
    ),
  );
  const { collections } = clientOf(service.url);
  expect(await collections.holders("c")).toEqual({ block_height: 7, block_hash: "h", holders: [] });
  await expect(collections.holders("c")).rejects.toThrow("without its header X-Block-Hash");
  await expect(collections.holders("c")).rejects.toThrow("without its header X-Block-Height");
});

describe("retries", () => {
  test("send the same bytes under the same idempotency key", async () => {
    const busy = { status: 503, body: { code: "chain_unavailable", message: "later" } };
    await using service = await scriptedService(inOrder("drop", busy, "cut", { status: 502 }, drafted));
    const draft = await clientOf(service.url).drafts.create(input);
    expect(draft.collection_draft_uuid).toBe("d");
    expect(service.seen).toHaveLength(5);
    expect(new Set(keysOf(service.seen)).size).toBe(1);
    expect(keysOf(service.seen)[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(service.seen.map(({ body }) => body))).toEqual(new Set([JSON.stringify(input)]));
    expect(service.seen[0]?.headers.authorization).toBe(`Api-Key ${KEY}`);
  });

  test("give up at once if the service never answered before, and continue if it did", async () => {
    const service = await scriptedService(() => drafted);
    const tried: number[] = [];
    const options = { baseUrl: service.url, apiKey: KEY, retry: { ...QUICK, retries: 2 } };
    const client = new MintageClient({ ...options, onRetry: ({ tried: times }) => tried.push(times) });
    await client.drafts.create(input);
    await service[Symbol.asyncDispose]();
    await expect(client.drafts.create(input)).rejects.toThrow(`Nothing answers at ${service.url}.`);
    expect(tried).toEqual([1, 2]);
    tried.length = 0;
    const fresh = new MintageClient({ ...options, onRetry: ({ tried: times }) => tried.push(times) });
    await expect(fresh.drafts.create(input)).rejects.toThrow(`Nothing answers at ${service.url}.`);
    const noHost = Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }),
    });
    const misspelt = new MintageClient({
      ...options,
      fetch: () => Promise.reject(noHost),
      onRetry: ({ tried: times }) => tried.push(times),
    });
    await expect(misspelt.drafts.create(input)).rejects.toThrow("Nothing answers at");
    expect(tried).toEqual([]);
  });

  test("ask for the outcome of a write that may have been accepted under its key, and not of a refused one", async () => {
    const failed = { status: 500, body: { code: "internal_error", message: "failed" } };
    const doubtful = { ...failed, body: { ...failed.body, outcome: "unknown", operation_uuid: "o" } };
    const minted = { status: 201, body: { message: "success", tokens: [] } };
    await using service = await scriptedService(inOrder(doubtful, minted, failed));
    const mint = () => clientOf(service.url).collections.mint("c", { receiver_addresses: ["a.near"] });
    await expect(mint()).resolves.toEqual(minted.body);
    expect(new Set(keysOf(service.seen)).size).toBe(1);
    await expect(mint()).rejects.toMatchObject({ status: 500, operationUuid: null });
    expect(service.seen).toHaveLength(3);
  });

  test("use a new key for each call, unless a key is given", async () => {
    await using service = await scriptedService(() => drafted);
    const client = clientOf(service.url);
    await client.drafts.create(input);
    await client.drafts.create(input);
    await client.drafts.create(input, { idempotencyKey: "mine" });
    const [first, second, third] = keysOf(service.seen);
    expect(first).not.toBe(second);
    expect(third).toBe("mine");
  });

  test("send a multipart body again in full", async () => {
    const parts: string[] = [];
    await using service = await scriptedService((request, count) => {
      parts.push(request.body);
      return count === 1 ? "drop" : { status: 201, body: [] };
    });
    const data = new TextEncoder().encode("bytes of a picture");
    const reference = { filename: "0.json", data: new TextEncoder().encode("{}") };
    await clientOf(service.url).drafts.attachAssets("d", [
      { filename: "0.png", data, reference, copies: 3, subtitle: "#$TOKEN_NUM" },
      { filename: "1.png", data, reference },
    ]);
    expect(parts).toHaveLength(2);
    for (const part of parts) {
      expect(part).toContain("bytes of a picture");
      expect(part.match(/name="asset_file"/g)).toHaveLength(2);
      expect(part.match(/name="reference_file"/g)).toHaveLength(1);
      expect(part).toContain('"copies":3,"reference_filename":"0.json","asset_subtitle":"#$TOKEN_NUM"');
    }
  });

  test("end with the last error after the configured number of tries", async () => {
    await using service = await scriptedService(() => "drop");
    await expect(clientOf(service.url, 2).drafts.get("d")).rejects.toBeInstanceOf(ConnectionError);
    expect(service.seen).toHaveLength(3);
  });

  test("are not made if they can't help, or after the signal is aborted", async () => {
    const soldOut = { status: 409, body: { code: "sold_out", message: "none left", request_id: "r" } };
    await using service = await scriptedService(() => soldOut);
    const minting = clientOf(service.url).collections.mint("c", { receiver_addresses: ["a.near"] });
    await expect(minting).rejects.toMatchObject({ name: "ConflictError", code: "sold_out", requestId: "r" });
    expect(service.seen).toHaveLength(1);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(clientOf(service.url).drafts.get("d", { signal })).rejects.toThrow("enough");
    expect(service.seen).toHaveLength(1);
  });
});

describe("errors", () => {
  test("carry the code, the message and the details of the answer", async () => {
    const body = {
      code: "insufficient_funds",
      message: "The wallet lacks 3 yoctoNEAR.",
      request_id: "r1",
      outcome: "not_submitted",
      retryable: false,
      issues: [{ path: ["title"], message: "Shorten it." }],
    };
    await using service = await scriptedService(() => ({ status: 402, body }));
    const error = await clientOf(service.url)
      .drafts.finalize("d")
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsufficientFundsError);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 402, outcome: "not_submitted", retryable: false, requestId: "r1" });
    expect((error as Error).message).toBe("The wallet lacks 3 yoctoNEAR.\n  title: Shorten it.");
  });

  test("name the limit that refused the request", async () => {
    const body = { code: "spending_limit_reached", message: "Wait.", request_id: "r2", limit: "spending" };
    await using service = await scriptedService(() => ({ status: 402, body }));
    await expect(clientOf(service.url).drafts.finalize("d")).rejects.toMatchObject({ limit: "spending" });
  });

  test("have no code if the answer isn't the service's", async () => {
    await using service = await scriptedService(() => ({ status: 413, headers: { "x-request-id": "edge" } }));
    await expect(clientOf(service.url).drafts.create(input)).rejects.toMatchObject({
      constructor: InvalidRequestError,
      code: "http_error",
      limit: null,
      requestId: "edge",
    });
  });
});

describe("operations", () => {
  const accepted = {
    status: 202,
    headers: { location: "/api/v1/operation/o" },
    body: { operation_uuid: "o" },
  };
  const operation = (state: string, answer: unknown = null) => ({
    status: 200,
    body: { operation_uuid: "o", state, answer },
  });

  test("are waited for, and give the answer of the call itself", async () => {
    const minted = { message: "success", tokens: [{ token_id: "1:1" }] };
    await using service = await scriptedService(
      inOrder(accepted, operation("pending"), operation("succeeded", { status: 201, body: minted })),
    );
    const answer = await clientOf(service.url).collections.mint("c", { receiver_addresses: ["a.near"] });
    expect(answer).toEqual(minted);
    expect(service.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/v1/collection/c/mint",
      "GET /api/v1/operation/o",
      "GET /api/v1/operation/o",
    ]);
  });

  test("are returned with their uuid if a mint is only started, even if it has already ended", async () => {
    const headers = { "x-operation-uuid": "o" };
    await using service = await scriptedService(
      inOrder({ ...accepted, headers }, { status: 201, headers, body: { tokens: [] } }),
    );
    const { collections } = clientOf(service.url);
    for (const status of [202, 201]) {
      const started = collections.startMint("c", { receiver_addresses: ["a.near"] }, { idempotencyKey: "k" });
      expect(await started, String(status)).toBe("o");
    }
    expect(service.seen).toMatchObject(
      Array(2).fill({ method: "POST", headers: { prefer: "respond-async", "idempotency-key": "k" } }),
    );
    expect(JSON.parse(service.seen[0]!.body.toString())).toMatchObject({ receivers_must_exist: true });
  });

  test("need receivers that exist unless a mint says no, which neither undefined nor null does", async () => {
    await using service = await scriptedService(() => ({ status: 201, body: { tokens: [] } }));
    const client = clientOf(service.url);
    const wishes = [undefined, null, true, false];
    for (const receivers_must_exist of wishes) {
      const body = { receiver_addresses: ["a.near"], receivers_must_exist };
      await client.collections.mint("c", body as object as MintInput);
      await client.quote({ method: "POST", path: "/collection/c/mint", body });
    }
    const bodies = service.seen.map(({ body }) => JSON.parse(body));
    const sent = bodies.map((json) => (json.body ?? json).receivers_must_exist);
    expect(sent).toEqual(wishes.flatMap((wish) => [wish ?? true, wish ?? true]));
  });

  test("that failed throw the same error as the call would have", async () => {
    const body = { code: "transaction_failed", message: "E_SOLD_OUT: none left", outcome: "failed_on_chain" };
    await using service = await scriptedService(
      inOrder(accepted, operation("failed", { status: 502, body })),
    );
    const minting = clientOf(service.url).collections.mint("c", { receiver_addresses: ["a.near"] });
    await expect(minting).rejects.toMatchObject({
      constructor: ChainError,
      outcome: "failed_on_chain",
      operationUuid: "o",
    });
  });

  test("with an unknown outcome are reported at once, without waiting", async () => {
    const body = { code: "outcome_unknown", message: "It may have been carried out.", outcome: "unknown" };
    await using service = await scriptedService((_, count) =>
      count === 1 ? accepted : operation("unknown", { status: 502, body }),
    );
    const minting = clientOf(service.url).collections.mint(
      "c",
      { receiver_addresses: ["a.near"] },
      { waitMs: 0 },
    );
    await expect(minting).rejects.toMatchObject({
      constructor: ChainError,
      code: "outcome_unknown",
      outcome: "unknown",
      operationUuid: "o",
    });
    expect(service.seen).toHaveLength(2);
  });

  test("that take longer than the wait are reported with their uuid, so that the caller can wait again", async () => {
    await using service = await scriptedService((_, count) =>
      count === 1 ? accepted : operation("pending"),
    );
    const minting = clientOf(service.url).collections.mint(
      "c",
      { receiver_addresses: ["a.near"] },
      { waitMs: 0 },
    );
    await expect(minting).rejects.toBeInstanceOf(OperationPendingError);
  });
});

test("a key can ask for its own details", async () => {
  await using service = await scriptedService(() => ({ status: 200, body: { name: "Heron shop" } }));
  expect(await clientOf(service.url).me()).toEqual({ name: "Heron shop" });
  expect(service.seen[0]).toMatchObject({ method: "GET", path: "/api/v1/me" });
});

test("a mint is quoted with its own body, and sent with its quote and maximum cost", async () => {
  const headers = { "x-operation-uuid": "o" };
  const minted = { status: 201, headers, body: { message: "success", tokens: [] } };
  await using service = await scriptedService(
    inOrder({ status: 201, body: { quote_uuid: "q" } }, minted, minted),
  );
  const client = clientOf(service.url);
  const body = { receiver_addresses: ["a.near"] };
  const write = { method: "POST", path: "/collection/c/mint", keep: true } as const;
  const { quote_uuid: quote } = await client.quote({ ...write, body });
  await client.collections.mint("c", body, { quote });
  expect(await client.collections.startMint("c", body, { maxCost: 10n ** 21n })).toBe("o");
  const [asked, mint, started] = service.seen as [Seen, Seen, Seen];
  expect(asked.path).toBe("/api/v1/quote");
  expect(JSON.parse(asked.body)).toEqual({ ...write, body: JSON.parse(mint.body) });
  expect(started.body).toBe(mint.body);
  expect(mint.headers).toMatchObject({ "mintage-quote": "q" });
  expect(started.headers).toMatchObject({ "mintage-max-cost": "1000000000000000000000" });
});

test("lists are fetched page by page, only as far as they are read", async () => {
  const page = (names: string[], next?: string) => ({
    status: 200,
    body: names.map((title) => ({ title })),
    ...(next && { headers: { link: `<http://elsewhere.test${next}>; rel="next"` } }),
  });
  await using service = await scriptedService((request) =>
    request.path.includes("cursor=2")
      ? page(["c"])
      : page(["a", "b"], "/api/v1/collection?limit=1000&cursor=2"),
  );
  const titles: string[] = [];
  for await (const { title } of clientOf(service.url).collections.list()) titles.push(title);
  expect(titles).toEqual(["a", "b", "c"]);
  for await (const _ of clientOf(service.url).collections.list()) break;
  expect(service.seen).toHaveLength(3);
});

test.each([
  [null, null],
  ["", null],
  ['<http://a.test/list?cursor=2>; rel="next"', "/list?cursor=2"],
  ["</list?cursor=a,b;c>;rel=next", "/list?cursor=a,b;c"],
  ['<http://a.test/first>; rel="prev", <http://a.test/second>; title="x"; rel="next"', "/second"],
  ['<http://a.test/list>; rel="nextish"', null],
  [`${"<".repeat(20_000)}; rel="next"`, null],
])("the next page of Link: %.60s", (link, page) => {
  expect(nextPage(new Headers(link === null ? {} : { link }))).toBe(page);
});

test("a reference is sent in the body of each write to the chain, and as a filter of a list", async () => {
  await using service = await scriptedService(({ method }) => ({
    status: 200,
    headers: { "x-operation-uuid": "o" },
    body: method === "GET" ? [] : {},
  }));
  const client = clientOf(service.url);
  const options = { reference: "order 7" };
  await client.drafts.finalize("d", options);
  await client.drafts.finalize("d");
  await client.collections.mint("c", { receiver_addresses: ["alice.near"] }, options);
  await client.collections.startMint("c", { receiver_addresses: ["alice.near"] }, options);
  await client.allowlist.clear("c", options);
  await client.allowlist.add("c", ["alice.near"], options);
  await client.wallet.payOut("sales", options);
  await client.drops.close("c", 1, options);
  const bodies = service.seen.map(({ body }) => (body === "" ? null : JSON.parse(body)));
  expect(bodies.map((body) => body?.reference ?? null)).toEqual([
    "order 7",
    null,
    ...Array(6).fill("order 7"),
  ]);
  expect(bodies[1]).toBeNull();
  for await (const _ of client.operations.list(options));
  expect(service.seen.at(-1)?.path).toBe("/api/v1/operation?reference=order+7&limit=1000");
  for await (const _ of client.operations.list({ kind: "mint", state: "succeeded", subjectUuid: "c" }));
  expect(service.seen.at(-1)?.path).toBe(
    "/api/v1/operation?kind=mint&state=succeeded&subject_uuid=c&limit=1000",
  );
  for await (const _ of client.operations.list());
  expect(service.seen.at(-1)?.path).toBe("/api/v1/operation?limit=1000");
});
