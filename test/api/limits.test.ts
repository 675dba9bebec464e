import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { type ApiRequest, admin, api, bodyOf, statusesOf } from "../support/api.ts";
import { background } from "../support/operations.ts";
import { formOf, newTenant, setDraftState, type Tenant, type TestFile } from "../support/uploads.ts";

/** What applies where the operator has set nothing. */
const DEFAULT_LIMITS = {
  requests: 1_000,
  drafts: 1_000,
  stored_bytes: 53_687_091_200,
  database_bytes: 1_073_741_824,
  keys: 100,
  operations_waiting: 2_000,
  audit_entries: 100_000,
};

interface LimitsBody extends Record<keyof typeof DEFAULT_LIMITS, number> {
  readonly period_s: number;
  readonly spending_per_day: string | null;
  readonly used: Record<string, number>;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly quota: { readonly limit: string; readonly used: number; readonly max: number };
}

let tenant: Tenant;

beforeEach(async () => {
  tenant = await newTenant();
});

afterEach(() => {
  vi.useRealTimers();
});

const path = () => `/integration/${tenant.integrationId}/limits`;
const limits = async (): Promise<LimitsBody> => bodyOf(await admin(path()), 200);
const setLimits = async (json: object): Promise<LimitsBody> =>
  bodyOf(await admin(path(), { method: "PUT", json }), 200);
const used = async (name: string): Promise<number> => (await limits()).used[name] ?? Number.NaN;

const ask = (address: string, request: ApiRequest = {}) => api(address, { key: tenant.key, ...request });
const create = (title = "Herons", headers: Record<string, string> = {}) =>
  ask("/collection-draft", { json: { contract_uuid: tenant.contractId, title }, headers });
const refusal = async (answer: Response | Promise<Response>): Promise<Refusal> => bodyOf(await answer, 403);

const twenty = (send: (index: number) => Promise<Response>) =>
  statusesOf(Array.from({ length: 20 }, (_, index) => send(index)));

let names = 0;
/** A form with pictures of the given size. */
function pictures(count: number, size: number, prefix = `p${++names}`): FormData {
  const files: TestFile[] = Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${index}.png`,
    bytes: picture("png", 1_000 * ++names, size),
  }));
  return formOf(
    files.map(({ name }) => ({ asset_filename: name, copies: 1 })),
    files,
  );
}

const attach = (form: FormData, draft: string = tenant.draftId, headers: Record<string, string> = {}) =>
  ask(`/collection-draft/${draft}/asset-bulk`, { form, headers });

describe("the operator's endpoint", () => {
  test("shows the defaults and the amounts used", async () => {
    const { used: spent, period_s, spending_per_day: spending, ...all } = await limits();
    expect(spending).toBeNull();
    expect(all).toEqual(DEFAULT_LIMITS);
    expect(period_s).toBe(10);
    expect(spent).toEqual({
      drafts: 1,
      keys: 1,
      stored_bytes: 0,
      database_bytes: expect.any(Number),
      operations_waiting: 0,
      audit_entries: expect.any(Number),
      spending_per_day: "0",
    });
  });

  test("sets limits: absent limits stay, and null restores the default", async () => {
    expect(await setLimits({ drafts: 7, keys: 3 })).toMatchObject({ drafts: 7, keys: 3, requests: 1_000 });
    expect(await setLimits({ requests: 20, drafts: null })).toMatchObject({
      drafts: 1_000,
      keys: 3,
      requests: 20,
    });
    expect(await limits()).toMatchObject({ drafts: 1_000, keys: 3, requests: 20 });
    const other = await newTenant();
    expect(await bodyOf(await admin(`/integration/${other.integrationId}/limits`), 200)).toMatchObject(
      DEFAULT_LIMITS,
    );
  });

  test.each([
    [{ drafts: -1 }, "drafts"],
    [{ drafts: 1.5 }, "drafts"],
    [{ requests: 0 }, "requests"],
    [{ keys: "3" }, "keys"],
    [{ stored_bytes: 2 ** 53 }, "stored_bytes"],
    [{ spending_per_day: 5 }, "spending_per_day"],
    [{ spending_per_day: "1.5" }, "spending_per_day"],
    [{ spending_per_day: "-1" }, "spending_per_day"],
    [{ spending_per_day: "9".repeat(40) }, "spending_per_day"],
    [{ draft: 3 }, "draft"],
    [{ __proto__: null, period_s: 3 }, "period_s"],
  ])("refuses %j", async (json, field) => {
    const answer = await admin(path(), { method: "PUT", json });
    const { issues } = await bodyOf<{ issues: { path: string[]; message: string }[] }>(answer, 400);
    expect(issues.map((issue) => [...issue.path, issue.message].join(" ")).join()).toContain(field);
  });

  test("accepts the operator's token only, and refuses unknown integrations", async () => {
    await bodyOf(await api(`/admin/v1${path()}`), 401);
    await bodyOf(await ask(`/admin/v1${path()}`, { method: "PUT", json: { drafts: 1 } }), 401);
    const unknown = `/integration/${crypto.randomUUID()}/limits`;
    await bodyOf(await admin(unknown), 404);
    await bodyOf(await admin(unknown, { method: "PUT", json: { drafts: 1 } }), 404);
  });
});

describe("drafts", () => {
  test("are refused above the limit, with the amount used and whom to ask, until one is deleted", async () => {
    await setLimits({ drafts: 2 });
    const { collection_draft_uuid: uuid } = await bodyOf<{ collection_draft_uuid: string }>(
      await create(),
      201,
    );
    const error = await refusal(create());
    expect(error).toMatchObject({ code: "quota_exceeded", quota: { limit: "drafts", used: 2, max: 2 } });
    expect(error.message).toMatch(/2 drafts.*limit is 2.*operator/);
    expect((await ask(`/collection-draft/${uuid}`, { method: "DELETE" })).status).toBe(204);
    await bodyOf(await create(), 201);
    expect(await used("drafts")).toBe(2);
  });

  test.each([
    ["without a key", () => ({})],
    ["each with a key", () => ({ "idempotency-key": crypto.randomUUID() })],
  ])("never exceed the limit, however many are created at once, %s", async (_, headers) => {
    await setLimits({ drafts: 4 });
    await bodyOf(await create(), 201);
    await bodyOf(await create(), 201);
    expect(await twenty((index) => create(`Herons ${index}`, headers()))).toEqual({ 201: 1, 403: 19 });
    expect(await used("drafts")).toBe(4);
  });

  test("that are finalized don't count", async () => {
    await setLimits({ drafts: 1 });
    await refusal(create());
    await setDraftState(tenant.draftId, "finalized");
    await bodyOf(await create(), 201);
    await refusal(create());
  });

  test("that were refused may be sent again under their Idempotency-Key", async () => {
    await setLimits({ drafts: 1 });
    const headers = { "idempotency-key": "later" };
    await refusal(create("Later", headers));
    await setLimits({ drafts: 2 });
    const first = await bodyOf<{ collection_draft_uuid: string }>(await create("Later", headers), 201);
    const again = await create("Later", headers);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(first);
  });
});

describe("stored bytes", () => {
  const SIZE = 10_000;

  test("are refused above the limit, and nothing is stored until there is room", async () => {
    await setLimits({ stored_bytes: 3 * SIZE });
    const [first] = await bodyOf<{ asset_uuid: string }[]>(await attach(pictures(2, SIZE)), 201);
    expect(await used("stored_bytes")).toBe(2 * SIZE);
    const error = await refusal(attach(pictures(2, SIZE)));
    expect(error).toMatchObject({
      code: "quota_exceeded",
      quota: { limit: "stored_bytes", used: 2 * SIZE, max: 3 * SIZE },
    });
    expect(await bodyOf<object[]>(await ask(`/collection-draft/${tenant.draftId}/asset`), 200)).toHaveLength(
      2,
    );
    expect(await used("stored_bytes")).toBe(2 * SIZE);
    const asset = `/collection-draft/${tenant.draftId}/asset/${first?.asset_uuid}`;
    expect((await ask(asset, { method: "DELETE" })).status).toBe(204);
    await bodyOf(await attach(pictures(2, SIZE)), 201);
    expect((await ask(`/collection-draft/${tenant.draftId}`, { method: "DELETE" })).status).toBe(204);
    expect(await used("stored_bytes")).toBe(0);
  });

  test("never exceed the limit, however many forms are sent at once", async () => {
    await setLimits({ stored_bytes: 5 * SIZE });
    const headers = () => ({ "idempotency-key": crypto.randomUUID() });
    const forms = Array.from({ length: 10 }, () => attach(pictures(1, SIZE), tenant.draftId, headers()));
    expect(await statusesOf(forms)).toEqual({ 201: 5, 403: 5 });
    expect(await used("stored_bytes")).toBe(5 * SIZE);
  });
});

describe("bytes in the database", () => {
  const accounts = (count: number) =>
    Array.from({ length: count }, (_, index) => `${"a".repeat(50)}${String(index).padStart(4, "0")}.near`);
  const LARGE = { transfers_denied_accounts: accounts(1_000) };
  const change = (json: object, headers: Record<string, string> = {}) =>
    ask(`/collection-draft/${tenant.draftId}`, { method: "PUT", json, headers });

  test("are refused to drafts above the limit, and a draft may always become smaller", async () => {
    await setLimits({ database_bytes: 100_000 });
    await bodyOf(await change(LARGE), 200);
    const error = await refusal(change({ approvals_denied_accounts: accounts(1_000) }));
    expect(error.quota).toMatchObject({ limit: "database_bytes", max: 100_000 });
    expect(error.message).toMatch(/take [\d,]+ bytes; its limit is 100,000\..*operator/);
    const more = { json: { contract_uuid: tenant.contractId, title: "More", ...LARGE } };
    expect((await refusal(ask("/collection-draft", more))).quota.limit).toBe("database_bytes");
    await setLimits({ database_bytes: 1_000 });
    await refusal(change({ title: "Longer than before" }));
    await bodyOf(await change({ transfers_denied_accounts: null }), 200);
    await setLimits({ database_bytes: null });
    await bodyOf(await change(LARGE), 200);
  });

  test("are refused to assets above the limit", async () => {
    await setLimits({ database_bytes: (await used("database_bytes")) + 3_000 });
    await bodyOf(await attach(pictures(2, 500)), 201);
    expect((await refusal(attach(pictures(5, 500)))).quota.limit).toBe("database_bytes");
    expect(await bodyOf<object[]>(await ask(`/collection-draft/${tenant.draftId}/asset`), 200)).toHaveLength(
      2,
    );
  });

  test("include stored answers", async () => {
    const limit = (await used("database_bytes")) + 150_000;
    await setLimits({ database_bytes: limit });
    await bodyOf(await change(LARGE), 200);
    let refused: Response | null = null;
    for (let sent = 0; refused === null && sent < 20; sent++) {
      const answer = await change({ title: `Herons ${sent}` }, { "idempotency-key": crypto.randomUUID() });
      if (answer.status === 403) refused = answer;
      else await answer.body?.cancel();
    }
    expect((await bodyOf<Refusal>(refused as Response, 403)).quota.limit).toBe("database_bytes");
    expect(await used("database_bytes")).toBeLessThan(limit + 80_000);
  });

  test("don't block requests that free them or repeat others, and are freed when answers expire", async () => {
    const headers = { "idempotency-key": "kept" };
    const first = await bodyOf<{ collection_draft_uuid: string }>(await create("Kept", headers), 201);
    const before = await used("database_bytes");
    await setLimits({ database_bytes: 1 });
    const again = await create("Kept", headers);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(first);
    await refusal(create("Other", { "idempotency-key": "other" }));
    const remove = { method: "DELETE", headers: { "idempotency-key": "delete" } };
    expect((await ask(`/collection-draft/${first.collection_draft_uuid}`, remove)).status).toBe(204);
    const left = await used("database_bytes");
    expect(left).toBeLessThan(before);
    await background.reconcile(25 * 3_600_000);
    expect(await used("database_bytes")).toBeLessThan(left);
  });

  test("don't block rotations and changes of webhooks, whose Idempotency-Keys aren't stored then", async () => {
    const url = "https://hooks.example.com/a";
    const hook = await bodyOf<{ webhook_uuid: string }>(await ask("/webhook", { json: { url } }), 201);
    const json = { name: "second", scopes: ["mint"] };
    const key = await bodyOf<{ key_uuid: string }>(await ask("/key", { json }), 201);
    await setLimits({ database_bytes: 0 });
    const before = await used("database_bytes");
    const headers = () => ({ "idempotency-key": crypto.randomUUID() });
    for (const path of [`/key/${key.key_uuid}/rotate`, `/webhook/${hook.webhook_uuid}/rotate`])
      await bodyOf(await ask(path, { method: "POST", headers: headers() }), 200);
    const change = { method: "PUT", json: { enabled: false }, headers: headers() };
    expect(await bodyOf(await ask(`/webhook/${hook.webhook_uuid}`, change), 200)).toMatchObject({
      enabled: false,
    });
    expect(await used("database_bytes")).toBe(before);
  });
});

describe("keys", () => {
  const issue = (json: object = {}) =>
    admin(`/integration/${tenant.integrationId}/key`, { json: { name: "k", ...json } });

  test("are refused above the limit, however many are issued at once", async () => {
    await setLimits({ keys: 3 });
    expect(await twenty(() => issue())).toEqual({ 201: 2, 403: 18 });
    expect(await refusal(issue())).toMatchObject({
      code: "quota_exceeded",
      quota: { limit: "keys", used: 3, max: 3 },
    });
  });

  test("that are revoked or expired don't count", async () => {
    await setLimits({ keys: 3 });
    const soon = new Date(Date.now() + 60_000).toISOString();
    const { key_uuid } = await bodyOf<{ key_uuid: string }>(await issue(), 201);
    await bodyOf(await issue({ expires_at: soon }), 201);
    await refusal(issue());
    await bodyOf(
      await admin(`/integration/${tenant.integrationId}/key/${key_uuid}`, { method: "DELETE" }),
      200,
    );
    await bodyOf(await issue(), 201);
    await refusal(issue());
    vi.setSystemTime(Date.now() + 60_001);
    await bodyOf(await issue(), 201);
    await refusal(issue());
  });
});

describe("requests", () => {
  test("of a key are as many as the operator has set, separately for each key", async () => {
    vi.setSystemTime(Date.now());
    await setLimits({ requests: 5 });
    const reads = Array.from({ length: 8 }, () => ask("/collection-draft"));
    expect(await statusesOf(reads)).toEqual({ 200: 5, 429: 3 });
    const refused = await ask("/collection-draft");
    expect(refused.headers.get("ratelimit-policy")).toBe('"key";q=5;w=10');
    await bodyOf(refused, 429);
    const other = await bodyOf<{ api_key: string }>(
      await admin(`/integration/${tenant.integrationId}/key`, { json: { name: "other" } }),
      201,
    );
    expect((await bodyOf<object[]>(await api("/collection-draft", { key: other.api_key }), 200)).length).toBe(
      1,
    );
  });

  test("have a changed limit within five seconds, for keys in use too", async () => {
    vi.setSystemTime(Date.now());
    await bodyOf(await ask("/collection-draft"), 200);
    await setLimits({ requests: 3 });
    vi.setSystemTime(Date.now() + 5_001);
    expect(await statusesOf(Array.from({ length: 5 }, () => ask("/collection-draft")))).toEqual({
      200: 2,
      429: 3,
    });
  });
});

describe("lists of large drafts", () => {
  const COUNT = 40;
  /** A list of accounts that makes a draft's settings about 130 kB. */
  const LARGE = Array.from(
    { length: 1_000 },
    (_, index) => `${"a".repeat(54)}${String(index).padStart(5, "0")}.near`,
  );

  /** Drafts of 130 kB each. @returns the size of one's settings */
  const fill = async () => {
    const settings = {
      title: "Large",
      transfers_denied_accounts: LARGE,
      approvals_denied_accounts: LARGE,
    };
    const json = { contract_uuid: tenant.contractId, ...settings };
    const made = Array.from({ length: COUNT }, () => ask("/collection-draft", { json }));
    for (const answer of await Promise.all(made)) await bodyOf(answer, 201);
    return JSON.stringify(settings).length;
  };

  interface Entry {
    readonly collection_draft_uuid: string;
  }

  test("read and send a bounded number of bytes at a time, and lead to all drafts", async () => {
    const size = await fill();
    const seen: string[] = [];
    let address: string | null = "/collection-draft?limit=1000";
    while (address !== null) {
      const answer: Response = await ask(address);
      const link: string | null = answer.headers.get("link");
      const text = await answer.text();
      expect(text.length).toBeLessThan(1_048_576 + 2 * size);
      const entries = JSON.parse(text) as Entry[];
      expect(entries.length).toBeGreaterThan(0);
      seen.push(...entries.map(({ collection_draft_uuid }) => collection_draft_uuid));
      address = link === null ? null : (/<[^>]*\/api\/v1([^>]*)>/.exec(link)?.[1] ?? null);
    }
    expect(new Set(seen).size).toBe(COUNT + 1);
    expect(seen).toEqual(seen.toSorted().toReversed());
    const whole = await ask("/collection-draft");
    expect(
      (await bodyOf<Entry[]>(whole, 200)).map(({ collection_draft_uuid }) => collection_draft_uuid),
    ).toEqual(seen);
  });

  test("stream the whole list in pieces of that size", async () => {
    const size = await fill();
    const { body } = await ask("/collection-draft");
    let pieces = 0;
    let largest = 0;
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
      pieces += 1;
      largest = Math.max(largest, piece.length);
    }
    expect(largest).toBeLessThan(1_048_576 + 2 * size);
    expect(pieces).toBeGreaterThan(3);
  });
});
