import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { circlesAmong, type Import, importsOf, ROOT, sourceFiles } from "../support/imports.ts";

/** What every room of use cases may import. */
const USE_CASES = [
  "context.ts",
  "resources",
  "domain",
  "env.ts",
  "db",
  "chain",
  "kept-answers.ts",
  "isolate-memory.ts",
  "waiting.ts",
];
const WALLET = ["wallet/client.ts", "wallet/interface.ts"];

/**
 * Which part of src/ may import which; docs/architecture.md explains the order. A name is a folder of src/ or a file
 * directly in it. A longer name is a single file that may be imported although its folder may not.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "index.ts": ["app.ts", "env.ts", "operations", "jobs", "wallet", "webhooks", "rate-limit", "domain"],
  "app.ts": ["api", "pages", "http", "domain", "env.ts"],
  api: [
    "http",
    "resources",
    "health.ts",
    "metrics.ts",
    "overview.ts",
    "recovery",
    "provisioning",
    "operations",
    "collections",
    "drafts",
    "uploads",
    "integrations",
    "events",
    "webhooks",
    "showcase",
    "gateway",
    "context.ts",
    "domain",
    "env.ts",
    "isolate-memory.ts",
    "waiting.ts",
  ],
  pages: ["api", "http", "resources", "overview.ts", "showcase", "context.ts", "domain", "env.ts"],
  http: [
    "context.ts",
    "db",
    "domain",
    "env.ts",
    "storage",
    "isolate-memory.ts",
    "waiting.ts",
    "rate-limit/client.ts",
    "rate-limit/interface.ts",
    "wallet/signing/sealing.ts",
  ],
  "health.ts": ["jobs", ...USE_CASES],
  "metrics.ts": ["health.ts", "jobs", ...WALLET, ...USE_CASES],
  "overview.ts": ["health.ts", "provisioning", "webhooks/client.ts", ...USE_CASES],
  jobs: [
    "archive",
    "operations",
    "showcase",
    "collections",
    "drafts",
    "gateway",
    "storage",
    "ipfs",
    "webhooks/client.ts",
    ...WALLET,
    ...USE_CASES,
  ],
  recovery: ["archive", "operations", "storage", ...WALLET, ...USE_CASES],
  provisioning: ["operations", "integrations", "collections", "webhooks/secrets.ts", ...WALLET, ...USE_CASES],
  operations: [
    "archive",
    "collections",
    "drafts",
    "uploads",
    "storage",
    "integrations/quota.ts",
    "webhooks/client.ts",
    ...WALLET,
    ...USE_CASES,
  ],
  webhooks: ["events", "wallet/signing/sealing.ts", ...USE_CASES],
  showcase: ["collections", "gateway", "storage", "ipfs", ...USE_CASES],
  events: ["archive", "collections", "storage", ...USE_CASES],
  collections: ["uploads", "gateway", "storage", "ipfs", ...USE_CASES],
  drafts: ["uploads", "integrations/quota.ts", "storage", ...USE_CASES],
  uploads: ["integrations/quota.ts", "gateway", "storage", "ipfs", ...USE_CASES],
  integrations: ["archive", ...WALLET, ...USE_CASES],
  archive: ["storage", ...USE_CASES],
  gateway: ["storage", "ipfs", ...USE_CASES],
  resources: ["domain"],
  "context.ts": ["db", "domain", "env.ts"],
  "kept-answers.ts": ["waiting.ts"],
  "isolate-memory.ts": ["domain", "waiting.ts"],
  "waiting.ts": [],
  "rate-limit": ["domain", "env.ts"],
  wallet: ["chain", "storage", "domain", "env.ts", "waiting.ts"],
  chain: ["domain", "env.ts", "waiting.ts"],
  ipfs: ["storage", "domain"],
  storage: ["domain", "env.ts", "waiting.ts"],
  db: ["domain", "env.ts", "waiting.ts"],
  domain: [],
  "env.ts": [],
  "wasm.d.ts": [],
};

/** Folder of src/ that a path belongs to, or the file itself if it is directly in src/. */
const partOf = (path: string): string => path.split("/")[1] ?? "";

function isAllowed({ from, to }: Import): boolean {
  const part = partOf(from);
  if (!to.startsWith("src/")) return false;
  if (partOf(to) === part) return true;
  return (ALLOWED[part] ?? []).some((name) => partOf(to) === name || to === `src/${name}`);
}

const arrow = ({ from, to }: Import) => `${from} → ${to}`;
const inProject = (file: string) => importsOf(file).filter((entry) => !entry.isPackage);

describe("imports go one way", () => {
  const files = sourceFiles("src");

  test("the parser sees every form of import", () => {
    const text = [
      'import { a } from "../domain/a.ts";',
      'import type { B } from "../domain/b.ts";',
      'export * from "./c.ts";',
      'import "./d.ts";',
      'const e = await import("./e.ts");',
      "import {\n  f,\n  type G,\n} from '../f.ts';",
      'import code from "../../contract/wasm/mintage.wasm";',
      '// import { no } from "../no.ts";',
      'import { Hono } from "hono";',
    ].join("\n");
    expect(importsOf("src/api/x.ts", text).map((entry) => entry.to)).toEqual([
      "src/domain/a.ts",
      "src/domain/b.ts",
      "src/api/c.ts",
      "src/api/d.ts",
      "src/f.ts",
      "contract/wasm/mintage.wasm",
      "hono",
      "src/api/e.ts",
    ]);
  });

  test("every part of src/ has its rule", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => ALLOWED[partOf(file)] === undefined)).toEqual([]);
  });

  test("within src/", () => {
    const wrong = files
      .flatMap(inProject)
      .filter((entry) => !entry.to.endsWith(".wasm") && !isAllowed(entry))
      .map(arrow);
    expect(wrong).toEqual([]);
  });

  test.each(["src", "devchain", "client/src", "cli", "testing"])("there is no circle in %s", (folder) => {
    expect(circlesAmong(sourceFiles(folder))).toEqual([]);
  });

  test("each room of the wallet imports only those below it", () => {
    const rooms = ["chain-state", "journal", "lanes", "signing", "observing"];
    const floor = (path: string) => rooms.indexOf(path.split("/")[2] ?? "");
    const wrong = sourceFiles("src/wallet")
      .flatMap(inProject)
      .filter(({ from, to }) => to.startsWith("src/wallet/") && floor(from) >= 0 && floor(to) > floor(from));
    expect(wrong.map(arrow)).toEqual([]);
  });

  test("the domain needs no package that does I/O, and no clock", () => {
    const domain = sourceFiles("src/domain");
    expect(domain.flatMap(inProject).filter((entry) => partOf(entry.to) !== "domain")).toEqual([]);
    const clocks = domain.filter((file) =>
      /\bDate\.now\(|\bnew Date\(\)|\bfetch\(|\bsetTimeout\(/.test(readFileSync(join(ROOT, file), "utf8")),
    );
    expect(clocks).toEqual([]);
  });

  test("src/ and devchain/ meet at JSON-RPC only", () => {
    const wrong = [...files, ...sourceFiles("devchain")]
      .flatMap(inProject)
      .filter(({ from, to }) => from.split("/")[0] !== to.split("/")[0] && !to.endsWith(".wasm"))
      .map(arrow);
    expect(wrong).toEqual([]);
  });

  test("the published client needs nothing of the project, and the terminal nothing of the service", () => {
    const client = sourceFiles("client/src").flatMap(inProject);
    expect(client.filter(({ to }) => !to.startsWith("client/src/")).map(arrow)).toEqual([]);
    const cli = sourceFiles("cli").flatMap(inProject);
    expect(cli.filter(({ to }) => /^(src|devchain)\//.test(to)).map(arrow)).toEqual([]);
  });

  test("bench and test share testing/ and don't import each other", () => {
    const wrong = ["bench", "test", "testing"]
      .flatMap(sourceFiles)
      .flatMap(inProject)
      .filter(({ from, to }) => {
        const forbidden = from.startsWith("test/")
          ? ["bench/"]
          : from.startsWith("bench/")
            ? ["test/"]
            : ["test/", "bench/"];
        return forbidden.some((folder) => to.startsWith(folder));
      })
      .map(arrow);
    expect(wrong).toEqual([]);
  });
});

describe("files stay small", () => {
  const LINES = 300;

  test("no file of src/ has more than 300 lines", () => {
    const long = sourceFiles("src")
      .map((file) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").trimEnd().split("\n").length }))
      .filter(({ lines }) => lines > LINES);
    expect(long).toEqual([]);
  });

  test("the example shop has at most 150 lines", () => {
    const lines = sourceFiles("examples/shop").map(
      (file) => readFileSync(join(ROOT, file), "utf8").trimEnd().split("\n").length,
    );
    expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(150);
  });

  test("no file or folder is named for nothing in particular", () => {
    const vague = ["src", "devchain", "client", "cli", "scripts", "test", "bench", "testing", "tools"]
      .flatMap(sourceFiles)
      .filter((file) => /(^|[/-])(utils?|helpers?|common|managers?|misc)([/.-]|$)/i.test(file));
    expect(vague).toEqual([]);
  });
});
