import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
} from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../../scripts/local-front.ts";
import { DATABASE_RETRY_AFTER, databaseUnavailable, errorBody } from "../../src/domain/errors.ts";

/** Far more than a socket buffers. */
const SENT = 2 * 2 ** 20;

/**
 * A service that answers after it has read as many bytes as the path says, and closes with the rest unread, as
 * workerd does if a Worker refuses a body. It runs in its own thread, so that it does so at any moment.
 */
const SERVICE = `
  const { createServer } = require("node:net");
  const { parentPort, workerData } = require("node:worker_threads");
  const server = createServer((socket) => {
    let read = 0, upTo, silent;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      upTo ??= Number(/^POST \\/(\\d+)/.exec(data.toString("latin1"))[1]);
      silent ??= data.includes("/silent");
      read += data.length;
      if (read < upTo) return;
      if (!silent) socket.write("HTTP/1.1 413 Payload Too Large\\r\\nContent-Length: 9\\r\\n\\r\\ntoo large");
      socket.destroySoon();
    });
  });
  server.listen(workerData, () => parentPort.postMessage("listens"));
`;

let folder: string;
let service: Worker;
let front: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mintage-front-"));
  const socketPath = join(folder, "service");
  service = new Worker(SERVICE, { eval: true, workerData: socketPath });
  await new Promise((resolve) => service.once("message", resolve));
  front = await listen({ path: socketPath }, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  front.close();
  await service.terminate();
  rmSync(folder, { recursive: true, force: true });
});

interface Answered {
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function post(path: string, headers: Record<string, string>): Promise<Answered> {
  const { port } = front.address() as { port: number };
  return new Promise((resolve, reject) => {
    const asking = request({ port, path, method: "POST", headers }, (response: IncomingMessage) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
        reject,
      );
    });
    asking.once("error", reject).end(Buffer.alloc(SENT, "x"));
  });
}

test.each([
  ["a length", { "Content-Length": String(SENT) }],
  ["chunks", { "Transfer-Encoding": "chunked" }],
])(
  "an answer that is sent before a body of %s was read reaches its caller, after any byte",
  async (_name, headers) => {
    const wrong: unknown[] = [];
    for (let nth = 0; nth < 300; nth += 1) {
      const upTo = 1 + nth * 6_000;
      const answer = await post(`/${upTo}`, headers);
      if (answer.status !== 413 || answer.body !== "too large") wrong.push([upTo, answer]);
    }
    expect(wrong).toEqual([]);
  },
);

test.each([
  ["GET / HTTP/1.1", "Host: localhost", 503],
  ["GET / HTTP/1.1", "Host: LOCALHOST.:8787", 503],
  ["GET / HTTP/1.1", "Host: shop.localhost:8787", 503],
  ["GET / HTTP/1.1", "Host: 127.0.0.1:8787", 503],
  ["GET / HTTP/1.1", "Host: 192.168.1.5:8787", 503],
  ["GET / HTTP/1.1", "Host: [::1]:8787", 503],
  ["GET / HTTP/1.1", "Host: own_1.example:80", 503],
  ["GET / HTTP/1.1", "Host: evil.example:8787", 421],
  ["GET / HTTP/1.1", "Host: other.own_1.example", 421],
  ["GET / HTTP/1.1", "Host: localhost.evil.example", 421],
  ["GET / HTTP/1.1", "Host: evillocalhost", 421],
  ["GET / HTTP/1.1", "Host: 127.0.0.1.evil.example", 421],
  ["GET / HTTP/1.1", 'Host: x"},{', 400],
  ["GET / HTTP/1.1", "Host: x/y", 400],
  ["GET / HTTP/1.1", "Host: x y", 400],
  ["GET / HTTP/1.1", "Host: x:99999", 400],
  ["GET / HTTP/1.1", "Host:", 400],
  ["GET / HTTP/1.1", "Host: x\r\nHost: x", 400],
  ["OPTIONS * HTTP/1.1", "Host: x", 400],
  ["GET http://other.example/ HTTP/1.1", "Host: x", 400],
])(
  "%j with %j is answered with %i: only requests with one Host of this service are passed on",
  async (line, headers, status) => {
    const gone = await listen(
      { path: join(folder, "nobody") },
      {
        host: "127.0.0.1",
        port: 0,
        hosts: ["own_1.example"],
      },
    );
    const { port } = gone.address() as { port: number };
    const socket = connect(port, "127.0.0.1");
    socket.end(`${line}\r\n${headers}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    gone.close();
  },
);

test("the service gets the real address of a request, whatever the request's headers claim", async () => {
  const headersOf = Promise.withResolvers<string[]>();
  const behind = createServer((incoming, answer) => {
    headersOf.resolve(incoming.rawHeaders);
    answer.end();
  });
  behind.listen(join(folder, "told"));
  await once(behind, "listening");
  const told = await listen({ path: join(folder, "told") }, { host: "127.0.0.1", port: 0 });
  const { port } = told.address() as { port: number };
  const headers = {
    "cf-connecting-ip": "203.0.113.9",
    "MF-Original-Url": "http://elsewhere/",
    "X-Own": "kept",
  };
  const asked = request({ port, host: "127.0.0.1", headers }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  answer.resume();
  const raw = await headersOf.promise;
  const valuesOf = (name: string) =>
    raw.filter((_, at) => at % 2 === 1 && raw[at - 1]!.toLowerCase() === name);
  expect(["cf-connecting-ip", "mf-original-url", "x-own"].map(valuesOf)).toEqual([
    ["127.0.0.1"],
    [],
    ["kept"],
  ]);
  for (const server of [told, behind]) {
    server.closeAllConnections();
    server.close();
  }
});

test("a write to a service that closes without an answer ends with the error for an unknown outcome", async () => {
  const error = databaseUnavailable(true, null, "The service");
  for (const upTo of [1, 1_000_000]) {
    const { status, headers, body } = await post(`/${upTo}/silent`, {});
    expect([status, headers["content-type"], headers["retry-after"]]).toEqual([
      error.status,
      "application/json",
      String(DATABASE_RETRY_AFTER),
    ]);
    const answer = JSON.parse(body) as ReturnType<typeof errorBody>;
    expect(answer).toEqual(errorBody(error, String(headers["x-request-id"])));
    expect(answer).toMatchObject({ outcome: "unknown", retryable: true });
  }
});

test("a read of a service that has ended is an error without an outcome", async () => {
  const gone = await listen({ path: join(folder, "nobody") }, { host: "127.0.0.1", port: 0 });
  const { port } = gone.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/me`);
  expect(response.status).toBe(503);
  const requestId = response.headers.get("x-request-id") ?? "";
  expect(await response.json()).toEqual(
    errorBody(databaseUnavailable(false, null, "The service"), requestId),
  );
  gone.close();
});

test("a request reaches the service before its body begins", async () => {
  const early = createServer((incoming, answer) => {
    void text(incoming).then((body) => answer.end(body));
  });
  const socketPath = join(folder, "early");
  await new Promise<void>((resolve) => early.listen(socketPath, resolve));
  const before = await listen({ path: socketPath }, { host: "127.0.0.1", port: 0 });
  const { port } = before.address() as { port: number };
  const asking = request({ port, path: "/", method: "POST", headers: { "Content-Length": "4" } });
  const answered = new Promise<string>((resolve, reject) => {
    asking.once("error", reject).once("response", (response) => void text(response).then(resolve, reject));
  });
  asking.flushHeaders();
  await once(early, "request");
  asking.end("late");
  expect(await answered).toBe("late");
  before.close();
  early.close();
});

test("a chunked body reaches the service as its request's body, whatever the method", async () => {
  const seen: string[] = [];
  const echo = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    void text(incoming).then((body) => {
      seen.push(`${method} ${url} ${headers["cf-connecting-ip"]} ${body}`);
      answer.end();
    });
  });
  const socketPath = join(folder, "echo");
  await new Promise<void>((resolve) => echo.listen(socketPath, resolve));
  const before = await listen({ path: socketPath }, { host: "127.0.0.1", port: 0 });
  const { port } = before.address() as { port: number };
  // A body that looks like a request.
  const body = "POST /inner HTTP/1.1\r\nHost: x\r\nCF-Connecting-IP: 192.0.2.1\r\nContent-Length: 0\r\n\r\n";
  const methods = ["GET", "DELETE", "OPTIONS", "POST"];
  for (const method of methods) {
    await new Promise((resolve, reject) => {
      const headers = { "Transfer-Encoding": "chunked" };
      request({ port, path: "/outer", method, headers }, (answer) => answer.resume().once("end", resolve))
        .once("error", reject)
        .end(body);
    });
  }
  expect(seen).toEqual(methods.map((method) => `${method} /outer 127.0.0.1 ${body}`));
  before.close();
  echo.close();
});
