import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the service says to one request. `drop` closes the connection without an answer, `cut` in the middle of its body. */
export type Reply =
  | "drop"
  | "cut"
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** A request as it came in. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An HTTP server that says what a test wants it to, in order, and remembers what it was asked. */
export async function scriptedService(reply: (request: Seen, count: number) => Reply | Promise<Reply>) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString("latin1"),
    };
    seen.push(one);
    const answer = await reply(one, seen.length);
    if (answer === "drop") return request.socket.destroy();
    if (answer === "cut") {
      response.writeHead(201, { "content-type": "application/json", "content-length": 100 });
      return response.write("{", () => request.socket.destroy());
    }
    const body = answer.body === undefined ? "" : JSON.stringify(answer.body);
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
