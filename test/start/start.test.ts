import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { localSecrets, publicKeyOf } from "../../scripts/local-settings.ts";
import { CHROMIUM, visit } from "../support/browser.ts";
import { listeningAddresses } from "../support/listening.ts";
import { endScripts, freePort, interrupt, type Started, said, startScript } from "../support/npm-start.ts";
import { eventually } from "../support/waiting.ts";

let data: string;
let environment: Record<string, string>;
const started: Started[] = [];

/** Runs a script with this file's data. */
function start(target: string, env: Record<string, string> = {}, args: readonly string[] = []): Started {
  const run = startScript(target, { ...environment, ...env }, args);
  started.push(run);
  return run;
}

/** A request with headers that fetch doesn't let one set. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
  posted?: string,
): Promise<{ status?: number; body: string }> {
  const method = posted === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: "127.0.0.1", port: environment.PORT, path, headers, method },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      },
    );
    asking.once("error", reject).end(posted);
  });
}

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "mintage-start-"));
  environment = {
    MINTAGE_DATA: data,
    PORT: String(await freePort()),
    NEAR_PORT: String(await freePort()),
    NEAR_BLOCK_MS: "200",
  };
});

afterEach(() => endScripts(started));

afterAll(() => rmSync(data, { recursive: true, force: true }));

describe("npm start", () => {
  test.runIf(process.platform === "linux")("opens two ports, which only this machine reaches", async () => {
    const run = start("start");
    await said(run, "Ctrl-C ends the service");
    const wanted = [environment.PORT, environment.NEAR_PORT].map((port) => `127.0.0.1:${port}`);
    expect(listeningAddresses(run.child.pid ?? 0)).toEqual(wanted.sort());
    // The schedule is rung without a port.
    await eventually(async () => {
      const ready = await ask("/ready", {});
      expect(ready.status).toBe(200);
      expect(JSON.parse(ready.body)).toMatchObject({ status: "ready", schedule: { state: "running" } });
    });
    interrupt(run);
    expect(await run.exit).toBe(0);
  });

  test.skipIf(CHROMIUM === undefined)(
    "shows the API reference in Chromium, within its policy, and sends a request with a pasted key (needs Chromium)",
    async () => {
      const run = start("start");
      await said(run, "Ctrl-C ends the service");
      const origin = `http://127.0.0.1:${environment.PORT}`;
      const key = /demo key +(\S+)/.exec(run.output)?.[1] ?? "";
      const { result: status, visit: seen } = await visit(`${origin}/docs#tag/who-am-i`, async (page) => {
        await page.locator("::-p-xpath(//button[contains(., 'get /api/v1/me')])").click();
        await page.locator("[role=dialog] input.scalar-password-input").click();
        // As a paste does: what was in the field stays.
        const keyboard = await page.createCDPSession();
        await keyboard.send("Input.insertText", { text: key });
        const answer = page.waitForResponse(`${origin}/api/v1/me`);
        await page.locator("button[data-addressbar-action=send]").click();
        return (await answer).status();
      });
      expect(status).toBe(200);
      expect([...seen.origins]).toEqual([origin]);
      expect(seen.errors).toEqual([]);
      // Scalar looks whether it may compile its validators, and does without.
      expect([...seen.violations]).toEqual(["script-src eval"]);
      interrupt(run);
      expect(await run.exit).toBe(0);
    },
  );

  test("answers as the service only, and warns if other machines can reach it", async () => {
    const run = start("start", { HOST: "0.0.0.0" });
    await said(run, "Warning: HOST=0.0.0.0");
    await said(run, "Ctrl-C ends the service");
    const bucket = "/cdn-cgi/local/r2/public/mintage/blob/0";
    const hooks = [
      "/__scheduled?cron=*+*+*+*+*",
      "/cdn-cgi/handler/scheduled",
      "/cdn-cgi/mf/scheduled",
      "/cdn-cgi/local/scheduled",
      "/cdn-cgi/explorer/",
      "/cdn-cgi/explorer/api/d1/database",
      "/cdn-cgi/local/explorer",
      "/cdn-cgi/local/explorer/api",
      "/cdn-cgi/local/platform-proxy",
      bucket,
    ];
    const headers: Readonly<Record<string, string>>[] = [
      {},
      { host: "localhost" },
      { "mf-route-override": "control" },
      { "mf-original-url": bucket },
    ];
    for (const path of hooks) {
      for (const extra of headers) {
        const { status, body } = await ask(path, extra);
        expect([path, status, JSON.parse(body).code]).toEqual([path, 404, "not_found"]);
      }
    }

    for (const host of ["a b", "evil.example/x", "evil.example:99999", "user@evil.example"]) {
      expect([host, (await ask("/health", { host })).status]).toEqual([host, 400]);
    }

    // A page whose name was made to lead here reads nothing (DNS rebinding).
    const rebound = await ask("/api/v1/collection", { host: `evil.example:${environment.PORT}` });
    expect(rebound).toEqual({ status: 421, body: expect.stringContaining("PUBLIC_URL") });

    // An answer that is there before the body was read reaches its caller.
    for (let nth = 0; nth < 40; nth += 1) {
      const { status, body } = await ask("/api/v1/collection-draft", {}, `{"title":"Herons ${nth}"}`);
      expect([nth, status, body]).toEqual([nth, 401, expect.stringContaining("api_key_missing")]);
    }
    interrupt(run);
    expect(await run.exit).toBe(0);
  });

  test("sends webhooks to this machine also with another network than the embedded one", async () => {
    const platform = localSecrets(mkdtempSync(join(data, "platform-")));
    const nearPort = String(await freePort());
    const account = `shop.testnet:${publicKeyOf(platform.platformPrivateKey)}:${10n ** 30n}`;
    const chain = start("devchain/main.ts", {}, [
      "--port",
      nearPort,
      "--block-ms",
      "200",
      "--account",
      account,
    ]);
    await said(chain, "listening on");
    const receiver = createHttpServer((incoming, answer) => {
      received.push(String(incoming.headers["webhook-id"]));
      incoming.resume().once("end", () => answer.end());
    });
    const received: string[] = [];
    const receiverPort = await freePort();
    receiver.listen(receiverPort, "127.0.0.1");
    const run = start("start", {
      NEAR_NETWORK: "testnet",
      NEAR_RPC_URL: `http://127.0.0.1:${nearPort}`,
      PLATFORM_ACCOUNT_ID: "shop.testnet",
      PLATFORM_PRIVATE_KEY: platform.platformPrivateKey,
      PUBLIC_URL: "https://mint.example.com",
    });
    await said(run, "Ctrl-C ends the service");
    const headers = {
      authorization: `Api-Key ${/demo key +(\S+)/.exec(run.output)?.[1]}`,
      "content-type": "application/json",
    };
    const webhook = JSON.stringify({ url: `http://localhost:${receiverPort}/` });
    const made = await ask("/api/v1/webhook", headers, webhook);
    expect([made.status, made.body]).toEqual([201, expect.stringContaining("webhook_uuid")]);
    const { webhook_uuid: uuid } = JSON.parse(made.body) as { webhook_uuid: string };
    const tested = await ask(`/api/v1/webhook/${uuid}/test`, { authorization: headers.authorization }, "");
    expect([tested.status, JSON.parse(tested.body)]).toEqual([200, expect.objectContaining({ status: 200 })]);
    expect(received).toEqual([expect.any(String)]);
    // By its own name, which a proxy in front may pass on.
    expect((await ask("/health", { host: "mint.example.com" })).status).toBe(200);
    receiver.close();
    interrupt(run);
    expect(await run.exit).toBe(0);
  });

  test.each([
    ["--help", 0, "npm start takes no options, but settings"],
    ["--prot", 2, "Leave out --prot."],
  ])("starts nothing for %s, and lists the settings", async (option, code, said) => {
    const run = start("start", {}, [option]);
    expect(await run.exit).toBe(code);
    expect(run.output).toContain(said);
    expect(run.output).toContain("NEAR_PORT");
  });

  test("reports a port in use or a foreign address, and the setting to choose another", async () => {
    const port = await freePort();
    const blocker = createServer().listen(port, "127.0.0.1");
    const run = start("start", { PORT: String(port) });
    expect(await run.exit).toBe(1);
    expect(run.output).toContain(`Port ${port}, meant for the service, is in use.`);
    expect(run.output).toContain(`PORT=${port + 1} npm start`);
    blocker.close();
    const elsewhere = start("start", { HOST: "192.0.2.1" });
    expect(await elsewhere.exit).toBe(1);
    expect(elsewhere.output).toContain("HOST must be an address of this machine, such as 127.0.0.1");
    expect(existsSync(join(data, "devchain", "start.pid"))).toBe(false);
  });
});
