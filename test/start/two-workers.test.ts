import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerOf, call, newDraft, openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";

/** A deployment with a Worker for writes, both Workers as `npm run deploy` configures them. */

const FIRST = "mintage";
const BOTH = "mintage-writes, mintage";
/** Between two looks at what goes on. Milliseconds. */
const POLL_MS = 100;

interface Line {
  readonly event: string;
  readonly request_id?: string;
  readonly path?: string;
  readonly worker?: string;
  readonly operation_uuid?: string;
}

const logged: Line[] = [];
let service: BenchService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({
    entry: "test/start/marking-worker.ts",
    blockMs: 100,
    quiet: true,
    hasWrites: true,
    onLine: (line) => {
      if (line.startsWith("{")) logged.push(JSON.parse(line) as Line);
    },
  });
  shop = await openShop(service);
});
afterAll(() => service.stop());

const workersOf = (response: Response) => response.headers.get("x-test-workers");
const json = (body: unknown, headers: Record<string, string> = {}, method = "POST") => ({
  method,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const requestsTo = (path: string) =>
  logged.filter((line) => line.event === "request" && line.path === `/api/v1${path}`);

/** A collection of pictures, so many bytes each. */
async function collectionOf(sizes: readonly number[]): Promise<string> {
  const draft = await newDraft(service, shop);
  const form = new FormData();
  const detail = sizes.map((size, index) => {
    const asset_filename = `${index}.png`;
    const bytes = Buffer.concat([picture("png", index), randomBytes(size)]);
    form.append("asset_file", new File([bytes], asset_filename));
    return { asset_filename, copies: 10 };
  });
  form.append("assets_detail", JSON.stringify(detail));
  const uploaded = await call(service, shop, `/collection-draft/${draft}/asset-bulk`, {
    method: "POST",
    body: form,
  });
  expect(workersOf(uploaded)).toBe(BOTH);
  await answerOf(uploaded, 201);
  const finalized = await call(service, shop, `/collection-draft/${draft}/finalize`, { method: "POST" });
  return (await answerOf<{ collection_uuid: string }>(finalized, 201)).collection_uuid;
}

test("a draft, a large upload, a collection and a mint pass through both Workers, and reads through the first only", async () => {
  const collection = await collectionOf(Array<number>(5).fill(1_000_000));
  const minted = await call(
    service,
    shop,
    `/collection/${collection}/mint`,
    json({ receiver_addresses: [shop.walletAccountId] }, { "mintage-bookmark": "new" }),
  );
  expect(workersOf(minted)).toBe(BOTH);
  const bookmark = minted.headers.get("mintage-bookmark") ?? "";
  const { tokens } = await answerOf<{ tokens: { token_id: string }[] }>(minted, 201);
  expect(tokens).toHaveLength(1);

  // A bookmark of the second Worker is one of the database, with which the first goes on.
  const read = await call(service, shop, `/collection/${collection}/token`, {
    headers: { "mintage-bookmark": bookmark },
  });
  expect(bookmark).not.toBe("");
  expect(workersOf(read)).toBe(FIRST);
  expect((await answerOf<{ token_id: string }[]>(read, 200)).map(({ token_id }) => token_id)).toEqual(
    tokens.map(({ token_id }) => token_id),
  );
  expect(requestsTo(`/collection/${collection}/mint`)).toHaveLength(1);
  expect(requestsTo(`/collection/${collection}/token`)).toHaveLength(1);
});

test("the second Worker gets the caller's address and headers, at the first's address", async () => {
  const id = crypto.randomUUID();
  const send = () =>
    call(
      service,
      shop,
      "/collection-draft",
      json(
        { contract_uuid: shop.contractUuid, title: "Herons" },
        { "cf-connecting-ip": "203.0.113.7", "idempotency-key": id },
      ),
    );
  const [first, repeated] = [await send(), await send()];
  expect(workersOf(first)).toBe(BOTH);
  expect(first.headers.get("x-test-address")).toBe("203.0.113.7");
  expect(first.headers.get("x-test-url")).toBe(`${service.url}/api/v1/collection-draft`);
  expect(repeated.headers.get("idempotency-replayed")).toBe("true");
  expect(await repeated.text()).toBe(await first.text());
});

test("a write counts once towards its key's limit", async () => {
  const remaining = async () => {
    const response = await call(service, shop, "/collection-draft", json({}));
    await answerOf(response, 400);
    expect(workersOf(response)).toBe(BOTH);
    return Number(/r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
  };
  const counts: number[] = [];
  while (counts.length < 20) counts.push(await remaining());
  // The counter forgets old requests meanwhile: it may only rise, or fall by one a request.
  const steps = counts.slice(1).map((count, index) => (counts[index] ?? 0) - count);
  expect(Math.max(...steps)).toBe(1);
});

test("an operation that the second Worker doesn't finish is continued by its wallet", async () => {
  const collection = await collectionOf([10]);
  const response = await call(
    service,
    shop,
    `/collection/${collection}/mint`,
    json({ receiver_addresses: [shop.walletAccountId] }, { prefer: "respond-async", "x-test-forget": "yes" }),
  );
  expect(workersOf(response)).toBe(BOTH);
  const { operation_uuid: uuid } = await answerOf<{ operation_uuid: string }>(response, 202);
  let state = "pending";
  while (state === "pending") {
    const read = await call(service, shop, `/operation/${uuid}`);
    ({ state } = await answerOf<{ state: string }>(read, 200));
    // A key may send a hundred requests a second, and the tests behind this one need some.
    await pause(POLL_MS);
  }
  expect(state).toBe("succeeded");
});

test("the operator's writes pass through both, and a wrong token is refused by the second", async () => {
  const ask = (token: string) =>
    fetch(
      `${service.url}/admin/v1/integration`,
      json({ name: "Another" }, { authorization: `Bearer ${token}` }),
    );
  const [made, refused] = [await ask(service.adminToken), await ask("x".repeat(40))];
  expect([made.status, workersOf(made)]).toEqual([201, BOTH]);
  expect([refused.status, workersOf(refused)]).toEqual([401, BOTH]);
});

test("/ready asks the second Worker whether it has the settings of the first", async () => {
  const ready = await fetch(`${service.url}/ready`);
  expect(await answerOf(ready, 200)).toMatchObject({ status: "ready", writes: { state: "up" } });
});

test("the caller gets the service's error if the second Worker throws an exception", async () => {
  const response = await call(
    service,
    shop,
    "/collection-draft",
    json({ contract_uuid: shop.contractUuid, title: "Herons" }, { "x-test-fail": "yes" }),
  );
  const { code, request_id: id } = await answerOf<{ code: string; request_id: string }>(response, 500);
  expect(code).toBe("internal_error");
  expect(response.headers.get("x-request-id")).toBe(id);
  expect(workersOf(response)).toBe(FIRST);
  expect(logged.filter(({ request_id }) => request_id === id).map(({ event }) => event)).toEqual([
    "request.error",
    "request",
  ]);
});

/** A refusal by a body's length has come by then. Milliseconds. */
const REFUSED_MS = 500;

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Begins requests with large bodies of which most is never sent. */
function heldBodies(count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(service.url);
  const head = [
    "POST /api/v1/collection-draft HTTP/1.1",
    `Host: ${hostname}`,
    `Authorization: Api-Key ${shop.key}`,
    "Content-Type: application/json",
    "Content-Length: 1000000",
  ].join("\r\n");
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.removeListener("error", reject).on("error", () => undefined);
        socket.write(`${head}\r\n\r\n{"title":"`, () => resolve(socket));
      });
    });
  return Promise.all(Array.from({ length: count }, open));
}

/**
 * Sends a large body, as soon as it isn't refused by its length alone: the local runtime closes the connection with a
 * refusal, and a client that still writes may not get to read it (RFC 9112, section 9.6).
 */
async function largeBody(): Promise<Answered> {
  const body = JSON.stringify({ title: "x".repeat(900_000) });
  const sent = request(`${service.url}/api/v1/collection-draft`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Api-Key ${shop.key}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  const isRefused = await Promise.race([answered.then(() => true), pause(REFUSED_MS, false)]);
  if (!isRefused) sent.end(body);
  const [response] = await answered;
  const told = { status: response.statusCode!, text: await text(response) };
  sent.destroy();
  return told;
}

/** Sends large bodies until one is answered otherwise than with a status. */
async function otherThan(status: number): Promise<Answered> {
  for (;;) {
    const answer = await largeBody();
    if (answer.status !== status) return answer;
  }
}

test("a disconnected client is noticed by the second Worker, which releases the memory of its body", async () => {
  // One integration may hold 64 MiB of bodies; a new one needs twice its size free.
  const sockets = await heldBodies(66);
  expect(await otherThan(400)).toEqual({
    status: 429,
    text: expect.stringContaining("Too many bodies are open"),
  });
  for (const socket of sockets) socket.destroy();
  expect(await otherThan(429)).toMatchObject({ status: 400 });
});
