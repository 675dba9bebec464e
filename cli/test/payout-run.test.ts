import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { type Ended, startCommand } from "../../test/support/killed-command.ts";

const QUOTE = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12";
const USDC = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mintage-payout-run-"));
});
afterEach(() => rmSync(data, { recursive: true }));

/** A service whose wallet pays 2.5 units of a token, or of another one as its contract describes it. */
const paying =
  (currency: object = USDC) =>
  ({ method, path }: Seen): Reply => {
    if (path.endsWith("/me")) return { status: 200, body: { wallet: { account_id: "w.near" } } };
    if (path.endsWith("/quote"))
      return { status: 201, body: { quote_uuid: QUOTE, cost: { at_most: `${10n ** 22n}` } } };
    if (method === "POST")
      return { status: 200, body: { account_id: "treasury.near", amount: "2500000", currency } };
    return { status: 200, body: [] };
  };

const payout = (url: string, ...args: string[]): Promise<Ended> =>
  startCommand("payout.ts", args, { MINTAGE_URL: url, MINTAGE_API_KEY: "mk_live_test", MINTAGE_DATA: data })
    .ended;

const sentTo = (seen: readonly Seen[], path: string) =>
  seen.filter((one) => one.method === "POST" && one.path.endsWith(path));

test("a payout in a token is quoted, agreed to, and paid under its quote", async () => {
  await using service = await scriptedService(paying());
  const unasked = await payout(service.url, "all", "--currency", "usdc.near");
  expect([unasked.code, unasked.stderr]).toEqual([
    2,
    expect.stringMatching(/^At most 0\.0100 NEAR leave the wallet w\.near, gas included\.\n[\s\S]*--yes/),
  ]);
  expect(sentTo(service.seen, "/wallet/payout")).toEqual([]);
  const paid = await payout(service.url, "all", "--currency", "usdc.near", "--yes");
  expect(paid.stdout, paid.stderr).toBe("2.5 USDC were paid to treasury.near.\n");
  const [sent] = sentTo(service.seen, "/wallet/payout");
  const body = JSON.parse(sent!.body);
  expect(body).toEqual({ amount: "all", currency: "usdc.near", reference: expect.any(String) });
  expect(sent!.headers).toMatchObject({ "mintage-quote": QUOTE, "idempotency-key": body.reference });
  expect(JSON.parse(sentTo(service.seen, "/quote").at(-1)!.body)).toEqual({
    method: "POST",
    path: "/wallet/payout",
    body,
  });
  const json = await payout(service.url, "2500000", "--currency", "usdc.near", "--yes", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ amount: "2500000", currency: USDC });
  expect(JSON.parse(sentTo(service.seen, "/wallet/payout").at(-1)!.body)).toMatchObject({
    amount: "2500000",
  });
});

test("a token without symbol or decimals is named by its smallest units", async () => {
  await using service = await scriptedService(paying({ ...USDC, symbol: null, decimals: null }));
  const paid = await payout(service.url, "2500000", "--currency", "usdc.near", "--yes");
  expect(paid.stdout, paid.stderr).toBe("2500000 were paid to treasury.near.\n");
});

test("a payout whose answer is lost is paid once, and named with its currency until then", async () => {
  let isLost = true;
  await using service = await scriptedService((seen) =>
    isLost && seen.path.endsWith("/wallet/payout") ? "drop" : paying()(seen),
  );
  const lost = await payout(service.url, "all", "--currency", "usdc.near", "--yes");
  expect(lost.code).toBe(1);
  expect(readdirSync(join(data, "payouts"))).toHaveLength(1);
  isLost = false;
  for (const [amount, ...more] of [["all", "--currency", "eurc.near"], ["sales"]] as const) {
    const other = await payout(service.url, amount, ...more, "--yes");
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining("Run npm run payout -- all --currency usdc.near first: it is paid once."),
    ]);
  }
  const again = await payout(service.url, "all", "--currency", "usdc.near", "--yes");
  expect(again.stdout, again.stderr).toBe("2.5 USDC were paid to treasury.near.\n");
  expect(again.stderr).toContain("This is the payout that an earlier run sent.");
  const keys = sentTo(service.seen, "/wallet/payout").map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(1);
  expect(readdirSync(join(data, "payouts"))).toEqual([]);
}, 120_000);

test.each([
  [["--currency", "usdc.near"], /^With --currency give all, or a number/],
  [["sales", "--currency", "usdc.near"], /^With --currency give all, or a number/],
  [["2.5", "--currency", "usdc.near"], /^With --currency give all, or a number/],
  [["all", "--currency", "USDC"], /^--currency: /],
])("%j is a wrong call, and nothing is asked of the service", async (args, said) => {
  await using service = await scriptedService(paying());
  const refused = await payout(service.url, ...args, "--yes");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(said)]);
  expect(service.seen).toEqual([]);
});
