import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, expect, test } from "vitest";
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

test("the packed client passes publint, installs into an empty strict project, compiles and runs", async () => {
  const client = join(ROOT, "client");
  // As a user packs it: the project's own npm settings, which a script inherits, run no scripts.
  const env = { ...process.env, npm_config_ignore_scripts: "false" };
  execFileSync("npm", ["pack", "--silent", "--pack-destination", project], { cwd: client, env });
  const [archive] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
  const tarball = readFileSync(join(project, archive!));
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
  expect(messages).toEqual([]);
  const listed = execFileSync("tar", ["-tzf", archive!], { cwd: project, encoding: "utf8" })
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
  const installed = join(project, "node_modules/@mintage/client");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", archive!, "--strip-components=1", "-C", installed], { cwd: project });
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(project, "user.ts"), USER);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(SETTINGS));
  run("tsc", "-p", ".");
  expect(run("node", "out/user.js").trim().split("\n")).toEqual([
    "WebhookVerificationError",
    "ConnectionError",
  ]);
}, 120_000);
