import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { admin, apiWith, bodyOf, statusesOf } from "../support/api.ts";
import { failingD1 } from "../support/database.ts";
import { storedDirectory } from "../support/directories.ts";
import { attach, formOf, newTenant, type Tenant } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

let addresses = 0;
/** An address that no other test uses. */
const newAddress = () => `198.51.100.${addresses++}`;

/** How often the database was asked. */
let queries = 0;
const DB = failingD1(() => {
  queries += 1;
  return null;
});

/** A request from an address. */
const ask = async (
  path: string,
  address: string,
  authorization = "",
  changes: Partial<Env> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const headers = { "CF-Connecting-IP": address, ...(authorization && { authorization }), ...more };
  return (await apiWith({ DB, ...changes }, path, { headers })).response;
};

/** A key that nobody has. */
const newApiKey = () =>
  `mk_live_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`;

/** A request with a key from an address. */
const read = (key: string, address: string) => ask("/api/v1/collection-draft", address, `Api-Key ${key}`);

/** A limit like the platform's, with `most` as its bound. */
const limitOf = (most: number): RateLimit => {
  const counts = new Map<string, number>();
  return {
    async limit({ key }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: counts.get(key)! <= most };
    },
  };
};

describe("keys that the service hasn't seen", () => {
  const guess = (address: string, ADDRESS_LIMIT: RateLimit) =>
    ask("/api/v1/operation/none", address, `Api-Key ${newApiKey()}`, { ADDRESS_LIMIT });

  test("cause no more database queries than their address is allowed", async () => {
    const [address, ADDRESS_LIMIT] = [newAddress(), limitOf(20)];
    const before = queries;
    const guesses = Array.from({ length: 50 }, () => guess(address, ADDRESS_LIMIT));
    expect(await statusesOf(guesses)).toEqual({ 401: 20, 429: 30 });
    expect(queries - before).toBe(20);
    const refused = await guess(address, ADDRESS_LIMIT);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await bodyOf(refused, 429)).toMatchObject({ code: "rate_limited", limit: "rate" });
    expect(queries - before).toBe(20);
    expect(await statusesOf([guess(newAddress(), ADDRESS_LIMIT)])).toEqual({ 401: 1 });
  });

  test("count for the whole IPv6 network", async () => {
    const ADDRESS_LIMIT = limitOf(2);
    const guesses = ["1", "2", "3"].map((host) => guess(`2001:db8:7:7::${host}`, ADDRESS_LIMIT));
    expect(await statusesOf(guesses)).toEqual({ 401: 2, 429: 1 });
    expect(await statusesOf([guess("2001:db8:7:8::1", ADDRESS_LIMIT)])).toEqual({ 401: 1 });
  });

  test("don't block keys of the same address that were seen before", async () => {
    const [address, limits] = [newAddress(), { ADDRESS_LIMIT: limitOf(1) }];
    const known = () => ask("/api/v1/collection-draft", address, `Api-Key ${tenant.key}`, limits);
    expect(await statusesOf([known()])).toEqual({ 200: 1 });
    await statusesOf([guess(address, limits.ADDRESS_LIMIT)]);
    expect(await statusesOf([guess(address, limits.ADDRESS_LIMIT), known()])).toEqual({ 200: 1, 429: 1 });
    vi.setSystemTime(Date.now() + 6_000);
    expect(await statusesOf([known()])).toEqual({ 200: 1 });
  });

  test("are looked up once, and remembered for a while", async () => {
    // So that the while isn't over before all have asked.
    vi.setSystemTime(Date.now());
    const [key, address] = [newApiKey(), newAddress()];
    expect(await statusesOf([read(key, address)])).toEqual({ 401: 1 });
    const before = queries;
    expect(await statusesOf(Array.from({ length: 300 }, () => read(key, address)))).toEqual({ 401: 300 });
    expect(queries).toBe(before);
    vi.setSystemTime(Date.now() + 10_001);
    expect(await statusesOf([read(key, address)])).toEqual({ 401: 1 });
    expect(queries).toBe(before + 1);
  });
});

test("hundreds of simultaneous requests with one new key are accepted", async () => {
  const fresh = await newTenant();
  const address = newAddress();
  expect(await statusesOf(Array.from({ length: 300 }, () => read(fresh.key, address)))).toEqual({ 200: 300 });
});

describe("the operator's token", () => {
  const withToken = (token: string, address: string) =>
    ask("/admin/v1/integration", address, `Bearer ${token}`);

  test("is refused if it differs in any way", async () => {
    const token = bindings.ADMIN_TOKEN;
    const wrong = [
      token.slice(0, -1),
      `${token}0`,
      token.slice(1),
      token.toUpperCase(),
      token.slice(0, 32),
      "x",
    ];
    for (const each of wrong.filter((text) => text !== token)) {
      expect(await bodyOf(await withToken(each, newAddress()), 401)).toMatchObject({
        code: "admin_token_invalid",
      });
    }
    await bodyOf(await admin("/integration"), 200);
  });

  test("can't be guessed without limit, and the right one is accepted from any address", async () => {
    const [address, limits] = [newAddress(), { ADDRESS_LIMIT: limitOf(3) }];
    const from = (token: string) => ask("/admin/v1/integration", address, `Bearer ${token}`, limits);
    const guesses = Array.from({ length: 5 }, () => from(crypto.randomUUID()));
    expect(await statusesOf(guesses)).toEqual({ 401: 3, 429: 2 });
    const refused = await from("x");
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await bodyOf(refused, 429)).toMatchObject({ code: "rate_limited", limit: "rate" });
    expect(await statusesOf([from(bindings.ADMIN_TOKEN)])).toEqual({ 200: 1 });
  });
});

describe("endpoints without a key", () => {
  test("refuse an address that asks /ready too often, before anything is checked", async () => {
    const address = newAddress();
    const PAGE_LIMIT = limitOf(1);
    const ready = (from: string) => ask("/ready", from, "", { PAGE_LIMIT });
    await bodyOf(await ready(address), 200);
    const before = queries;
    const refused = await ready(address);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await bodyOf(refused, 429)).toMatchObject({ code: "rate_limited" });
    expect(queries).toBe(before);
    await bodyOf(await ready(newAddress()), 200);
  });

  test("are limited by the bindings that are deployed", async () => {
    const address = newAddress();
    // A period may end before the request.
    await eventually(async () => {
      const key = `ready:${address}`;
      await Promise.all(Array.from({ length: 200 }, () => bindings.PAGE_LIMIT.limit({ key })));
      await bodyOf(await ask("/ready", address), 429);
    });
  });

  test("refuse an address that reads too many files, except for cached ones", async () => {
    const files = ["a.png", "b.png"].map((name, index) => ({ name, bytes: picture("png", 800 + index) }));
    const details = files.map(({ name }) => ({ asset_filename: name, copies: 1 }));
    const assets = await bodyOf<{ asset_cid: string }[]>(await attach(tenant, formOf(details, files)), 201);
    const [kept, other] = assets.map(({ asset_cid }) => `/ipfs/${asset_cid}`) as [string, string];
    const address = newAddress();
    await eventually(async () => {
      const before = queries;
      expect(await statusesOf([ask(kept, address)])).toEqual({ 200: 1 });
      expect(queries).toBe(before);
    });
    const limits = { ADDRESS_LIMIT: limitOf(0) };
    const before = queries;
    expect(await statusesOf([ask(kept, address, "", limits), ask(other, address, "", limits)])).toEqual({
      200: 1,
      429: 1,
    });
    expect(await statusesOf([ask(`${kept}?format=raw`, address, "", limits)])).toEqual({ 429: 1 });
    expect(queries).toBe(before);
    expect(await statusesOf([ask(other, address), ask(`${kept}?format=raw`, address)])).toEqual({ 200: 2 });
  });

  test("refuse an address that reads too many directories", async () => {
    const owner = await newTenant();
    const files = ["a.png", "b.png"].map((name, index) => ({ name, bytes: picture("png", 950 + index) }));
    const details = files.map(({ name }) => ({ asset_filename: name, copies: 1 }));
    const assets = await bodyOf<{ asset_cid: string }[]>(await attach(owner, formOf(details, files)), 201);
    const { rootCid } = await storedDirectory(owner);
    const page = `/ipfs/${rootCid}`;
    const [address, limits] = [newAddress(), { WALK_LIMIT: limitOf(2) }];
    const from = (path: string) => ask(path, address, "", limits);
    expect(await statusesOf([from(page), from(`${page}/`)])).toEqual({ 200: 2 });
    const refused = await from(page);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await bodyOf(refused, 429)).toMatchObject({ code: "rate_limited", limit: "rate" });
    // One block costs no more than a file, and is counted as one.
    const single = [`${page}?format=raw`, `/ipfs/${assets[0]!.asset_cid}`, `${page}/a.png`];
    expect(await statusesOf(single.map(from))).toEqual({ 200: 3 });
    expect(await statusesOf([ask(page, newAddress())])).toEqual({ 200: 1 });
  });

  test("count a range of a file that leaves the cache before it is read", async () => {
    const [asset] = await bodyOf<{ asset_cid: string }[]>(
      await attach(
        tenant,
        formOf([{ asset_filename: "r.png", copies: 1 }], [{ name: "r.png", bytes: picture("png", 900) }]),
      ),
      201,
    );
    const path = `/ipfs/${asset?.asset_cid}`;
    await eventually(async () => {
      const before = queries;
      expect(await statusesOf([ask(path, newAddress())])).toEqual({ 200: 1 });
      expect(queries).toBe(before);
    });
    const cache = caches.default;
    const match = cache.match.bind(cache);
    vi.spyOn(cache, "match").mockImplementation(async (request) =>
      request instanceof Request && request.headers.has("Range") ? undefined : match(request),
    );
    const part = (ADDRESS_LIMIT: RateLimit) =>
      ask(path, newAddress(), "", { ADDRESS_LIMIT }, { Range: "bytes=1-5" });
    expect(await statusesOf([part(limitOf(0))])).toEqual({ 429: 1 });
    expect(await statusesOf([part(limitOf(1))])).toEqual({ 206: 1 });
  });

  test("answer if the counter fails", async () => {
    const PAGE_LIMIT = { limit: () => Promise.reject(new Error("unreachable")) };
    await bodyOf(await ask("/ready", newAddress(), "", { PAGE_LIMIT }), 200);
  });
});
