import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checksOf, type Findings, missing } from "../../scripts/deployment.ts";
import { planStart, SetupError, WORKER_SETTINGS, workerEnvFile } from "../../scripts/local-settings.ts";
import { ROOT } from "../support/imports.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const complete: Findings = {
  vars: {
    NEAR_NETWORK: "testnet",
    NEAR_RPC_URL: "https://rpc.testnet.near.org",
    PLATFORM_ACCOUNT_ID: "shop.testnet",
  },
  databaseId: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11",
  bucketExists: true,
  bucketName: "mintage",
  secrets: ["PLATFORM_PRIVATE_KEY", "WALLET_SECRETS"],
  loggedIn: true,
  wasmDigestMatches: true,
  bundle: { gzip: 400_000 },
};
const lacking = (change: Partial<Findings>) =>
  missing(checksOf({ ...complete, ...change })).map(({ what }) => what);

describe("what a deployment needs", () => {
  test("nothing is missing from a complete one, and what is optional says so", () => {
    expect(lacking({})).toEqual([]);
    const optional = checksOf(complete).filter(({ state }) => state === "optional");
    expect(optional.map(({ what }) => what)).toEqual(["ADMIN_TOKEN", "PUBLIC_URL"]);
  });

  test.each([
    [{ databaseId: "00000000-0000-0000-0000-000000000000" }, ["D1 database"]],
    [{ bucketExists: false }, ["R2 bucket"]],
    [{ secrets: [] }, ["PLATFORM_PRIVATE_KEY", "WALLET_SECRETS"]],
    [{ vars: { NEAR_RPC_URL: "https://x.example" } }, ["NEAR_NETWORK", "PLATFORM_ACCOUNT_ID"]],
    [{ loggedIn: false }, ["Cloudflare account"]],
    [{ wasmDigestMatches: false }, ["contract/wasm/mintage.wasm"]],
    [{ bundle: { gzip: 11 * 1024 * 1024 } }, ["bundle"]],
    [{ bundle: { problem: "a syntax error" } }, ["bundle"]],
  ] satisfies [Partial<Findings>, string[]][])("%j lacks %j", (change, names) => {
    expect(lacking(change)).toEqual(names);
  });

  test("what can't be asked is unknown, not missing", () => {
    expect(lacking({ secrets: null, loggedIn: null })).toEqual([]);
  });
});

describe("every setting", () => {
  const inEnv = Array.from(read("src/env.ts").matchAll(/^ {2}([A-Z][A-Z_]+):/gm), (match) => match[1]);

  test("of the Worker can be given to npm start", () => {
    expect(inEnv.length).toBeGreaterThan(10);
    expect([...WORKER_SETTINGS].toSorted()).toEqual(inEnv.toSorted());
  });

  test("is in the table of docs/deploying.md", () => {
    const table = read("docs/deploying.md");
    expect(inEnv.filter((name) => !table.includes(`| \`${name}\``))).toEqual([]);
  });
});

describe("where npm start runs", () => {
  test("a node without the platform's account is refused by name", () => {
    const given = { NEAR_RPC_URL: "https://rpc.testnet.near.org", PLATFORM_ACCOUNT_ID: "shop.testnet" };
    expect(() => planStart(given, {})).toThrow("PLATFORM_PRIVATE_KEY must be too");
    expect(() => planStart({ PLATFORM_ACCOUNT_ID: "shop.testnet" }, {})).toThrow("without NEAR_RPC_URL");
  });

  test.each(["0", "65536", "http", "80.5"])("PORT=%s is refused", (PORT) => {
    expect(() => planStart({}, { PORT })).toThrow(SetupError);
  });

  test("settings reach wrangler as they are, JSON included", () => {
    expect(workerEnvFile({ WALLET_SECRETS: '{"1":"a=="}' })).toBe(`WALLET_SECRETS='{"1":"a=="}'\n`);
    expect(() => workerEnvFile({ ADMIN_TOKEN: "it's" })).toThrow("ADMIN_TOKEN");
  });
});

test("links between documents lead somewhere", () => {
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    "client/README.md",
    ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`),
  ];
  const broken = documents
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) =>
      Array.from(read(name).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g), (match) => ({
        name,
        link: match[1] ?? "",
      })),
    )
    .filter(({ name, link }) => !existsSync(join(ROOT, name, "..", link)));
  expect(broken).toEqual([]);
});
