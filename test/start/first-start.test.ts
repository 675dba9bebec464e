import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";
import { endScripts, freePort, interrupt, type Started, said, startScript } from "../support/npm-start.ts";

let data: string;
let environment: Record<string, string>;
const started: Started[] = [];

/** Runs a script with this file's data. */
function start(target: string, env: Record<string, string> = {}, args: readonly string[] = []): Started {
  const run = startScript(target, { ...environment, ...env }, args);
  started.push(run);
  return run;
}

/** Whether anything listens on a port. */
async function listens(port: string | undefined): Promise<boolean> {
  try {
    await (await fetch(`http://127.0.0.1:${port}/health`)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** Pastes a line into a shell, as the summary says one can. */
function shell(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-e", "-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.once("exit", (code) => (code === 0 ? resolve(output) : reject(new Error(`${code}: ${output}`))));
  });
}

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "mintage-first-start-"));
  environment = {
    MINTAGE_DATA: data,
    PORT: String(await freePort()),
    NEAR_PORT: String(await freePort()),
    NEAR_BLOCK_MS: "200",
  };
});

afterEach(() => endScripts(started));

afterAll(() => rmSync(data, { recursive: true, force: true }));

test("a first npm start serves, creates a first collection with its three lines, runs the demo, and ends all its processes, and the next ones have its data, even after a kill", async () => {
  const run = start("start");
  await said(run, "Ctrl-C ends the service");
  const lines = run.output.split("\n").filter((line) => /^(ANSWER=\$\()?curl /.test(line));
  expect(lines).toHaveLength(3);
  const pasted = await shell(lines.join("\n"));
  expect(pasted).toContain('"message":"success"');
  expect(pasted).toMatch(/"collection_uuid":"[0-9a-f-]{36}"/);

  const demo = start("demo");
  expect(await demo.exit, demo.output).toBe(0);
  expect(demo.output).toContain("25 tokens, every picture as its hash says");
  const pages = demo.output.match(/http\S+\/[mg]\/paper-shapes-[0-9a-f]{6}/g) ?? [];
  expect(pages).toHaveLength(2);
  expect(demo.output.trimEnd().endsWith(pages[1]!)).toBe(true);
  for (const page of pages) expect(await (await fetch(page)).text()).toContain("Paper Shapes");
  // The development wallet is there by npm start alone.
  expect(await (await fetch(pages[0]!)).text()).toContain("/development-wallet-");

  const shop = start("examples/shop/main.ts", { SHOP_PORT: String(await freePort()) });
  expect(await shop.exit, shop.output).toBe(0);
  expect(shop.output).toMatch(/^order \S+: \S+ is fulfilled \d+:\d+$/m);

  const folder = join(data, "herons");
  cpSync(join(ROOT, "cli", "pictures"), folder, { recursive: true });
  const options = ["--title", "Herons", "--copies", "2", "--finalize", "--json"];
  const upload = start("upload", {}, [folder, ...options]);
  expect(await upload.exit, upload.output).toBe(0);
  const uploaded = JSON.parse(upload.output.trim().split("\n").at(-1) ?? "");
  expect(uploaded).toMatchObject({ assets: 12, already_there: 0, collection_uuid: expect.any(String) });

  const admin = start("admin", {}, ["integrations", "--json"]);
  expect(await admin.exit, admin.output).toBe(0);
  expect(JSON.parse(admin.output)).toEqual([
    expect.objectContaining({ name: "Demo", wallet_state: "ready" }),
  ]);

  expect(statSync(join(data, "devchain", "secrets.json")).mode & 0o077).toBe(0);
  expect(statSync(join(data, "devchain", "worker.env")).mode & 0o077).toBe(0);
  interrupt(run);
  expect(await run.exit, run.output).toBe(0);
  for (const name of ["worker.log", "chain.log"]) {
    const lines = readFileSync(join(data, "devchain", name), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
  }
  expect(await listens(environment.PORT)).toBe(false);
  expect(await listens(environment.NEAR_PORT)).toBe(false);

  const first = start("start");
  await said(first, "Ctrl-C ends the service");
  const key = /demo key +(\S+)/.exec(first.output)?.[1];
  // Without a chance to clean up: the shell's process and the one that started the service.
  const pid = Number(readFileSync(join(data, "devchain", "start.pid"), "utf8"));
  process.kill(pid, "SIGKILL");
  process.kill(first.child.pid ?? 0, "SIGKILL");
  await first.exit;
  while ((await listens(environment.PORT)) || (await listens(environment.NEAR_PORT))) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const second = start("start", { ADMIN_TOKEN: "another-token-of-the-operator-0123456789" });
  await said(second, "Ctrl-C ends the service");
  expect(/demo key +(\S+)/.exec(second.output)?.[1]).toBe(key);
  const response = await fetch(`http://127.0.0.1:${environment.PORT}/api/v1/collection`, {
    headers: { authorization: `Api-Key ${key}` },
  });
  // Those of the three lines, the demo, the shop and the upload.
  expect((await response.json()) as unknown[]).toHaveLength(4);
  // The terminal knows the operator's token of this start.
  const again = start("admin", {}, ["integrations", "--json"]);
  expect(await again.exit, again.output).toBe(0);
  interrupt(second);
  expect(await second.exit).toBe(0);
});
