import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test } from "vitest";
import { openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { CHROMIUM, visit } from "../support/browser.ts";
import { ROOT } from "../support/imports.ts";

/**
 * What other people's software makes of the service: clients that generators make of the OpenAPI document, the packed client
 * in other runtimes, the type checker's view of its package, the Model Context Protocol's own suite. All is installed into a
 * folder outside the project. Without a network, or without Python, the tests are skipped, and say so; where CI is set they fail.
 */

const RECEIVER = "6f32d9832f4b08752106a782aad702a3210e47906fce4a0cab9df0e1ba62f4ab";

/** The project's own Node. */
const NODE = join(ROOT, "node_modules/.bin/node");

const folder = mkdtempSync(join(tmpdir(), "mintage-generated-"));
let service: BenchService;
let shop: Shop;
let collection: string;

/** Runs a program while the chain of this process goes on. @returns what it printed @throws with all that it said */
const run = async (command: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(command, args, {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  });
  return `${stdout}${stderr}`.trim();
};

/** Whether a program succeeds: something that a machine may lack. */
const has = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, ...args).then(
    () => true,
    () => false,
  );

beforeAll(async () => {
  service = await startService({ entry: "src/index.ts", blockMs: 100, quiet: true });
  shop = await openShop(service);
  const send = async <Body>(path: string, init: RequestInit): Promise<Body> => {
    const headers = { Authorization: `Bearer ${shop.key}`, ...init.headers };
    const answer = await fetch(`${service.url}/api/v1${path}`, { method: "POST", ...init, headers });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Body;
  };
  const draft = await send<{ collection_draft_uuid: string }>("/collection-draft", {
    body: JSON.stringify({ contract_uuid: shop.contractUuid, title: "Herons" }),
    headers: { "Content-Type": "application/json" },
  });
  const form = new FormData();
  form.append("asset_file", new Blob([picture("png", 1)]), "0.png");
  form.append("assets_detail", JSON.stringify([{ asset_filename: "0.png", copies: 10 }]));
  const path = `/collection-draft/${draft.collection_draft_uuid}`;
  await send(`${path}/asset-bulk`, { body: form });
  ({ collection_uuid: collection } = await send<{ collection_uuid: string }>(`${path}/finalize`, {}));
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${service.url}/openapi.json`)).text());
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true });
});

/** Skips a test, except where CI is set, which has npm's registry. */
const lacking = (context: TestContext, what: string): void => {
  if (process.env.CI) throw new Error(what);
  context.skip(what);
};

/** What npm and pip say where no registry is reachable. */
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONN|ENETUNREACH|ETIMEDOUT|NewConnectionError|NameResolutionError|ConnectTimeoutError/;

/** Runs an installation. @returns whether its registry was reachable @throws for another reason */
const installed = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, ...args).then(
    () => true,
    (error: Error) => {
      if (UNREACHABLE.test(error.message)) return false;
      throw error;
    },
  );

/** Installs packages of npm's registry into the folder. */
const installs = (...packages: string[]): Promise<boolean> =>
  installed("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages);

/** Packs the client into the folder as its users get it. @returns the archive's name */
const packClient = async (): Promise<string> => {
  // The project's own npm settings, which a script inherits, run no scripts, so that nothing would be built.
  const env = { ...process.env, npm_config_ignore_scripts: "false" };
  const options = { cwd: join(ROOT, "client"), env };
  await promisify(execFile)("npm", ["pack", "--silent", "--pack-destination", folder], options);
  return readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
};

test("the packed client mints under Node, Deno and Bun, in a Worker and a browser, and its types resolve in each module system", async (context) => {
  const archive = await packClient();
  if (!(await installs(`./${archive}`, "bun@1.4.5", "deno@2.9.6", "@arethetypeswrong/cli@0.18.5")))
    return lacking(context, "no registry");
  // Their own scripts, which the installation leaves out.
  await run(NODE, "node_modules/bun/install.js");
  await run(NODE, "node_modules/deno/install.cjs");
  const program = `
import { MintageClient } from "@mintage/client";

const client = new MintageClient({ baseUrl: ${JSON.stringify(service.url)}, apiKey: ${JSON.stringify(shop.key)} });
const idempotencyKey = "runtimes";
const order = { receiver_addresses: [${JSON.stringify(RECEIVER)}] };
const { tokens } = await client.collections.mint(${JSON.stringify(collection)}, order, { idempotencyKey });
console.log(tokens[0].token_id);
`;
  writeFileSync(join(folder, "runtime.mjs"), program);
  const minted = await run(NODE, "runtime.mjs");
  expect(minted).toMatch(/^\d+:\d+$/);
  expect(await run("node_modules/.bin/bun", "runtime.mjs")).toBe(minted);
  expect(await run("node_modules/.bin/deno", "run", "--allow-net", "--quiet", "runtime.mjs")).toBe(minted);
  const bundle = async (name: string, ...lines: string[]): Promise<string> => {
    writeFileSync(join(folder, name), lines.join("\n"));
    const { outputFiles } = await build({
      ...{ absWorkingDir: folder, entryPoints: [name], bundle: true, format: "esm", write: false },
    });
    return outputFiles[0]!.text;
  };
  const [, ...steps] = program.trim().split("\n");
  const mint = steps.join("\n").replace(/console\.log\((.+)\);/, "return $1;");
  const imported = 'import { MintageClient } from "@mintage/client";';
  const script = await bundle(
    "worker.mjs",
    imported,
    `export default { async fetch() { const id = await (async () => {${mint}})(); return new Response(id); } };`,
  );
  const worker = new Miniflare(
    convertV4MiniflareOptions({ modules: true, script, compatibilityDate: "2026-01-01" }),
  );
  onTestFinished(() => worker.dispose());
  const answer = await worker.dispatchFetch("http://shop.example/");
  expect(await answer.text()).toBe(minted.trim());
  if (!CHROMIUM) return lacking(context, "no Chromium");
  const page = await bundle("page.mjs", imported, `window.minting = (async () => {${mint}})();`);
  await visit(`${service.url}/docs`, async (tab) => {
    await tab.evaluate(page);
    expect(await tab.evaluate("window.minting")).toBe(minted.trim());
  });
  // An ES module can't be required; all else that it checks holds.
  await run(NODE, "node_modules/.bin/attw", archive, "--profile", "esm-only");
});

/** The scenarios of the protocol's suite that need no tool, resource or prompt of its own example server. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

test("the Model Context Protocol's conformance suite finds no fault", async (context) => {
  if (!(await installs("@modelcontextprotocol/conformance@0.1.16"))) return lacking(context, "no registry");
  // The suite sends no key.
  const proxy = createServer((asked, answered) => {
    const headers = { ...asked.headers, authorization: `Bearer ${shop.key}` };
    const sent = request(service.url + asked.url, { method: asked.method, headers }, (answer) => {
      answered.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(answered);
    });
    asked.pipe(sent);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  for (const scenario of SCENARIOS)
    await run(NODE, "node_modules/.bin/conformance", "server", "--url", url, "--scenario", scenario);
});

test("a client that @hey-api/openapi-ts generates mints and lists tokens", async (context) => {
  if (!(await installs("@hey-api/openapi-ts@0.99.0", "typescript@5.9.3")))
    return lacking(context, "no registry");
  await run("node_modules/.bin/openapi-ts", "-i", "openapi.json", "-o", "typescript");
  const program = `
import { client } from "./typescript/client.gen.ts";
import { listTokens, mint } from "./typescript/sdk.gen.ts";

client.setConfig({ baseUrl: ${JSON.stringify(service.url)}, auth: ${JSON.stringify(`Api-Key ${shop.key}`)}, throwOnError: true });
const path = { collection_uuid: ${JSON.stringify(collection)} };
const headers = { "Idempotency-Key": "typescript" };
for (let i = 0; i < 2; i += 1) {
  const { data } = await mint({ path, headers, body: { receiver_addresses: [${JSON.stringify(RECEIVER)}] }, throwOnError: true });
  if (!("tokens" in data)) throw new Error("not final");
  console.log(data.tokens[0]!.token_id, data.tokens[0]!.owner_id);
}
const { data: tokens } = await listTokens({ path, throwOnError: true });
console.log((tokens as unknown[]).length);
`;
  writeFileSync(join(folder, "mint.ts"), program);
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--target",
    "es2022",
  ];
  await run(
    "node_modules/.bin/tsc",
    ...options,
    "--allowImportingTsExtensions",
    "--lib",
    "es2023,dom,dom.iterable",
    "mint.ts",
  );
  const bundle = [`--outfile=mint.js`, "--bundle", "--format=esm", "--platform=node"];
  await run(join(ROOT, "node_modules/.bin/esbuild"), "mint.ts", ...bundle);
  const lines = (await run(NODE, "mint.js")).split("\n");
  const minted = expect.stringMatching(`^\\d+:\\d+ ${RECEIVER}$`);
  expect(lines).toEqual([minted, lines[0], expect.stringMatching(/^[1-9]\d*$/)]);
});

test("a client that openapi-python-client generates mints and lists tokens", async (context) => {
  if (!(await has("python3", "-m", "venv", "venv"))) return lacking(context, "no Python with venv");
  if (!(await installed("venv/bin/pip", "install", "--quiet", "openapi-python-client==0.29.1")))
    return lacking(context, "no registry of Python packages");
  const said = await run(
    "venv/bin/openapi-python-client",
    "generate",
    "--path",
    "openapi.json",
    "--output-path",
    "mintage_client",
    "--meta",
    "none",
  );
  // It leaves out what it can't read, and only says so.
  expect(said).not.toMatch(/unable to (?:parse|process)|unsupported/i);
  const modules = readdirSync(join(folder, "mintage_client/api/nf_ts"));
  expect(modules).toEqual(expect.arrayContaining(["mint.py", "list_tokens.py", "update_nft.py"]));
  const program = `
from uuid import UUID
from mintage_client.client import AuthenticatedClient
from mintage_client.api.nf_ts import list_tokens, mint
from mintage_client.models import MintAnswer, MintInput

client = AuthenticatedClient(base_url=${JSON.stringify(service.url)}, token=${JSON.stringify(shop.key)}, timeout=60)
collection = UUID(${JSON.stringify(collection)})
body = MintInput(receiver_addresses=[${JSON.stringify(RECEIVER)}])
tokens = set()
for _ in range(2):
    answer = mint.sync(collection, client=client, body=body, idempotency_key="python")
    assert isinstance(answer, MintAnswer), answer
    tokens.add((answer.tokens[0].token_id, answer.tokens[0].owner_id))
assert len(tokens) == 1, tokens
print(tokens.pop()[1])
print(any(token.owner_id == ${JSON.stringify(RECEIVER)} for token in list_tokens.sync(collection, client=client)))
`;
  writeFileSync(join(folder, "mint.py"), program);
  expect((await run("venv/bin/python", "mint.py")).split("\n")).toEqual([RECEIVER, "True"]);
});
