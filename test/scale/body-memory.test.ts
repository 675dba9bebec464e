import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { admin, api, apiWith, BASE, bodyOf } from "../support/api.ts";
import { HeldBody } from "../support/held-body.ts";
import { heldTimers } from "../support/held-timers.ts";
import { takeMemory } from "../support/memory.ts";
import { newTenant, type Tenant } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

const MB = 1_048_576;

let one: Tenant;
let other: Tenant;
let third: Tenant;

beforeAll(async () => {
  [one, other, third] = [await newTenant(), await newTenant(), await newTenant()];
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const draftOf = ({ contractId }: Tenant, title: string) =>
  JSON.stringify({ contract_uuid: contractId, title });

/** A draft of which nothing comes before it is let go on. */
class HeldDraft extends HeldBody {
  readonly answer: Promise<Response>;
  readonly #tenant: Tenant;

  /** @param declared its Content-Length; absent: it tells none */
  constructor(tenant: Tenant, declared?: number) {
    super();
    this.#tenant = tenant;
    const headers = {
      "content-type": "application/json",
      ...(declared !== undefined && { "content-length": String(declared) }),
    };
    const request = { key: tenant.key, method: "POST", body: this.stream, headers };
    this.answer = apiWith({}, "/collection-draft", request).then(({ response }) => response);
  }

  /** Sends a whole draft, byte by byte. */
  sendAll(): Promise<Response> {
    for (const letter of draftOf(this.#tenant, "Herons")) this.send(letter);
    this.end();
    return this.answer;
  }
}

/** No share has lapsed yet by this time. */
const BEGAN = Date.now();

/** Most of the largest bodies that one integration sends at once: as much is left free as the last one takes. */
const MOST = 63;

/** Takes all of a tenant's memory but for that of so many of the largest bodies. */
const leave = ({ integrationId }: Tenant, bodies: number) => {
  const shares = Array.from(
    { length: MOST - bodies },
    () => takeMemory(MB, integrationId) ?? expect.unreachable("taken already"),
  );
  return () => {
    for (const giveBack of shares) giveBack();
  };
};

/** Whether a tenant holds no memory. A share that wasn't given back counts, however old. */
const holdsNothing = ({ integrationId }: Tenant): boolean => {
  const giveBack = takeMemory(32 * MB, integrationId, BEGAN);
  giveBack?.();
  return giveBack !== null;
};

const areRead = (bodies: readonly HeldDraft[]) => bodies.map(({ isRead }) => isRead);
const several = (count: number, make: () => HeldDraft) => Array.from({ length: count }, make);
const create = (tenant: Tenant) =>
  api("/collection-draft", {
    key: tenant.key,
    json: { contract_uuid: tenant.contractId, title: "Herons" },
  });

describe("JSON bodies that one isolate receives at the same time", () => {
  test("take at most 63 MB per integration; more wait unread, then are rejected, without affecting other integrations", async () => {
    const giveBack = leave(one, 8);
    const held = several(8, () => new HeldDraft(one));
    await eventually(async () => expect(areRead(held)).toEqual(Array(8).fill(true)));
    const refused = new HeldDraft(one);
    await bodyOf(await create(other), 201);
    const answer = await refused.answer;
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await bodyOf(answer, 429)).toMatchObject({ code: "rate_limited", limit: "rate", retryable: true });
    expect(refused.isRead).toBe(false);

    // It hasn't waited for ten seconds before there is room, even on a slow machine.
    vi.setSystemTime(Date.now());
    const waiting = new HeldDraft(one);
    for (const body of held) await bodyOf(await body.sendAll(), 201);
    await bodyOf(await waiting.sendAll(), 201);
    await bodyOf(await create(one), 201);
    giveBack();
  });

  test("of integrations don't delay the operator's, nor those that declare at most 64 kB", async () => {
    // 63 and 32 of 96 MB, so that nobody has room for a whole one.
    const giveBack = [leave(one, 8), leave(other, 31 + 8)];
    const held = [one, other].flatMap((tenant) => several(8, () => new HeldDraft(tenant)));
    await eventually(async () => expect(areRead(held)).toEqual(Array(16).fill(true)));
    expect(takeMemory(MB, third.integrationId)).toBeNull();
    await bodyOf(await new HeldDraft(one, 65_536).sendAll(), 201);
    await bodyOf(await create(third), 201);
    const path = `/integration/${third.integrationId}`;
    const suspended = await admin(path, {
      method: "PUT",
      body: JSON.stringify({ suspended: true }) + " ".repeat(70_000),
      headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, "content-type": "application/json" },
    });
    expect(await bodyOf(suspended, 200)).toMatchObject({ state: "suspended" });
    for (const body of held) await bodyOf(await body.sendAll(), 201);
    for (const give of giveBack) give();
  });

  test("reserve their declared size, so that small ones don't wait for large ones", async () => {
    const giveBack = leave(one, 8);
    const held = several(8, () => new HeldDraft(one));
    await eventually(async () => expect(areRead(held)).toEqual(Array(8).fill(true)));
    await bodyOf(await new HeldDraft(one, 1_000).sendAll(), 201);
    for (const body of held) await bodyOf(await body.sendAll(), 201);
    giveBack();
  });

  test("release their memory if they break off, are too large or are rejected", async () => {
    for (let round = 0; round < 2; round++) {
      const held = several(8, () => new HeldDraft(other));
      await eventually(async () => expect(areRead(held)).toEqual(Array(8).fill(true)));
      const [broken, large, ...rest] = held;
      broken!.breakOff();
      expect(await bodyOf(await broken!.answer, 400)).toMatchObject({
        code: "invalid_json",
        message: expect.stringContaining("ended early"),
      });
      large!.send("x".repeat(MB + 1));
      expect(await bodyOf(await large!.answer, 413)).toMatchObject({ code: "payload_too_large" });
      for (const body of rest) await bodyOf(await body.sendAll(), 201);
    }
    expect(holdsNothing(other)).toBe(true);
  });

  test("release their memory if the client disconnects and the platform ends the request", async () => {
    const gone = new AbortController();
    const bodies = Array.from({ length: 8 }, () => new HeldBody());
    const answers = bodies.map((body) =>
      exports.default
        .fetch(`${BASE}/api/v1/collection-draft`, {
          method: "POST",
          body: body.stream,
          headers: { authorization: `Api-Key ${one.key}`, "content-type": "application/json" },
          signal: gone.signal,
        })
        .catch(() => null),
    );
    for (const body of bodies) body.send("{");
    // A request that has yet to read its body when it is aborted would read it in the next test.
    await eventually(async () => expect(bodies.every(({ isRead }) => isRead)).toBe(true));
    expect(holdsNothing(one)).toBe(false);
    gone.abort();
    await Promise.all(answers);
    for (const body of bodies) body.breakOff();
    await eventually(async () => expect(holdsNothing(one)).toBe(true));
  });

  test("are aborted after a minute without data", async () => {
    const stalls = heldTimers(60_000);
    const body = new HeldDraft(one);
    await eventually(() => expect(body.isRead).toBe(true));
    body.isRead = false;
    body.send("{");
    await eventually(() => expect(body.isRead).toBe(true));
    // Other work of the isolate may have timers of a minute too.
    for (const end of stalls) end();
    expect(await bodyOf(await body.answer, 400)).toMatchObject({
      code: "invalid_json",
      message: "Nothing of the body came for 60 seconds. Send the whole body again.",
    });
  });

  test("are aborted after two minutes, however steady", async () => {
    const ends = heldTimers(120_000);
    const body = new HeldDraft(one);
    body.send("{");
    await eventually(() => expect(body.isRead).toBe(true));
    body.send(" ");
    for (const end of ends) end();
    expect(await bodyOf(await body.answer, 400)).toMatchObject({
      code: "invalid_json",
      message: "The body took longer than 2 minutes. Send the whole body again, faster.",
    });
    expect(holdsNothing(one)).toBe(true);
  });
});

describe("bodies of requests without a key", () => {
  const claim = async (network: string, body: BodyInit) => {
    const headers = { "content-type": "application/json", "cf-connecting-ip": network };
    return (await apiWith({}, "/public/v1/claim", { method: "POST", body, headers })).response;
  };

  test("of a silent network don't block others, and are aborted after five seconds", async () => {
    const ends = heldTimers(5_000);
    const held = Array.from({ length: 16 }, () => new HeldBody());
    const answers = held.map((body) => claim("203.0.113.7", body.stream));
    await eventually(async () => expect(held.every(({ isRead }) => isRead)).toBe(true));
    // Not a claim, and read to its end.
    expect(await bodyOf(await claim("203.0.113.8", "{}"), 400)).toMatchObject({ code: "invalid_request" });
    for (const end of ends.splice(0)) end();
    for (const answer of answers) {
      expect(await bodyOf(await answer, 400)).toMatchObject({
        message: "The body took longer than 5 seconds. Send the whole body again, faster.",
      });
    }
    expect(await bodyOf(await claim("203.0.113.7", "{}"), 400)).toMatchObject({ code: "invalid_request" });
  });

  test("may have at most 4,096 bytes, declared or not", async () => {
    const long = JSON.stringify({ slug: "x".repeat(4_096) });
    expect(await bodyOf(await claim("203.0.113.9", long), 413)).toMatchObject({ code: "payload_too_large" });
    const body = new HeldBody();
    const answer = claim("203.0.113.9", body.stream);
    body.send(long);
    expect(await bodyOf(await answer, 413)).toMatchObject({ code: "payload_too_large" });
  });

  test("count against their address before they are read", async () => {
    let counted = 0;
    const body = new HeldBody();
    const PAGE_LIMIT = { limit: async () => ({ success: ++counted > 1_000 }) };
    const { response } = await apiWith({ PAGE_LIMIT }, "/public/v1/claim", {
      method: "POST",
      body: body.stream,
      headers: { "content-type": "application/json", "cf-connecting-ip": "203.0.113.10" },
    });
    expect(await bodyOf(response, 429)).toMatchObject({ code: "rate_limited" });
    expect([counted, body.isRead]).toEqual([1, false]);
  });
});

test.each([
  "application/json ;charset=utf-8",
  "Application/JSON; charset=UTF-8",
  'application/json; charset="utf-8"; x=y',
])("a body of the type %s is JSON", async (type) => {
  const headers = { "content-type": type };
  const request = { key: other.key, method: "POST", body: draftOf(other, "Herons"), headers };
  await bodyOf(await api("/collection-draft", request), 201);
});

test.each(["text/plain", "application/merge-patch+json", "application/jsonx", ""])(
  "a body of the type %j is refused",
  async (type) => {
    const headers = { "content-type": type };
    const request = { key: other.key, method: "POST", body: draftOf(other, "Herons"), headers };
    expect(await bodyOf(await api("/collection-draft", request), 415)).toMatchObject({
      code: "unsupported_content_type",
    });
  },
);
