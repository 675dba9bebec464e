/** JSON-RPC over HTTP, as nodes speak it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { internalError, parseError, RpcError } from "./errors.ts";
import type { Faults } from "./faults.ts";
import { answerWithFaults, type Reply } from "./inject-faults.ts";
import { answer } from "./methods.ts";
import type { Node } from "./reference.ts";

/** A node's default for the body of a request. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const HEADERS = {
  "content-type": "application/json",
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*",
};

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new RpcError(413, { code: -32_700, message: "Payload Too Large" });
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, HEADERS).end(JSON.stringify(body));
}

/** An error of ours is shown on stderr: it's a defect of this chain, not of the request. */
function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  console.error(error);
  return internalError(error instanceof Error ? error.message : String(error));
}

interface Request {
  id?: unknown;
  method: string;
  params: unknown;
}

function parseRequest(body: Buffer): Request {
  let request: Partial<Request> | null;
  try {
    request = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw parseError((error as Error).message);
  }
  if (typeof request !== "object" || typeof request?.method !== "string")
    throw parseError("missing field `method`");
  return { id: request.id, method: request.method, params: request.params };
}

/**
 * Pages in a browser must not call the control methods, which change the chain at will. Every browser names a page's
 * origin with a POST (Fetch standard, "Origin" header).
 */
function refuseFromPages(method: string, { headers }: IncomingMessage): void {
  if (!method.startsWith("devchain_") || headers.origin === undefined) return;
  const message = `${method} is not for pages in a browser: send it without an Origin header`;
  throw new RpcError(403, { code: -32_600, message });
}

async function post(
  node: Node,
  faults: Faults,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let id: unknown = "dontcare";
  try {
    const request = parseRequest(await readBody(message));
    id = request.id ?? null;
    refuseFromPages(request.method, message);
    const path = new URL(message.url ?? "/", "http://node").pathname;
    const reply = await answerWithFaults(node, faults, path, request.method, request.params);
    deliver(response, id, reply);
  } catch (error) {
    const { status, body } = asRpcError(error);
    send(response, status, { jsonrpc: "2.0", error: body, id });
  }
}

function deliver(response: ServerResponse, id: unknown, reply: Reply): void {
  switch (reply.kind) {
    case "result":
      send(response, 200, { jsonrpc: "2.0", result: reply.result, id });
      return;
    case "broken":
      response.destroy();
      return;
    case "raw":
      response.writeHead(reply.status, { ...HEADERS, ...reply.headers }).end(reply.text);
      return;
    case "silent":
      // The client decides how long it waits; the connection ends with the chain.
      return;
  }
}

async function handle(
  node: Node,
  faults: Faults,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (message.method === "POST") return post(node, faults, message, response);
  if (message.method === "OPTIONS") return void response.writeHead(204, HEADERS).end();
  const path = new URL(message.url ?? "/", "http://node").pathname;
  if (path === "/health") return void response.writeHead(200, HEADERS).end("");
  if (path === "/status") return send(response, 200, await answer(node, faults, "status", []));
  send(response, 404, { message: "POST JSON-RPC requests here" });
}

/** Starts to listen. @throws with code EADDRINUSE if the port is taken. */
export async function serve(node: Node, faults: Faults, port: number, host: string): Promise<Server> {
  const server = createServer((message, response) => {
    handle(node, faults, message, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await promise;
  server.off("error", reject);
  return server;
}
