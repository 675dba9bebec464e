import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ClaimIssuer } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { type Ended, startCommand } from "../../test/support/killed-command.ts";

const COLLECTION = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
const QUOTE = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12";
const END = "2030-01-01T00:00:00.000Z";
const NEAR = 10n ** 24n;

const drop = {
  ...{ drop_id: 7, issuer_public_key: "ed25519:1", links: 3, claimed: 0, quantity: 1, expires_at: END },
  ...{ reserve: "0", copies_left: 40, claimed_links: "", revoked_links: "" },
};

/** A service with a collection and its page whose wallet lacks `missing` NEAR, and which opens and changes drops. */
const scripted =
  (missing = 0n) =>
  ({ method, path }: Seen): Reply => {
    if (path.endsWith("/quote")) {
      const cost = { expected: `${NEAR / 4n}`, at_most: `${NEAR / 2n}` };
      const wallet = { available: `${3n * NEAR}`, missing: `${missing * NEAR}` };
      const quote = { quote_uuid: QUOTE, transactions: 1, cost, top_up: `${NEAR / 5n}`, wallet };
      return { status: 201, body: quote };
    }
    if (method === "POST" || method === "PUT") return { status: 201, body: { message: "success", drop } };
    if (path.endsWith("/me")) {
      return {
        status: 200,
        body: { network: "testnet", wallet: { account_id: "w.near", available: `${3n * NEAR}` } },
      };
    }
    if (path.endsWith("/page")) {
      return {
        status: 200,
        body: {
          enabled: true,
          slug: "herons",
          claim_url: "http://a/c/herons",
          mint_url: "http://a/m/herons",
        },
      };
    }
    if (path.endsWith("/currency/usdc.near"))
      return { status: 200, body: { contract_id: "usdc.near", symbol: "USDC", decimals: 6 } };
    if (/\/drop\/7$/.test(path)) return { status: 200, body: drop };
    if (/\/drop(\?|$)/.test(path)) return { status: 200, body: [] };
    const collection = { collection_uuid: COLLECTION, contract_address: "c.near", title: "Herons" };
    return { status: 200, body: { ...collection, total_copies: 40, minted: 0, locks: [] } };
  };

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "mintage-claim-run-")), "links");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

const command = (url: string, ...args: string[]): Promise<Ended> =>
  startCommand("claim.ts", [...args, "--qr", "none", "--yes"], {
    MINTAGE_URL: url,
    MINTAGE_API_KEY: `mk_live_${"a".repeat(43)}`,
  }).ended;

const create = (url: string, expires = END) =>
  command(url, "create", COLLECTION, "--links", "3", "--expires", expires, "--folder", folder);

const COST =
  /^cost in all +about 0\.2500 NEAR, at most 0\.5000 NEAR; 0\.2000 NEAR of it the contract holds for storage$/m;

const writes = (seen: readonly Seen[]) =>
  seen
    .filter(({ method }) => method !== "GET")
    .map((one) => ({ ...one, body: JSON.parse(one.body) as unknown }));

test("the maximum cost of a drop, and of a change of it, is shown before anything is sent", async () => {
  await using service = await scriptedService(scripted());
  const created = await create(service.url);
  expect(created.code, created.stderr).toBe(0);
  expect(created.stderr).toMatch(COST);
  const changed = await command(service.url, "top-up", folder, "--links", "5");
  expect(changed.code, changed.stderr).toBe(0);
  expect(changed.stderr).toMatch(COST);
  const [quoted, opened, asked, extended, ...others] = writes(service.seen);
  expect(others).toEqual([]);
  const path = `/collection/${COLLECTION}/drop`;
  expect(quoted?.body).toEqual({ method: "POST", path, body: opened?.body });
  expect(asked?.body).toEqual({ method: "PUT", path: `${path}/7`, body: extended?.body });
  expect(extended?.body).toEqual({ links: 5 });
  for (const write of [opened, extended]) expect(write?.headers["mintage-quote"]).toBe(QUOTE);
});

test("a wallet that can't pay opens and changes no drop, and the missing amount is shown", async () => {
  await using service = await scriptedService(scripted(2n));
  const created = await create(service.url);
  expect(created).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "Send at least 2.0000 NEAR to w.near and run it again: opening the drop takes up to 0.5000 NEAR. Nothing was sent.",
    ),
  });
  expect(existsSync(folder)).toBe(false);
  await using rich = await scriptedService(scripted());
  await create(rich.url);
  const file = join(folder, "issuer.json");
  writeFileSync(file, readFileSync(file, "utf8").replace(rich.url, service.url));
  const changed = await command(service.url, "top-up", folder, "--links", "5");
  expect(changed).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("changing the drop takes up to"),
  });
  expect(writes(service.seen).every(({ path }) => path.endsWith("/quote"))).toBe(true);
});

test("a refused drop is quoted again, and one that may have been opened continues under its first quote", async () => {
  const issues = [{ path: ["expires_at"], message: "Send a time in the future." }];
  const first: Reply[] = [
    { status: 400, body: { message: "No.", code: "invalid_request", issues } },
    { status: 502, body: { message: "Who knows.", code: "outcome_unknown", outcome: "unknown" } },
  ];
  await using service = await scriptedService((seen) => {
    const isOpening = seen.method === "POST" && seen.path.endsWith("/drop");
    return (isOpening && first.shift()) || scripted()(seen);
  });
  const refused = await create(service.url, "2029-01-01T00:00:00Z");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--expires: Send a time") });
  const unknown = await create(service.url);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(COST) });
  const resumed = await create(service.url);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.not.stringMatching(COST) });
  const sent = writes(service.seen).filter(({ path }) => path.endsWith("/drop"));
  expect(sent.map(({ headers }) => headers["mintage-quote"])).toEqual([QUOTE, QUOTE, undefined]);
  expect(sent[2]?.headers["idempotency-key"]).toBe(sent[1]?.headers["idempotency-key"]);
  expect(sent[2]?.body).toEqual(sent[1]?.body);
});

test("a voucher replaces a link that is still open, and signing it sends nothing", async () => {
  const used = { ...drop, quantity: 2, claimed_links: "AQ==" };
  await using service = await scriptedService((seen) =>
    seen.method === "GET" && /\/drop\/7$/.test(seen.path) ? { status: 200, body: used } : scripted()(seen),
  );
  await create(service.url);
  const before = writes(service.seen).length;
  const voucher = (link: string, ...more: string[]) =>
    command(service.url, "voucher", folder, link, "--to", "bob.near", "--expires", END, "--json", ...more);
  const made = await voucher("2", "--price", "0.5", "--quantity", "2");
  expect(made.code, made.stderr).toBe(0);
  const { args, link, ...call } = JSON.parse(made.stdout);
  expect(call).toEqual({ contract: "c.near", method: "voucher_mint", deposit_near: "1.0000" });
  const { issuer_seed: seed } = JSON.parse(readFileSync(join(folder, "issuer.json"), "utf8"));
  const issuer = await ClaimIssuer.fromSeed(seed);
  const terms = { network: "testnet", contract: "c.near", dropId: 7, nonce: 1, receiver: "bob.near" };
  const same = { ...terms, quantity: 2, price: NEAR / 2n, expiresAt: new Date(END) };
  const signed = await issuer.voucher(same);
  expect(JSON.parse(args)).toEqual(signed.args);
  expect(link).toBe(`http://a/m/herons#${signed.fragment}`);
  const sold = await voucher("2", "--price", "2.5 USDC", "--quantity", "2", "--currency", "usdc.near");
  expect(sold.code, sold.stderr).toBe(0);
  const inUsdc = await issuer.voucher({ ...same, price: 2_500_000n, currency: "usdc.near" });
  expect(JSON.parse(sold.stdout)).toEqual({
    link: `http://a/m/herons#${inUsdc.fragment}`,
    contract: "usdc.near",
    method: "ft_transfer_call",
    args: JSON.stringify(inUsdc.call.args),
    deposit_near: "1 yoctoNEAR",
    price: "5 USDC (usdc.near)",
  });
  for (const [wrong, ...more] of [
    ["1", "--price", "0.5"],
    ["4", "--price", "0.5"],
    ["2", "--price", "0.001"],
    ["2", "--price", "0.5", "--quantity", "3"],
    ["2", "--price", "2.5 NEAR", "--currency", "usdc.near"],
    ["2", "--price", "free", "--currency", "usdc.near"],
    ["2", "--price", "0.0000001", "--currency", "usdc.near"],
    ["2"],
  ] as const) {
    expect((await voucher(wrong, ...more)).code, [wrong, ...more].join(" ")).toBe(2);
  }
  expect(writes(service.seen)).toHaveLength(before);
});

/** What a folder keeps of its issuer. */
interface KeptIssuer {
  readonly issuer_public_key: string;
  readonly next?: object;
}

test("a renewal makes links of another key, which is in the folder before it is sent, and an interrupted one resumes", async () => {
  const kept = () => JSON.parse(readFileSync(join(folder, "issuer.json"), "utf8")) as KeptIssuer;
  const links = () => readFileSync(join(folder, "links.csv"), "utf8");
  let issuer = drop.issuer_public_key;
  let isLost = true;
  let before: Partial<KeptIssuer> = {};
  await using service = await scriptedService((seen) => {
    if (seen.method === "GET" && /\/drop\/7$/.test(seen.path))
      return { status: 200, body: { ...drop, issuer_public_key: issuer } };
    if (seen.method !== "PUT") return scripted()(seen);
    issuer = (JSON.parse(seen.body) as { issuer_public_key: string }).issuer_public_key;
    expect(kept()).toMatchObject({
      ...{ issuer_public_key: before.issuer_public_key, next: { publicKey: issuer } },
    });
    if (!isLost) return scripted()(seen);
    return { status: 502, body: { message: "Who knows.", code: "outcome_unknown", outcome: "unknown" } };
  });
  await create(service.url);
  before = kept();
  const old = links();
  expect((await command(service.url, "renew", folder)).code).toBe(1);
  // Whatever is run next finds the key that the chain has.
  const lost = issuer;
  expect((await command(service.url, "status", folder)).code).toBe(0);
  expect(kept()).toMatchObject({ issuer_public_key: lost });
  expect(kept().next).toBeUndefined();
  isLost = false;
  before = kept();
  const renewed = await command(service.url, "renew", folder);
  expect(renewed.code, renewed.stderr).toBe(0);
  expect(kept()).toMatchObject({ issuer_public_key: issuer });
  expect(issuer).not.toBe(lost);
  const [first, ...others] = links().split("\n");
  expect(first).toBe(old.split("\n")[0]);
  for (const [at, line] of others.filter(Boolean).entries()) expect(line).not.toBe(old.split("\n")[at + 1]);
});
