import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
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
let node = "";
let other = "";

/** A server of this machine that answers with what it was sent. */
async function listen(host = "127.0.0.1"): Promise<number> {
  const server = createServer((incoming, answer) => void incoming.pipe(answer));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

const ask = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const path = `/?url=${encodeURIComponent(url)}`;
    request({ socketPath: runtime.sockets[0], path }, (response) => void text(response).then(resolve, reject))
      .once("error", reject)
      .end();
  });

beforeAll(async () => {
  node = `http://127.0.0.1:${await listen()}`;
  other = `http://localhost:${await listen()}`;
  const settings = { NEAR_RPC_URL: `https://rpc.example.com/key, ${node}/path` };
  const date = "2026-10-20";
  runtime = await startWorkerd(
    {
      workers: [
        {
          name: "asker",
          compatibilityDate: date,
          modules: true,
          script: ASKER,
          outboundService: "outbound",
        },
        outboundWorker("outbound", settings),
      ],
      cf: false,
    },
    () => {},
  );
});

afterAll(async () => {
  await runtime.stop();
  for (const server of servers) server.close();
});

test("a node from the settings is asked at any address", async () => {
  expect(await ask(node)).toBe("asked");
});

test("webhooks on this machine are reached over http, on any network", async () => {
  expect(await ask(other)).toBe("asked");
  expect(await ask(other.replace("localhost", "127.0.0.1"))).toBe("asked");
});

test("no other address of this machine or its network is reached, even if it is public", async () => {
  const port = await listen("0.0.0.0");
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = own.filter(({ internal, family }) => !internal && family === "IPv4");
  // This address leads to this machine even if it has no network, and so no others.
  const here = `http://0.0.0.0:${port}/`;
  expect(await (await fetch(here, { method: "POST", body: "asked" })).text()).toBe("asked");
  expect(await ask(here)).toMatch(/^refused: /);
  const hosts = [...outer.map(({ address }) => address), "10.0.0.1", "169.254.169.254"];
  for (const host of hosts) expect(await ask(`http://${host}:${port}/`), host).toMatch(/^refused: /);
  expect(await ask(other.replace("http:", "https:"))).toMatch(/^refused: /);
});
