import { describe, expect, test, vi } from "vitest";
import { AdminClient } from "../../client/src/admin.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import type { CommandOptions } from "../admin/command.ts";
import { COMMANDS } from "../admin/commands.ts";
import { UsageError } from "../command.ts";

const INTEGRATION = {
  integration_uuid: "i",
  name: "A shop",
  state: "active",
  wallet_account_id: "w.mintage.near",
  wallet_public_key: "ed25519:x",
  wallet_state: "ready",
  created_at: "2026-11-21T12:00:00.000Z",
};

/** Runs a command against a service that answers as told; what it asked is in `seen`. */
async function command(
  name: string,
  words: readonly string[],
  options: CommandOptions,
  reply: (request: Seen, count: number) => Reply,
) {
  await using service = await scriptedService(reply);
  const admin = new AdminClient({ baseUrl: service.url, adminToken: "t".repeat(32), retry: { retries: 0 } });
  const result = await COMMANDS[name]?.run(admin, words, options);
  return { ...result, data: result?.data, text: result?.text ?? "", seen: [...service.seen] };
}

const NO_WEBHOOKS = { resealed: 0, failed: [], remaining: 0 };

describe("npm run admin", () => {
  test("shows lists as a table, and prints the exact data with --json", async () => {
    const { data, text, seen } = await command("integrations", [], {}, () => ({
      status: 200,
      body: [INTEGRATION],
    }));
    expect(data).toEqual([INTEGRATION]);
    expect(text.split("\n")[0]).toMatch(/^integration +name +state +wallet +wallet is +created$/);
    expect(text).toContain("w.mintage.near");
    expect(seen[0]).toMatchObject({ method: "GET", path: "/admin/v1/integration" });
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${"t".repeat(32)}`);
  });

  test("shows amounts in NEAR, also those of nested fields", async () => {
    const lane = { public_key: "ed25519:lane", kind: "function_call", open: 2 };
    const wallet = {
      account_id: "w",
      public_key: "k",
      balance: "4800000000000000000000000",
      lanes: [lane],
      stuck: [],
    };
    const { text } = await command("wallet", ["i"], {}, () => ({ status: 200, body: wallet }));
    expect(text).toMatch(/^balance +4\.8000 NEAR$/m);
    expect(text).toMatch(/^lanes +1$/m);
    expect(text).toMatch(/^ed25519:lane +function_call +2$/m);
  });

  test("shortens transactions in tables, and prints all their fields with --json", async () => {
    const transaction = {
      transaction_hash: "5kq",
      signer_id: "w.near",
      receiver_id: "c.near",
      status: "success",
      tokens_burnt: "324108731543200000000",
      failure_message: null,
      block_hash: "4xQ",
    };
    const operation = { operation_uuid: "o", state: "succeeded", transactions: [transaction] };
    const { data, text, seen } = await command("operation", ["o"], {}, () => ({
      status: 200,
      body: operation,
    }));
    expect(seen[0]?.path).toBe("/admin/v1/operation/o");
    expect(data).toEqual(operation);
    expect(text).toMatch(/^5kq +success +w\.near +c\.near +0\.0003 NEAR +–$/m);
    expect(text).not.toContain("4xQ");
  });

  test("retries every request except those that create something, which are sent once", async () => {
    await using service = await scriptedService((_, count) =>
      count === 2 ? { status: 200, body: [] } : "drop",
    );
    const retry = { retries: 1, baseMs: 1 };
    const admin = new AdminClient({ baseUrl: service.url, adminToken: "t".repeat(32), retry });
    expect(await admin.integrations.list()).toEqual([]);
    await expect(admin.integrations.create("Shop")).rejects.toThrow(/can't be reached/);
    await expect(admin.keys.issue("i", { name: "till" })).rejects.toThrow(/can't be reached/);
    await expect(admin.contracts.deploy("i", { name: "N", symbol: "S" })).rejects.toThrow(/can't be reached/);
    expect(service.seen).toHaveLength(5);
  });

  test("waits for an operation that was answered with 202, and prints its answer", async () => {
    const deployed = { contract_uuid: "c", account_id: "c.mintage.near", code_hash: "h", state: "ready" };
    const operation = { operation_uuid: "o", state: "succeeded", answer: { status: 201, body: deployed } };
    const { data, seen } = await command(
      "contract deploy",
      ["i"],
      { name: "Shop", symbol: "SHOP" },
      ({ method }) =>
        method === "POST"
          ? { status: 202, headers: { location: "/admin/v1/operation/o" }, body: {} }
          : { status: 200, body: operation },
    );
    expect(data).toEqual(deployed);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ name: "Shop", symbol: "SHOP" });
    expect(seen[1]?.path).toBe("/admin/v1/operation/o");
  });

  test.each([
    ["integration suspend", {}, "PUT", "", { suspended: true }],
    ["integration resume", {}, "PUT", "", { suspended: false }],
    ["integration rename", { name: "Till" }, "PUT", "", { name: "Till" }],
    ["integration delete", {}, "DELETE", "", null],
    ["integration delete", { "leave-funds": true }, "DELETE", "?leave_funds=true", null],
  ] as const)("%s %j sends exactly one request", async (name, options, method, query, body) => {
    const { seen } = await command(name, ["i"], options, () => ({ status: 200, body: INTEGRATION }));
    expect(seen).toMatchObject([{ method, path: `/admin/v1/integration/i${query}` }]);
    expect(seen[0]?.body ? JSON.parse(seen[0].body) : null).toEqual(body);
  });

  test("integrations --deleted lists the deleted integrations", async () => {
    const { seen } = await command("integrations", [], { deleted: true }, () => ({ status: 200, body: [] }));
    expect(seen[0]?.path).toBe("/admin/v1/integration?deleted=true");
  });

  test.each([
    ["wallet create", "POST", "/admin/v1/integration/i/wallet"],
    ["wallet restore", "POST", "/admin/v1/integration/i/wallet/restore"],
    ["wallet activate", "POST", "/admin/v1/integration/i/wallet/activate"],
  ])("%s sends exactly one request and prints the answer", async (name, method, path) => {
    const wallet = { state: "active", account_id: "w" };
    const { data, seen } = await command(name, ["i"], {}, () => ({ status: 200, body: wallet }));
    expect(data).toEqual(wallet);
    expect(seen).toMatchObject([{ method, path }]);
  });

  test("contract deploy sends the further admin", async () => {
    const options = { name: "Shop", symbol: "SHOP", admin: "ops.near" };
    const { seen } = await command("contract deploy", ["i"], options, () => ({ status: 201, body: {} }));
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ name: "Shop", symbol: "SHOP", admin_id: "ops.near" });
  });

  test.each([
    ["adopts it", []],
    ["shows one that is adopted already, as after a break", [{ contract_uuid: "c", account_id: "c.near" }]],
  ])("contract accept sends the wallet's acceptance, and %s", async (_, known) => {
    const adopted = known.length > 0 ? {} : { full_access_keys: [], upgrade_delay_blocks: 432_000 };
    const contract = { contract_uuid: "c", account_id: "c.near", ...adopted };
    const { data, seen } = await command("contract accept", ["i", "c.near"], {}, ({ method, path }) =>
      method === "GET"
        ? { status: 200, body: known }
        : path.endsWith("/adopt") && known.length > 0
          ? { status: 409, body: { code: "conflict", message: "It belongs to an integration." } }
          : { status: 201, body: contract },
    );
    expect(data).toEqual(contract);
    expect(seen.map(({ path }) => path.split("/").at(-1))).toEqual([
      "accept",
      "contract?account_id=c.near",
      ...(known.length > 0 ? [] : ["adopt"]),
    ]);
  });

  test("contract adopt warns of keys that could replace the contract's code, and of a short delay of upgrades", async () => {
    const adoptWith = async (keys: readonly string[], delay = 432_000) => {
      const warned = vi.spyOn(process.stderr, "write").mockReturnValue(true);
      const body = {
        contract_uuid: "c",
        account_id: "c.near",
        full_access_keys: keys,
        upgrade_delay_blocks: delay,
      };
      await command("contract adopt", ["i", "c.near"], {}, () => ({ status: 201, body }));
      const lines = warned.mock.calls.join("");
      warned.mockRestore();
      return lines;
    };
    expect(await adoptWith([])).toBe("");
    expect(await adoptWith(["ed25519:a"])).toContain("full-access keys of c.near");
    expect(await adoptWith([], 3)).toContain("after 3 blocks");
  });

  test("key issue sends the name, the role and the time of expiry that are given", async () => {
    const { seen } = await command(
      "key issue",
      ["i"],
      { name: "till", role: "read", expires: "2027-01-01 01:00 Europe/Berlin" },
      () => ({ status: 201, body: { api_key: "mk_live_x" } }),
    );
    expect(seen[0]?.path).toBe("/admin/v1/integration/i/key");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      name: "till",
      role: "read",
      expires_at: "2027-01-01T00:00:00.000Z",
    });
  });

  test("key issue sends scopes and a role as given: the service refuses both together", async () => {
    const sent = async (options: Readonly<Record<string, string>>) => {
      const answer = () => ({ status: 201, body: { api_key: "mk_live_x" } });
      const { seen } = await command("key issue", ["i"], { name: "till", ...options }, answer);
      return JSON.parse(seen[0]?.body ?? "");
    };
    expect(await sent({ scopes: "mint,read" })).toEqual({ name: "till", scopes: ["mint", "read"] });
    expect(await sent({ scopes: "mint", role: "read" })).toMatchObject({ scopes: ["mint"], role: "read" });
  });

  const KEYS = [
    { key_uuid: "k1", name: "till", revoked_at: null },
    { key_uuid: "k2", name: "till", revoked_at: "2026-01-01T00:00:00Z" },
    { key_uuid: "k3", name: "twice", revoked_at: null },
    { key_uuid: "k4", name: "twice", revoked_at: null },
  ];
  const revoke = (key: string) =>
    command("key revoke", ["i", key], {}, ({ method }) => ({
      status: 200,
      body: method === "GET" ? KEYS : KEYS[0],
    }));

  test("key revoke accepts a key's name or its uuid", async () => {
    expect((await revoke("till")).seen.at(-1)?.path).toBe("/admin/v1/integration/i/key/k1");
    const uuid = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
    expect((await revoke(uuid)).seen.map(({ path }) => path)).toEqual([
      `/admin/v1/integration/i/key/${uuid}`,
    ]);
    await expect(revoke("nobody")).rejects.toThrow(
      'no valid key with the name "nobody". Its keys: "till", "till", "twice", "twice".',
    );
    await expect(revoke("twice")).rejects.toThrow("give the uuid of one: k3, k4");
  });

  const plan = (account: string, rest: object = {}) => ({
    contract_uuid: `u-${account}`,
    integration_uuid: "i",
    account_id: account,
    state: "ready",
    obstacle: null,
    code_hash: "old",
    layout: 2,
    version: "0.1.0",
    new_code_hash: "new",
    collections: 3,
    transactions: 4,
    publish: true,
    publish_cost: "18000000000000000000000000",
    top_up: "2500000000000000000000000",
    fees: "120000000000000000000000",
    wallet: { account_id: "w", available: "0", missing: "1000000000000000000000000" },
    ...rest,
  });
  const owned = (account: string, rest: object = {}) => ({
    contract_uuid: `u-${account}`,
    integration_uuid: "i",
    account_id: account,
    code_hash: "old",
    state: "ready",
    is_current: false,
    created_at: "2026-11-21T12:00:00.000Z",
    ...rest,
  });

  /** Three contracts that can be upgraded, one that can't, one that needs nothing, one that isn't ready. */
  const upgrades = ({ method, path }: Seen): Reply => {
    const [, , , , uuid = ""] = path.split("/");
    if (path === "/admin/v1/contract") {
      const others = [owned("current", { is_current: true }), owned("failed", { state: "failed" })];
      return { status: 200, body: [...["a", "b", "foreign", "c"].map((name) => owned(name)), ...others] };
    }
    const account = uuid.slice(2);
    if (method === "GET") {
      const blocked = { state: "blocked", obstacle: "Have its owner do it.", top_up: "0", fees: "0" };
      return { status: 200, body: plan(account, account === "foreign" ? blocked : {}) };
    }
    if (account === "b") return { status: 402, body: { code: "insufficient_funds", message: "Send more." } };
    return {
      status: 200,
      body: { contract_uuid: uuid, account_id: account, code_hash: "new", tx_results: [] },
    };
  };

  test("contract upgrade --dry-run shows what upgrades cost, and sends nothing", async () => {
    const { data, text, seen } = await command(
      "contract upgrade",
      [],
      { all: true, "dry-run": true },
      upgrades,
    );
    expect(seen.every(({ method }) => method === "GET")).toBe(true);
    expect(data).toMatchObject({
      plans: ["a", "b", "foreign", "c"].map((account_id) => ({ account_id })),
      upgraded: [],
    });
    expect(text).toContain("3 to upgrade. Their wallets pay 7.5000 NEAR to the contracts");
    expect(text).toContain("burn 0.3600 NEAR at most");
    expect(text).toContain("The platform burns 18.0000 NEAR once");
    expect(text).toContain("foreign: Have its owner do it.");
  });

  test("contract upgrade --all upgrades one contract after another and stops at the first that fails", async () => {
    await using service = await scriptedService(upgrades);
    const admin = new AdminClient({
      baseUrl: service.url,
      adminToken: "t".repeat(32),
      retry: { retries: 0 },
    });
    const all = COMMANDS["contract upgrade"]!.run(admin, [], { all: true });
    await expect(all).rejects.toThrow("Send more.");
    const sent = service.seen.filter(({ method }) => method === "POST");
    expect(sent.map(({ path }) => path)).toEqual(
      ["a", "b"].map((name) => `/admin/v1/contract/u-${name}/upgrade`),
    );
  });

  test("contract upgrade --all --dry-run shows what the upgrades cost each wallet in total", async () => {
    const has = (account_id: string, available: string | null) => ({
      wallet: { account_id, available, missing: "0" },
    });
    const amounts = { top_up: "2000000000000000000000000", fees: "1000000000000000000000000" };
    const found: Record<string, object> = {
      a: { ...amounts, ...has("one.near", "5000000000000000000000000") },
      b: { ...amounts, ...has("one.near", "5000000000000000000000000") },
      c: { ...amounts, ...has("two.near", "3000000000000000000000000") },
      d: { ...amounts, ...has("three.near", null) },
      e: {
        ...amounts,
        ...has("two.near", "3000000000000000000000000"),
        state: "blocked",
        obstacle: "Foreign.",
      },
    };
    const { data, text } = await command(
      "contract upgrade",
      [],
      { all: true, "dry-run": true },
      ({ path }) =>
        path === "/admin/v1/contract"
          ? { status: 200, body: Object.keys(found).map((name) => owned(name)) }
          : { status: 200, body: plan(path.split("/")[4]!.slice(2), found[path.split("/")[4]!.slice(2)]) },
    );
    expect(data).toMatchObject({
      wallets: [
        { account_id: "one.near", contracts: 2, missing: "1000000000000000000000000" },
        { account_id: "two.near", contracts: 1, missing: "0" },
        { account_id: "three.near", contracts: 1, missing: null },
      ],
    });
    expect(text).toMatch(/^one\.near +2 +6\.0000 NEAR +5\.0000 NEAR +1\.0000 NEAR$/m);
    expect(text).toMatch(/^two\.near +1 +3\.0000 NEAR +3\.0000 NEAR +0\.0000 NEAR$/m);
    expect(text).toMatch(/^three\.near +1 +3\.0000 NEAR +– +unknown$/m);
  });

  test("contract upgrade upgrades one contract", async () => {
    const { data, seen } = await command("contract upgrade", ["u-c"], {}, upgrades);
    expect(data).toMatchObject({ upgraded: [{ account_id: "c", code_hash: "new" }] });
    expect(seen.at(-1)).toMatchObject({ method: "POST", path: "/admin/v1/contract/u-c/upgrade" });
  });

  test("contracts lists each contract with its owner on the chain", async () => {
    const roles: Record<string, object> = {
      "u-a": { owner_id: "artist.near", proposed_owner_id: null, wallet_is_admin: true },
      "u-b": { owner_id: "w.near", proposed_owner_id: "next.near", wallet_is_admin: true },
      "u-c": { owner_id: null, proposed_owner_id: null, wallet_is_admin: null },
    };
    const { data, text, seen } = await command("contracts", ["i"], {}, () => ({
      status: 200,
      body: ["a", "b", "c"].map((name) => ({ ...owned(name), ...roles[`u-${name}`] })),
    }));
    expect(data).toMatchObject([roles["u-a"], roles["u-b"], roles["u-c"]]);
    expect(text).toMatch(/^u-a +a +artist\.near +– +ready +old$/m);
    expect(text).toMatch(/^u-b +b +w\.near +next\.near +ready +old$/m);
    expect(text).toMatch(/^u-c +c +– +– +ready +old$/m);
    expect(seen.map(({ path }) => path)).toEqual(["/admin/v1/integration/i/contract?roles=true"]);
  });

  test.each([
    [[], {}],
    [["a"], { all: true }],
  ] as const)(
    "contract upgrade is refused unless it names one contract or --all: %s",
    async (words, options) => {
      const run = command("contract upgrade", words, options, upgrades);
      await expect(run).rejects.toThrow("Name a contract, or give --all.");
    },
  );

  test("secret rotate repeats its request until nothing remains, and stops when a request changes nothing", async () => {
    const step = (resealed: string[], remaining: number, failed: unknown[] = []): Reply => ({
      status: 200,
      body: { version: 2, resealed, failed, remaining, webhooks: NO_WEBHOOKS, reveals: NO_WEBHOOKS },
    });
    const whole = await command("secret rotate", [], {}, (_, count) =>
      count === 1 ? step(["a", "b"], 1) : step(["c"], 0),
    );
    expect(whole.data).toMatchObject({ resealed: ["a", "b", "c"], remaining: 0 });
    expect(whole.failure).toBeUndefined();
    const failed = [{ integration_uuid: "d", message: "no secret of version 1" }];
    const stuck = await command("secret rotate", [], {}, () => step([], 1, failed));
    expect(stuck.seen).toHaveLength(1);
    expect(stuck.text).toContain("no secret of version 1");
    expect(stuck.failure).toMatch(
      /^1 secret is still sealed under an older version of WALLET_SECRETS\. Keep/,
    );
  });

  test("secret rotate continues while secrets of webhooks remain", async () => {
    const step = (resealed: number, remaining: number, failed: string[] = []): Reply => ({
      status: 200,
      body: {
        version: 2,
        resealed: [],
        failed: [],
        remaining: 0,
        webhooks: { resealed, failed, remaining },
        reveals: NO_WEBHOOKS,
      },
    });
    const whole = await command("secret rotate", [], {}, (_, count) =>
      count === 1 ? step(500, 2, ["h"]) : count === 2 ? step(1, 1, ["h"]) : step(0, 1, ["h"]),
    );
    expect(whole.seen).toHaveLength(3);
    expect(whole.data).toMatchObject({ webhooks: { resealed: 501, failed: ["h"], remaining: 1 } });
  });

  test("secret rotate continues after wallets that fail, and lists them at the end", async () => {
    const failure = (uuid: string) => ({ integration_uuid: uuid, message: "lost" });
    const steps = [
      {
        version: 2,
        resealed: [],
        failed: [failure("a"), failure("b")],
        remaining: 4,
        webhooks: NO_WEBHOOKS,
        reveals: NO_WEBHOOKS,
      },
      {
        version: 2,
        resealed: ["c", "d"],
        failed: [],
        remaining: 2,
        webhooks: NO_WEBHOOKS,
        reveals: NO_WEBHOOKS,
      },
    ];
    const run = await command("secret rotate", [], {}, (_, count) => ({
      status: 200,
      body: steps[count - 1],
    }));
    expect(run.data).toMatchObject({
      resealed: ["c", "d"],
      failed: [failure("a"), failure("b")],
      remaining: 2,
    });
    expect(run.seen).toHaveLength(2);
  });

  test("limits shows each limit with its use, and limits set changes one limit", async () => {
    const limits = { requests: 1_000, period_s: 10, drafts: 5, used: { drafts: 3 } };
    const reply = () => ({ status: 200, body: limits });
    const { data, text } = await command("limits", ["i"], {}, reply);
    expect(data).toEqual(limits);
    expect(text).toMatch(/^requests of a key in 10 s +1000/m);
    expect(text).toMatch(/^drafts +5 +3$/m);
    const spending = {
      ...limits,
      spending_per_day: null,
      used: { spending_per_day: "1500000000000000000000000" },
    };
    const unlimited = await command("limits", ["i"], {}, () => ({ status: 200, body: spending }));
    expect(unlimited.text).toMatch(/^spending_per_day +– +1\.5000 NEAR$/m);
    const money = await command("limits set", ["i", "spending_per_day", "2.5"], {}, reply);
    expect(JSON.parse(money.seen[0]?.body ?? "")).toEqual({ spending_per_day: `25${"0".repeat(23)}` });
    const number = await command("limits set", ["i", "drafts", "7"], {}, reply);
    const fallback = await command("limits set", ["i", "drafts", "default"], {}, reply);
    expect(number.seen[0]).toMatchObject({ method: "PUT", path: "/admin/v1/integration/i/limits" });
    expect([number, fallback].map(({ seen }) => JSON.parse(seen[0]?.body ?? ""))).toEqual([
      { drafts: 7 },
      { drafts: null },
    ]);
  });

  test.each([
    [
      "limits set",
      ["i", "drafts", "many"],
      {},
      'The limit drafts must be a whole number of at most 15 digits, or "default"; it is "many".',
    ],
    // As a number it would be infinite, which JSON has as null: the default.
    [
      "limits set",
      ["i", "drafts", "9".repeat(400)],
      {},
      "The limit drafts must be a whole number of at most",
    ],
    [
      "limits set",
      ["i", "period_s", "7"],
      {},
      'There is no limit "period_s"; there are requests, drafts, stored_bytes,',
    ],
    [
      "limits set",
      ["i", "spending_per_day", "2,5"],
      {},
      'The limit spending_per_day must be an amount of NEAR such as 2.5, or "default"; it is "2,5".',
    ],
    ["limits set", ["i", "__proto__", "7"], {}, 'There is no limit "__proto__"; there are requests,'],
    ["integration create", [], {}, "--name is missing."],
    ["contract deploy", ["i"], { name: "Shop" }, "--symbol is missing."],
    ["key issue", ["i"], { name: "till", role: "owner" }, '--role must be full or read; it is "owner".'],
    ["key issue", ["i"], { name: "till", expires: "2027" }, "--expires: give a date, a time and a zone"],
    ["operation settle", ["o"], {}, "--effect must be yes or no"],
  ] as const)(
    "%s refuses invalid arguments before it sends anything",
    async (name, words, options, message) => {
      const run = command(name, words, options, () => "drop");
      await expect(run).rejects.toThrow(UsageError);
      await expect(run).rejects.toThrow(message);
    },
  );
});
