import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { listeningAddresses } from "../support/listening.ts";
import {
  copyProject,
  endScripts,
  freePort,
  interrupt,
  type Started,
  said,
  startScript,
} from "../support/npm-start.ts";
import { eventually } from "../support/waiting.ts";

/** A copy, whose source may change and whose .dev.vars is nobody's. */
let copy: string;
let environment: Record<string, string>;
const started: Started[] = [];

function start(target: string, args: readonly string[] = [], env: Record<string, string> = {}): Started {
  const run = startScript(target, { ...environment, ...env }, args, copy);
  started.push(run);
  return run;
}

/** `fetch` sets the Host header itself. */
const get = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port: environment.PORT, path, headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    asking.once("error", reject).end();
  });

beforeAll(async () => {
  copy = copyProject("mintage-dev-");
  environment = {
    MINTAGE_DATA: join(copy, ".mintage"),
    PORT: String(await freePort()),
    NEAR_PORT: String(await freePort()),
    INSPECTOR_PORT: String(await freePort()),
    NEAR_BLOCK_MS: "200",
  };
});

afterEach(() => endScripts(started));

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("npm run dev mints, applies a source change and ends all its processes; npm start continues with its data", async () => {
  const dev = start("start", ["--dev"]);
  await said(dev, "Ctrl-C ends the service");
  const key = /demo key +(\S+)/.exec(dev.output)?.[1];
  const demo = start("demo");
  expect(await demo.exit, demo.output).toBe(0);
  expect(demo.output).toContain("25 tokens");
  // Its webhook is at http://localhost.
  const shop = start("examples/shop/main.ts", [], { SHOP_PORT: String(await freePort()) });
  expect(await shop.exit, shop.output).toBe(0);

  const summary = '"Whether the Worker runs"';
  const file = join(copy, "src", "api", "service", "health.ts");
  const source = readFileSync(file, "utf8");
  expect((await get("/openapi.json")).body).toContain(summary);
  writeFileSync(file, source.replace(summary, '"Whether the changed Worker runs"'));
  await eventually(async () => expect((await get("/openapi.json")).body).toContain("the changed Worker"));

  // The schedule's run of the start, or of a later minute.
  await eventually(async () => {
    const { status, body } = await get("/ready");
    expect([status, JSON.parse(body)]).toMatchObject([200, { schedule: { state: "running" } }]);
  });
  // A page whose name was made to lead here reads nothing, of the service or of wrangler's tools (DNS rebinding).
  for (const path of ["/api/v1/collection", "/cdn-cgi/explorer/"]) {
    const rebound = await get(path, { host: `evil.example:${environment.PORT}` });
    expect(rebound).toEqual({ status: 421, body: expect.stringContaining("PUBLIC_URL") });
  }
  expect((await get("/cdn-cgi/explorer/")).status).toBe(200);
  if (process.platform === "linux") {
    const addresses = listeningAddresses(dev.child.pid ?? 0);
    expect(addresses).toContain(`127.0.0.1:${environment.INSPECTOR_PORT}`);
    expect(addresses.filter((address) => !address.startsWith("127.0.0.1:"))).toEqual([]);
  }
  const settings = join(copy, ".dev.vars");
  const written = readFileSync(settings, "utf8");
  expect(written).toMatch(/^WALLET_SECRETS='\{"1":"[^"]{44}"\}'$/m);
  expect(statSync(settings).mode & 0o077).toBe(0);
  interrupt(dev);
  expect(await dev.exit, dev.output).toBe(0);
  for (const name of ["PORT", "NEAR_PORT", "INSPECTOR_PORT"]) {
    await expect(fetch(`http://127.0.0.1:${environment[name]}/health`)).rejects.toThrow();
  }

  // With what npm run dev has written, and on its data; then the other way round.
  writeFileSync(settings, `${written}CORS_ORIGINS='https://shop.example'\n`);
  for (const args of [[], ["--dev"]]) {
    const next = start("start", args);
    await said(next, "Ctrl-C ends the service");
    expect(/demo key +(\S+)/.exec(next.output)?.[1]).toBe(key);
    const { body } = await get("/api/v1/collection", { authorization: `Api-Key ${key}` });
    expect(JSON.parse(body)).toHaveLength(2);
    interrupt(next);
    expect(await next.exit, next.output).toBe(0);
  }
  expect(readFileSync(settings, "utf8")).toBe(`${written}CORS_ORIGINS='https://shop.example'\n`);
});

test("npm run dev is reachable from this machine only", async () => {
  const run = start("start", ["--dev"], { HOST: "0.0.0.0" });
  expect(await run.exit).toBe(1);
  expect(run.output).toContain("HOST=0.0.0.0 lets other machines in");
});
