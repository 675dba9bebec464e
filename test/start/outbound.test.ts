import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { outboundWorker } from "../../scripts/local-outbound.ts";
import { type Runtime, startWorkerd } from "../../scripts/workerd.ts";

/** A Worker that fetches the address it is given, and says what came of it. */
const ASKER = `export default {
  fetch: async (request) => {
    try {
      const answer = await fetch(new URL(request.url).searchParams.get("url"), { method: "POST", body: "asked" });
      return new Response(await answer.text());
    } catch (error) {
      return new Response("refused: " + error.message);
    }
  },
};`;

const servers: Server[] = [];
let runtime: Runtime;
let embedded: Runtime;
let node = "";
let other = "";

/** A server of this machine that answers with what it was sent. */
async function listen(): Promise<number> {
  const server = createServer((incoming, answer) => void incoming.pipe(answer));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const ask = (url: string, { sockets } = runtime): Promise<string> =>
  new Promise((resolve, reject) => {
    const path = `/?url=${encodeURIComponent(url)}`;
    request({ socketPath: sockets[0], path }, (response) => void text(response).then(resolve, reject))
      .once("error", reject)
      .end();
  });

beforeAll(async () => {
  node = `http://127.0.0.1:${await listen()}`;
  other = `http://localhost:${await listen()}`;
  const settings = { NEAR_RPC_URL: `https://rpc.example.com/key, ${node}/path` };
  const date = "2026-10-20";
  const start = (more: Record<string, string>) =>
    startWorkerd(
      {
        workers: [
          {
            name: "asker",
            compatibilityDate: date,
            modules: true,
            script: ASKER,
            outboundService: "outbound",
          },
          outboundWorker("outbound", { ...settings, ...more }),
        ],
        cf: false,
      },
      () => {},
    );
  runtime = await start({ NEAR_NETWORK: "testnet" });
  embedded = await start({ NEAR_NETWORK: "devchain" });
});

afterAll(async () => {
  await runtime.stop();
  await embedded.stop();
  for (const server of servers) server.close();
});

test("a node of the settings is asked, wherever it is", async () => {
  expect(await ask(node)).toBe("asked");
});

test("no other name leads to an address of this machine or its network", async () => {
  const addresses = [other, other.replace("localhost", "127.0.0.1"), node.replace("127.0.0.1", "localhost")];
  for (const address of addresses) expect(await ask(address)).toMatch(/^refused: /);
});

test("with the embedded chain, webhooks on this machine are reached over http, and others of its network aren't", async () => {
  expect(await ask(other, embedded)).toBe("asked");
  expect(await ask(other.replace("localhost", "127.0.0.1"), embedded)).toBe("asked");
  for (const address of ["http://10.0.0.1:9/", "http://169.254.169.254/", other.replace("http:", "https:")]) {
    expect(await ask(address, embedded)).toMatch(/^refused: /);
  }
});
