import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiError, type Me, MintageClient } from "../../client/src/index.ts";
import { scriptedService } from "../../client/test/scripted-service.ts";
import { startCommand } from "../../test/support/killed-command.ts";
import {
  accessProblem,
  adminAccess,
  collectionOf,
  contractOf,
  folderOf,
  inNear,
  keyAccess,
  readJson,
  UsageError,
} from "../command.ts";

let data: string;
const local = {
  baseUrl: "http://localhost:8787",
  apiKey: "mk_live_local",
  contractUuid: "c",
  adminToken: "token",
  rpcUrl: "http://127.0.0.1:3030",
};

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mintage-state-"));
  mkdirSync(join(data, "devchain"));
  writeFileSync(join(data, "devchain", "demo.json"), JSON.stringify(local));
});
afterEach(() => rmSync(data, { recursive: true }));

describe("the service that a command connects to", () => {
  test("is the one that npm start runs, unless another is named with its own key", () => {
    expect(keyAccess({ MINTAGE_DATA: data })).toEqual({
      baseUrl: "http://localhost:8787",
      apiKey: "mk_live_local",
      contractUuid: "c",
    });
    expect(
      keyAccess({ MINTAGE_DATA: data, MINTAGE_URL: "https://mint.example", MINTAGE_API_KEY: "mk_live_b" }),
    ).toEqual({
      baseUrl: "https://mint.example",
      apiKey: "mk_live_b",
      contractUuid: null,
    });
  });

  test("may be named by its address alone if npm start runs it", () => {
    const env = { MINTAGE_DATA: data, MINTAGE_URL: "http://127.0.0.1:8787/" };
    // By one name, so that a launch or an airdrop that began under the other resumes.
    expect(keyAccess(env)).toEqual(keyAccess({ MINTAGE_DATA: data }));
    expect(adminAccess(env)).toMatchObject({ adminToken: "token" });
  });

  test("uses the contract of npm start only with npm start's key", () => {
    const env = { MINTAGE_DATA: data, MINTAGE_API_KEY: "mk_live_other" };
    expect(keyAccess(env)).toMatchObject({ apiKey: "mk_live_other", contractUuid: null });
    expect(keyAccess({ ...env, MINTAGE_CONTRACT: "d" })).toMatchObject({ contractUuid: "d" });
  });

  test.each(["nonsense", "mint.example", "ftp://mint.example"])(
    "is refused if its address is %s",
    (MINTAGE_URL) => {
      const env = { MINTAGE_DATA: data, MINTAGE_URL, MINTAGE_API_KEY: "mk_live_other" };
      expect(() => keyAccess(env)).toThrow(`MINTAGE_URL must be an address`);
    },
  );

  test.each(["https://mint.example", "http://localhost:8788", "http://localhost.example:8787"])(
    "never receives a key of another service: %s",
    (MINTAGE_URL) => {
      expect(() => keyAccess({ MINTAGE_DATA: data, MINTAGE_URL })).toThrow(UsageError);
      expect(() => adminAccess({ MINTAGE_DATA: data, MINTAGE_URL })).toThrow("MINTAGE_ADMIN_TOKEN");
    },
  );
});

test("arguments that name no collection or no folder are reported", () => {
  expect(collectionOf("0198D3C1-6f3e-7c55-9d2b-3a1f0e6b7c11")).toBe("0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11");
  expect(() => collectionOf("herons")).toThrow("<collection>: give a uuid");
  expect(folderOf(data)).toBe(data);
  expect(() => folderOf(join(data, "none"))).toThrow(`There is no folder ${join(data, "none")}.`);
  expect(() => folderOf(join(data, "devchain", "demo.json"))).toThrow("is a file: give a folder.");
});

test("a file that isn't JSON is reported by its name, without its content", () => {
  const file = join(data, "x.json");
  writeFileSync(file, "ed25519:secret");
  expect(() => readJson(file)).toThrow(new UsageError(`${file} is not JSON.`));
});

test("the contract is the named one, or the key's only one; otherwise the key's contracts are listed", () => {
  const contract = (contract_uuid: string, account_id: string) => ({ contract_uuid, account_id });
  const me = (...contracts: ReturnType<typeof contract>[]) => ({ contracts }) as unknown as Me;
  const [a, b] = [contract("u", "u.near"), contract("v", "v.near")];
  expect([contractOf(me(a), null, "--contract"), contractOf(me(a, b), "v", "--contract")]).toEqual([a, b]);
  expect(() => contractOf(me(a, b), null, "--contract")).toThrow(
    "Name the contract: --contract, or MINTAGE_CONTRACT. The key's contracts are:\n  u  u.near\n  v  v.near",
  );
  expect(() => contractOf(me(), "w", "--contract")).toThrow("no contract w. Correct it: --contract, or MINT");
});

test("--help exits with 0, a wrong option with 2, and a file that can't be written with 1", async () => {
  const help = await startCommand("claim.ts", ["--help"], {}).ended;
  expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("npm run claim") });
  const option = await startCommand("launch.ts", [data, "--foo"], {}).ended;
  expect(option).toMatchObject({ code: 2, stderr: "Unknown option '--foo'. --help lists the options.\n" });
  // What the command writes has a longer name than a file system takes.
  const long = join(data, `${"x".repeat(245)}.sql`);
  writeFileSync(long, "");
  const unwritten = await startCommand("restore.ts", [long], {}).ended;
  expect(unwritten).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENAMETOOLONG: [^\n]+\.\n$/) });
});

test("amounts in the service's refusals are converted to NEAR and rounded up", () => {
  expect(inNear("Send at least 1500000000000000000000001 yoctoNEAR to w.near, the wallet that pays.")).toBe(
    "Send at least 1.5001 NEAR to w.near, the wallet that pays.",
  );
});

describe("a service that refuses access", () => {
  test("no request is sent if a variable is missing or isn't an API key", () => {
    const none = { MINTAGE_DATA: join(data, "none") };
    const env = { ...none, MINTAGE_URL: "https://mint.example" };
    expect(() => keyAccess(env)).toThrow(
      "Set MINTAGE_API_KEY. MINTAGE_URL is the address of a service other than",
    );
    expect(() => keyAccess(none)).toThrow("Set MINTAGE_URL and MINTAGE_API_KEY. Or run npm start");
    expect(() => keyAccess({ ...env, MINTAGE_API_KEY: "mk_live_a\n" })).toThrow("MINTAGE_API_KEY has spaces");
    expect(() => keyAccess({ MINTAGE_DATA: data, MINTAGE_NETWORK: "testnet" })).toThrow(
      'no data of MINTAGE_NETWORK "testnet"',
    );
  });

  test.each([
    ["a page", 200, "Set MINTAGE_URL"],
    ["nothing there", 404, "Set MINTAGE_URL"],
    ["a fault of its proxy", 502, null],
  ])("leads to advice about the address, unless a proxy fails: %s", async (_, status, advice) => {
    await using service = await scriptedService(() => ({ status }));
    const client = new MintageClient({ baseUrl: service.url, apiKey: "mk_live_a", retry: { retries: 0 } });
    const error = await client.me().catch((caught: unknown) => caught);
    if (!(error instanceof ApiError)) throw error;
    const problem = accessProblem(error, { MINTAGE_DATA: data, MINTAGE_URL: service.url });
    if (advice === null) expect(problem).toBeNull();
    else expect(problem).toContain(advice);
  });
});
