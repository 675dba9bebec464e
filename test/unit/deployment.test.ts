import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyPair } from "near-api-js";
import { describe, expect, test } from "vitest";
import { checksOf, type Findings, missing } from "../../scripts/deployment.ts";
import {
  givenSettings,
  planStart,
  SetupError,
  WORKER_SETTINGS,
  workerEnvFile,
  writePrivately,
} from "../../scripts/local-settings.ts";
import { PUBLIC_RPC_URLS, settingsOf } from "../../src/env.ts";
import { ADDRESS_PERIOD_S } from "../../src/http/address-limit.ts";
import { ROOT } from "../support/imports.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const SECRETS = ["PLATFORM_PRIVATE_KEY", "WALLET_SECRETS"];

const complete: Findings = {
  vars: {
    NEAR_NETWORK: "testnet",
    PLATFORM_ACCOUNT_ID: "shop.testnet",
    PUBLIC_URL: "https://mint.example.com",
  },
  routes: 1,
  unbound: [],
  databaseId: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11",
  bucketExists: true,
  bucketName: "mintage",
  secrets: SECRETS,
  loggedIn: true,
  wasmDigestMatches: true,
  bundle: { gzip: 400_000 },
};
const lacking = (change: Partial<Findings>) =>
  missing(checksOf({ ...complete, ...change })).map(({ what }) => what);

describe("the template for Cloudflare's Deploy button", () => {
  // https://developers.cloudflare.com/workers/platform/deploy-buttons/
  const secrets = [...read(".dev.vars.example").matchAll(/^(\w+)=(.*)$/gm)];

  test("has an example file with the names of all secrets, without values", () => {
    expect(secrets.map(([, name]) => name)).toEqual([...SECRETS, "ADMIN_TOKEN"]);
    expect(secrets.map(([, , value]) => value)).toEqual(["", "", ""]);
  });

  test("has a name or an id for each resource, so that the button can put its own there", () => {
    const settings = read("wrangler.toml");
    for (const field of ["database_name", "database_id", "bucket_name", "class_name"])
      expect(settings).toMatch(new RegExp(`^${field} = ".+"$`, "m"));
  });

  test("deploys by a script of package.json, which migrates the database by the name of its binding", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: { deploy: string } };
    expect(scripts.deploy).toBe("node scripts/run.mjs deploy");
    const binding = /\[\[d1_databases\]\]\nbinding = "(\w+)"/.exec(read("wrangler.toml"))![1]!;
    expect(read("scripts/deploy.ts")).toContain(`"migrations", "apply", "${binding}", "--remote"`);
  });

  test("describes each value that the button asks for, and no other", () => {
    const { cloudflare } = JSON.parse(read("package.json")) as { cloudflare: { bindings: object } };
    const vars = /\[vars\]\n((?:\w+ = .*\n)+)/.exec(read("wrangler.toml"))![1]!;
    const asked = [...vars.matchAll(/^(\w+) =/gm), ...secrets].map(([, name]) => name);
    expect(Object.keys(cloudflare.bindings)).toEqual(asked);
  });
});

describe("the check before a deployment", () => {
  test("finds nothing missing in a complete deployment, and marks optional settings", () => {
    expect(lacking({})).toEqual([]);
    const optional = checksOf(complete).filter(({ state }) => state === "optional");
    expect(optional.map(({ what }) => what)).toEqual(["ADMIN_TOKEN"]);
  });

  test.each([
    [{ databaseId: "00000000-0000-0000-0000-000000000000" }, ["D1 database"]],
    [{ bucketExists: false }, ["R2 bucket"]],
    [{ secrets: [] }, ["PLATFORM_PRIVATE_KEY", "WALLET_SECRETS"]],
    [{ vars: { NEAR_RPC_URL: "https://x.example" } }, ["NEAR_NETWORK", "PLATFORM_ACCOUNT_ID", "PUBLIC_URL"]],
    [{ vars: { ...complete.vars, NEAR_NETWORK: "localnet" } }, ["NEAR_RPC_URL"]],
    [{ vars: { ...complete.vars, PUBLIC_URL: "" } }, ["PUBLIC_URL"]],
    [{ routes: 0 }, ["route"]],
    [{ loggedIn: false }, ["Cloudflare account"]],
    [{ wasmDigestMatches: false }, ["contract/wasm/mintage.wasm"]],
    [{ bundle: { gzip: 11 * 1024 * 1024 } }, ["bundle"]],
    [{ bundle: { problem: "a syntax error" } }, ["bundle"]],
  ] satisfies [Partial<Findings>, string[]][])("of %j reports %j as missing", (change, names) => {
    expect(lacking(change)).toEqual(names);
  });

  test("shows a setting that can't be checked as unknown, not as missing", () => {
    expect(lacking({ secrets: null, loggedIn: null })).toEqual([]);
  });
});

describe("every setting of the Worker", () => {
  const inEnv = Array.from(read("src/env.ts").matchAll(/^ {2}([A-Z][A-Z_]+):/gm), (match) => match[1]);

  test("can be given to npm start", () => {
    expect(inEnv.length).toBeGreaterThan(10);
    expect([...WORKER_SETTINGS].toSorted()).toEqual(inEnv.toSorted());
  });

  test("is in the table of docs/deploying.md", () => {
    const table = read("docs/deploying.md");
    expect(inEnv.filter((name) => !table.includes(`| \`${name}\``))).toEqual([]);
  });
});

describe("the settings of npm start", () => {
  test("for a node without the platform's account are refused, naming what is missing", () => {
    const given = { NEAR_RPC_URL: "https://node.example", PLATFORM_ACCOUNT_ID: "shop.testnet" };
    expect(() => planStart(given, {})).toThrow("NEAR_RPC_URL is set, so PLATFORM_PRIVATE_KEY must be too");
    expect(() => planStart({ NEAR_NETWORK: "testnet" }, {})).toThrow(
      "NEAR_NETWORK is set, so PLATFORM_ACCOUNT_ID",
    );
    for (const NEAR_NETWORK of ["Testnet", "tesnet"]) {
      for (const others of [{}, { PLATFORM_ACCOUNT_ID: "shop.testnet" }]) {
        expect(() => planStart({ NEAR_NETWORK, ...others }, {})).toThrow(`NEAR_NETWORK is ${NEAR_NETWORK}, `);
      }
    }
    expect(() => planStart({ PLATFORM_ACCOUNT_ID: "shop.testnet" }, {})).toThrow(
      "Set NEAR_NETWORK to mainnet or testnet",
    );
  });

  test("for a network of others without a public address are refused", () => {
    const given = { NEAR_NETWORK: "testnet", PLATFORM_ACCOUNT_ID: "shop.testnet", PLATFORM_PRIVATE_KEY: "x" };
    expect(() => planStart(given, {})).toThrow(/^PUBLIC_URL is missing: .*base_uri permanently/);
  });

  test("that the Worker would refuse are refused before anything is started", () => {
    expect(() => planStart({ WALLET_SECRETS: '{"1":"c2hvcnQ="}' }, data())).toThrow(SetupError);
    expect(() => planStart({ MAX_LANES: "65" }, data())).toThrow("MAX_LANES");
  });

  const account = {
    PLATFORM_ACCOUNT_ID: "shop.testnet",
    PLATFORM_PRIVATE_KEY: KeyPair.fromRandom("ed25519").toString(),
    PUBLIC_URL: "https://mint.example.com",
  };
  const data = () => ({ MINTAGE_DATA: mkdtempSync(join(tmpdir(), "mintage-plan-")) });

  test("that npm run dev writes mean the embedded chain, whatever its port is", () => {
    const directory = data();
    const written = planStart({}, directory).worker;
    const { embedded, worker } = planStart(written, { ...directory, NEAR_PORT: "3131" });
    expect(embedded).toEqual({ port: 3131, blockMs: 600 });
    expect(worker).toEqual({ ...written, NEAR_RPC_URL: "http://127.0.0.1:3131" });
    expect(planStart({ ...written, PLATFORM_ACCOUNT_ID: "other.near" }, directory).embedded).toBeNull();
    // Data that was made with them is read without them.
    const fresh = data();
    planStart(written, fresh);
    expect(planStart({}, fresh).worker).toEqual(written);
    // Other data keep the secrets that they were made with.
    const other = data();
    const { WALLET_SECRETS, PLATFORM_PRIVATE_KEY } = planStart({}, other).worker;
    const mixed = planStart(written, other).worker;
    expect(mixed).toEqual({ ...written, WALLET_SECRETS, PLATFORM_PRIVATE_KEY });
    expect(mixed).not.toEqual(written);
    expect(
      planStart(written, { ...other, WALLET_SECRETS: written.WALLET_SECRETS }).worker.WALLET_SECRETS,
    ).toBe(written.WALLET_SECRETS);
  });

  test("of the embedded chain are not used with another network", () => {
    const { worker, stateDir } = planStart({}, data());
    const file = join(stateDir, ".dev.vars");
    writePrivately(file, workerEnvFile(worker));
    expect(givenSettings({}, file)).toEqual(worker);
    expect(givenSettings({ MAX_LANES: "3" }, file)).toEqual({ ...worker, MAX_LANES: "3" });
    const given = { NEAR_NETWORK: "testnet", ...account };
    expect(givenSettings(given, file)).toEqual(given);
    expect(givenSettings({ NEAR_RPC_URL: "http://127.0.0.1:9" }, file)).toEqual({
      NEAR_RPC_URL: "http://127.0.0.1:9",
    });
    writePrivately(file, workerEnvFile({ ...given, WALLET_FUNDING: "7" }));
    expect(givenSettings({ NEAR_RPC_URL: "https://a.example" }, file)).toEqual({
      ...given,
      WALLET_FUNDING: "7",
      NEAR_RPC_URL: "https://a.example",
    });
  });

  test.each(["mainnet", "testnet"])("with only the network %s use two providers", (network) => {
    const { embedded, worker } = planStart({ NEAR_NETWORK: network, ...account }, data());
    expect(embedded).toBeNull();
    const addresses = (worker.NEAR_RPC_URL ?? "").split(",").map((text) => new URL(text));
    expect(new Set(addresses.map(({ hostname }) => hostname.split(".").slice(-2).join("."))).size).toBe(2);
    expect(addresses.every(({ protocol }) => protocol === "https:")).toBe(true);
    expect(planStart({ NEAR_RPC_URL: worker.NEAR_RPC_URL!, ...account }, data()).network).toBe(network);
  });

  test("use the same endpoints as the Worker, and none of another network", () => {
    const env = {
      NEAR_NETWORK: "mainnet",
      ...account,
      WALLET_SECRETS: JSON.stringify({ 1: Buffer.alloc(32).toString("base64") }),
    };
    expect(settingsOf(env).NEAR_RPC_URL).toEqual(PUBLIC_RPC_URLS.get("mainnet"));
    expect(settingsOf({ ...env, NEAR_RPC_URL: "https://a.example, https://b.example" }).NEAR_RPC_URL).toEqual(
      ["https://a.example", "https://b.example"],
    );
    expect(() => settingsOf({ ...env, NEAR_NETWORK: "localnet" })).toThrow("NEAR_RPC_URL: must be set");
  });

  describe("the Worker's settings", () => {
    const secret = Buffer.alloc(32, 1).toString("base64");
    const settings = { NEAR_NETWORK: "mainnet", ...account, WALLET_SECRETS: JSON.stringify({ 1: secret }) };

    test.each([
      ["{}", "has to have a version"],
      ['{"1":""}', "1: has to be 32 bytes"],
      [`{"1":"${Buffer.alloc(31, 1).toString("base64")}"}`, "1: has to be 32 bytes"],
      [`{"1":"${secret}","2":"${Buffer.alloc(64, 1).toString("base64")}"}`, "2: has to be 32 bytes"],
      ['{"1":"no base64!"}', "1: has to be 32 bytes as base64"],
      [`{"0":"${secret}"}`, "whole number from 1 to"],
      [secret, "WALLET_SECRETS: must be a JSON object, such as {"],
    ])("with WALLET_SECRETS=%s are refused, without repeating the value", (WALLET_SECRETS, message) => {
      const read = () => settingsOf({ ...settings, WALLET_SECRETS });
      expect(read).toThrow(message);
      expect(read).toThrow(/^settings are missing or wrong: WALLET_SECRETS/);
      expect(read).not.toThrow(new RegExp(secret.slice(0, 12)));
    });

    const FREE = ["KUBO_RPC_AUTHORIZATION", "CORS_ORIGINS", "NEAR_NETWORK"];
    const FLAGS = ["DEVELOPMENT_WALLET", "LOCAL_WEBHOOKS"];
    test.each(WORKER_SETTINGS.filter((name) => !FREE.includes(name)))(
      "with a wrong %s are refused with an example, without repeating the value",
      (name) => {
        const wrong = "§";
        const read = () => settingsOf({ ...settings, [name]: wrong });
        const give = FLAGS.includes(name) ? "`on`" : "[^;]+ such as [^ ]+";
        expect(read).toThrow(new RegExp(`^settings are missing or wrong: ${name}[.\\d]*: must be ${give}`));
        expect(read).not.toThrow(wrong);
      },
    );

    test.each([
      ["PLATFORM_PRIVATE_KEY", "ed25519:abc"],
      ["PLATFORM_ACCOUNT_ID", "Bad"],
      ["PLATFORM_ACCOUNT_ID", "shop..testnet"],
    ])("with %s=%s, which no chain has, are refused with an example", (name, wrong) => {
      const read = () => settingsOf({ ...settings, [name]: wrong });
      expect(read).toThrow(
        new RegExp(`^settings are missing or wrong: ${name}: must be [^;]+ such as [^;]+$`),
      );
      expect(read).not.toThrow(wrong);
    });

    test("require PUBLIC_URL on every network but the embedded one, and remove slashes at its end", () => {
      const { PUBLIC_URL, ...without } = settings;
      expect(settingsOf({ ...without, PUBLIC_URL: `${PUBLIC_URL}//` }).PUBLIC_URL).toBe(PUBLIC_URL);
      expect(() => settingsOf({ ...without, PUBLIC_URL: "" })).toThrow("PUBLIC_URL: must be this service");
      expect(() => settingsOf({ ...without, PUBLIC_URL: "ftp://x" })).toThrow("PUBLIC_URL");
      const embedded = { ...without, NEAR_NETWORK: "devchain", NEAR_RPC_URL: "http://127.0.0.1:3030" };
      expect(settingsOf(embedded).PUBLIC_URL).toBeUndefined();
    });

    test("require that operations are kept as long as their idempotency keys", () => {
      const kept = (OPERATIONS_KEPT_DAYS: string, KEYS_KEPT_HOURS: string) => () =>
        settingsOf({ ...settings, OPERATIONS_KEPT_DAYS, KEYS_KEPT_HOURS });
      expect(kept("1", "25")).toThrow(
        "OPERATIONS_KEPT_DAYS: has to be as long as KEYS_KEPT_HOURS, which is 25 hours",
      );
      expect(kept("1", "24")).not.toThrow();
    });

    test("are refused with all mistakes together", () => {
      const wrong = () => settingsOf({ NEAR_NETWORK: "mainnet" });
      for (const name of ["PLATFORM_ACCOUNT_ID", "PLATFORM_PRIVATE_KEY", "WALLET_SECRETS", "PUBLIC_URL"]) {
        expect(wrong).toThrow(`${name}: `);
      }
    });
  });

  test("a deployment is reachable at its routes only", () => {
    const toml = read("wrangler.toml");
    expect(toml).toMatch(/^workers_dev = false$/m);
    expect(toml).toMatch(/^preview_urls = false$/m);
  });

  test.each(["0", "65536", "http", "80.5"])(
    "a PORT or NEAR_BLOCK_MS of %s is refused with an example",
    (wrong) => {
      expect(() => planStart({}, { PORT: wrong })).toThrow(
        "PORT must be a port from 1 to 65535, such as 8787",
      );
      expect(() => planStart({}, { NEAR_BLOCK_MS: `-${wrong}` })).toThrow(
        "NEAR_BLOCK_MS must be milliseconds from 1 to 60000, such as 600",
      );
    },
  );

  test("settings reach wrangler unchanged, JSON included", () => {
    expect(workerEnvFile({ WALLET_SECRETS: '{"1":"a=="}' })).toBe(`WALLET_SECRETS='{"1":"a=="}'\n`);
    expect(() => workerEnvFile({ ADMIN_TOKEN: "it's" })).toThrow("ADMIN_TOKEN");
  });
});

test("links between documents have a target", () => {
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

test("the limits of addresses use the period that refusals name", () => {
  const limits = [
    ...read("wrangler.toml").matchAll(
      /^name = "(\w+_LIMIT)"\nnamespace_id = "(\d+)"\nsimple = \{ limit = (\d+), period = (\d+) \}/gm,
    ),
  ];
  expect(limits.map(([, name]) => name)).toEqual(["ADDRESS_LIMIT", "PAGE_LIMIT", "WALK_LIMIT"]);
  expect(new Set(limits.map(([, , id]) => id)).size).toBe(limits.length);
  expect(limits.map(([, , , , period]) => Number(period))).toEqual(limits.map(() => ADDRESS_PERIOD_S));
});
