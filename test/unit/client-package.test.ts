import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/** The client as its users install it: packed, into an empty project with the compiler's strictest settings. */

const project = mkdtempSync(join(tmpdir(), "mintage-client-user-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const run = (command: string, ...args: string[]): string =>
  execFileSync(join(ROOT, "node_modules/.bin", command), args, { cwd: project, encoding: "utf8" });

const USER = `
import { MintageClient, verifyWebhook, type Event } from "@mintage/client";

const client = new MintageClient({ baseUrl: "http://127.0.0.1:1", apiKey: "mk_live_x", retry: { retries: 0 } });
const handle = async (event: Event): Promise<number> => event.seq;
export const follow = async (): Promise<void> => {
  for await (const event of client.events.stream({ after: 0 })) await handle(event);
};
await verifyWebhook({}, "", "whsec_AAAA").catch((error: Error) => console.log(error.name));
await client.me().catch((error: Error) => console.log(error.name));
`;

const SETTINGS = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    outDir: "out",
  },
  files: ["user.ts"],
};

const client = join(ROOT, "client");
const archive = `mintage-client-${JSON.parse(readFileSync(join(client, "package.json"), "utf8")).version}.tgz`;

beforeAll(() => {
  // As a user packs it: the project's own npm settings, which a script inherits, run no scripts.
  const env = { ...process.env, npm_config_ignore_scripts: "false" };
  execFileSync("npm", ["pack", "--silent", "--pack-destination", project], { cwd: client, env });
  const installed = join(project, "node_modules/@mintage/client");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "--strip-components=1", "-C", installed], { cwd: project });
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
}, 120_000);

test("the packed client passes publint, installs into an empty strict project, compiles and runs", async () => {
  const tarball = readFileSync(join(project, archive));
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
  expect(messages).toEqual([]);
  const listed = execFileSync("tar", ["-tzf", archive], { cwd: project, encoding: "utf8" })
    .trim()
    .split("\n");
  const beside = listed.filter((path) => !path.startsWith("package/dist/")).sort();
  expect(beside).toEqual(
    ["CHANGELOG.md", "LICENSE", "README.md", "package.json"].map((name) => `package/${name}`),
  );
  expect(readFileSync(join(client, "LICENSE"), "utf8")).toBe(readFileSync(join(ROOT, "LICENSE"), "utf8"));
  // Its links lead to files that a user has, or to an address.
  const links = [...readFileSync(join(client, "README.md"), "utf8").matchAll(/\]\(([^)]+)\)/g)];
  const packed = new Set(listed.map((path) => path.replace("package/", "")));
  expect(links.map(([, to]) => to).filter((to) => !packed.has(to!) && !to!.startsWith("https:"))).toEqual([]);
  writeFileSync(join(project, "user.ts"), USER);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(SETTINGS));
  run("tsc", "-p", ".");
  expect(run("node", "out/user.js").trim().split("\n")).toEqual([
    "WebhookVerificationError",
    "ConnectionError",
  ]);
}, 120_000);

/** The oldest Node that the package names, if the machine has one. */
const oldNode = (process.env.PATH ?? "")
  .split(delimiter)
  .map((path) => join(path, "node"))
  .filter((path) => existsSync(path))
  .find((path) => spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.startsWith("v20."));

const OLD_USER = `
import { createServer } from "node:http";
import { MintageClient } from "@mintage/client";
import { AdminClient } from "@mintage/client/admin";
import { uploadFolder } from "@mintage/client/folder";

const served = createServer((_request, answer) => answer.setHeader("Content-Type", "application/json").end('{"name":"Shop"}'));
await new Promise((listening) => served.listen(0, "127.0.0.1", listening));
const baseUrl = "http://127.0.0.1:" + served.address().port;
const { name } = await new MintageClient({ baseUrl, apiKey: "mk_live_x" }).me();
served.close();
console.log(process.version.slice(0, 4), name, typeof AdminClient, typeof uploadFolder);
`;

test.skipIf(oldNode === undefined)("the packed client works under Node 20", () => {
  writeFileSync(join(project, "old-user.mjs"), OLD_USER);
  const printed = execFileSync(oldNode!, ["old-user.mjs"], { cwd: project, encoding: "utf8" });
  expect(printed.trim()).toBe("v20. Shop function function");
});

test("npm would publish the packed client as it is, without a warning", () => {
  const { stdout, stderr, status } = spawnSync("npm", ["publish", "--dry-run", "--offline", archive], {
    ...{ cwd: project, encoding: "utf8" },
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.trim()).toMatch(/^\+ @mintage\/client@\d+\.\d+\.\d+$/);
  const warnings = stderr.split("\n").filter((line) => /^npm (?:warn|error)/i.test(line));
  // Whoever tests it needs no account.
  expect(warnings.filter((line) => !line.includes("requires you to be logged in"))).toEqual([]);
}, 60_000);
