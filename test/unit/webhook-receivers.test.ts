import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { ROOT } from "../support/imports.ts";

/** The receivers of docs/webhooks.md, run as they stand there. */

const PAGE = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");
const folder = mkdtempSync(join(ROOT, "node_modules", ".receivers-"));
const secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
vi.stubEnv("MINTAGE_WEBHOOK_SECRET", secret);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

/** The module of a code block; the client comes from its sources. */
const receiver = async <T>(name: string): Promise<T> => {
  const code = new RegExp(`\`\`\`ts ${name}\n([^]*?)\`\`\``).exec(PAGE)?.[1];
  if (code === undefined) throw new Error(`docs/webhooks.md has no receiver for ${name}`);
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, code.replace('"@mintage/client"', JSON.stringify(join(ROOT, "client/src/index.ts"))));
  return (await import(file)) as T;
};

type Send = (body: string, headers: Record<string, string>) => Promise<number>;

const overHttp = async (listener: RequestListener | Server): Promise<Send> => {
  const server = typeof listener === "function" ? createServer(listener) : listener;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mintage`;
  return async (body, headers) => (await fetch(url, { method: "POST", body, headers })).status;
};

const RECEIVERS: readonly (readonly [string, () => Promise<Send>])[] = [
  [
    "hono",
    async () => {
      const { default: app } = await receiver<{ default: Hono }>("hono");
      const env = { MINTAGE_WEBHOOK_SECRET: secret };
      return async (body, headers) =>
        (await app.request("/mintage", { method: "POST", body, headers }, env)).status;
    },
  ],
  ["express", async () => overHttp((await receiver<{ app: RequestListener }>("express")).app)],
  ["node", async () => overHttp((await receiver<{ server: Server }>("node")).server)],
];

test.each(RECEIVERS)("the receiver for %s accepts signed deliveries only", async (_name, open) => {
  const send = await open();
  const log = vi.spyOn(console, "log").mockReturnValue();
  const body = JSON.stringify({ seq: 7, event_uuid: "e", type: "nft.minted", data: {} });
  const at = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": "e",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign("e", at, body),
  };
  expect(await send(body, headers)).toBe(204);
  expect(log).toHaveBeenCalledExactlyOnceWith(7, "nft.minted");
  expect(await send(body.replace("7", "8"), headers)).toBe(400);
  expect(await send(body, { "content-type": "application/json" })).toBe(400);
  expect(log).toHaveBeenCalledOnce();
});
