import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import { admin, api, bodyOf } from "../support/api.ts";
import { revokeElsewhere } from "../support/other-isolate.ts";
import { eventually, later } from "../support/waiting.ts";

interface Key {
  key_uuid: string;
  api_key: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

let integration: string;

beforeAll(async () => {
  const created = await bodyOf<{ integration_uuid: string }>(
    await admin("/integration", { json: { name: "Keys" } }),
    201,
  );
  integration = created.integration_uuid;
});

const issue = async (request: object = {}): Promise<Key> =>
  bodyOf(await admin(`/integration/${integration}/key`, { json: { name: "k", ...request } }), 201);

const list = async (): Promise<Key[]> => bodyOf(await admin(`/integration/${integration}/key`), 200);

/** Tries to read with this Authorization header. */
const attempt = (authorization?: string) =>
  api("/collection-draft", { headers: authorization === undefined ? {} : { authorization } });

test.each([
  [undefined, "api_key_missing"],
  ["", "api_key_missing"],
  ["Api-Key", "api_key_invalid"],
  ["Api-Key short", "api_key_invalid"],
  [`Basic mk_live_${"a".repeat(43)}`, "api_key_invalid"],
  [`Bearer mk_live_${"a".repeat(43)}`, "api_key_invalid"],
  [`Api-Key mk_live_${"a".repeat(43)}`, "api_key_invalid"],
  [`Api-Key mk_live_${"a".repeat(44)}`, "api_key_invalid"],
])("a request with Authorization %j is answered with %s", async (header, code) => {
  const response = await attempt(header);
  expect(response.headers.get("www-authenticate")).toBe("Api-Key, Bearer");
  expect(await bodyOf(response, 401)).toMatchObject({ code });
});

test("a new key works at once, with either scheme in any case", async () => {
  const { api_key } = await issue();
  for (const scheme of ["Api-Key", "api-key", "API-KEY", "Bearer", "bearer"]) {
    expect(await bodyOf(await attempt(`${scheme} ${api_key}`), 200)).toEqual([]);
  }
});

test("a key that was pasted with its scheme into a field that adds one works too", async () => {
  const { api_key } = await issue();
  for (const pasted of ["Api-Key", "Bearer"]) {
    expect(await bodyOf(await attempt(`Bearer ${pasted} ${api_key}`), 200)).toEqual([]);
  }
  expect(await bodyOf(await attempt(`Bearer Basic ${api_key}`), 401)).toMatchObject({
    code: "api_key_invalid",
  });
});

test("a revoked key is refused with that reason", async () => {
  const { api_key, key_uuid } = await issue();
  await bodyOf(await attempt(`Api-Key ${api_key}`), 200);
  const path = `/integration/${integration}/key/${key_uuid}`;
  const revoked = await bodyOf<Key>(await admin(path, { method: "DELETE" }), 200);
  expect(revoked.revoked_at).not.toBeNull();
  expect(await bodyOf(await attempt(`Api-Key ${api_key}`), 401)).toMatchObject({ code: "api_key_revoked" });
  expect(await bodyOf(await admin(path, { method: "DELETE" }), 200)).toEqual(revoked);
});

test("a key can only be revoked by its own integration", async () => {
  const { api_key, key_uuid } = await issue();
  const other = await bodyOf<{ integration_uuid: string }>(
    await admin("/integration", { json: { name: "Other" } }),
    201,
  );
  const path = `/integration/${other.integration_uuid}/key/${key_uuid}`;
  expect(await bodyOf(await admin(path, { method: "DELETE" }), 404)).toMatchObject({ code: "not_found" });
  await bodyOf(await attempt(`Api-Key ${api_key}`), 200);
});

test.each(["read", "write"])(
  "a revocation by another isolate takes effect within seconds, by a %s",
  async (kind) => {
    const { api_key, key_uuid } = await issue();
    const authorization = `Api-Key ${api_key}`;
    await bodyOf(await attempt(authorization), 200);
    await revokeElsewhere(key_uuid);
    vi.setSystemTime(Date.now() + 5_001);
    try {
      const refused =
        kind === "read"
          ? await attempt(authorization)
          : await api("/collection-draft", { json: {}, headers: { authorization } });
      expect(await bodyOf(refused, 401)).toMatchObject({ code: "api_key_revoked" });
    } finally {
      vi.useRealTimers();
    }
  },
);

test("a key stops working when it expires", async () => {
  const soon = new Date(Date.now() + 60_000).toISOString();
  const { api_key } = await issue({ expires_at: soon });
  await bodyOf(await attempt(`Api-Key ${api_key}`), 200);
  vi.setSystemTime(Date.now() + 60_001);
  try {
    expect(await bodyOf(await attempt(`Api-Key ${api_key}`), 401)).toMatchObject({ code: "api_key_expired" });
  } finally {
    vi.useRealTimers();
  }
});

test("a read key may read and check an account, and may not write", async () => {
  const { api_key } = await issue({ role: "read" });
  await bodyOf(await attempt(`Api-Key ${api_key}`), 200);
  const uuid = crypto.randomUUID();
  const writes: [string, string][] = [
    ["POST", "/collection-draft"],
    ["PUT", `/collection-draft/${uuid}`],
    ["DELETE", `/collection-draft/${uuid}`],
    ["POST", `/collection-draft/${uuid}/asset-bulk`],
    ["DELETE", `/collection-draft/${uuid}/asset/${uuid}`],
    ["POST", `/collection-draft/${uuid}/finalize`],
    ["PUT", `/collection/${uuid}`],
    ["PUT", `/collection/${uuid}/allowlist-add`],
    ["PUT", `/collection/${uuid}/allowlist-remove`],
    ["PUT", `/collection/${uuid}/allowlist-clear`],
    ["POST", `/collection/${uuid}/mint`],
    ["PUT", `/collection/${uuid}/nft-update`],
    // Some other request whose address ends as that of the check does.
    ["PUT", "/webhook/allowlist-checkaccount"],
  ];
  for (const [method, path] of writes) {
    const response = await api(path, { method, key: api_key, json: {} });
    expect(await bodyOf(response, 403), path).toMatchObject({ code: "scope_missing" });
  }
  const check = { method: "PUT", key: api_key, json: { account: "alice.near" } };
  const answer = await api(`/collection/${uuid}/allowlist-checkaccount`, check);
  expect(await bodyOf(answer, 404)).toMatchObject({ code: "not_found" });
});

test("the last use of a key is stored at most once a minute", async () => {
  const { api_key, key_uuid } = await issue();
  const lastUse = async () => (await list()).find((key) => key.key_uuid === key_uuid)?.last_used_at ?? null;
  expect(await lastUse()).toBeNull();
  await bodyOf(await attempt(`Api-Key ${api_key}`), 200);
  await eventually(async () => expect(await lastUse()).not.toBeNull());
  const first = await lastUse();
  // The isolate has forgotten the key by then, and reads it again.
  await later(5_001, async () => bodyOf(await attempt(`Api-Key ${api_key}`), 200));
  expect(await lastUse()).toBe(first);
});

test("keys are shown once and stored only as digests", async () => {
  const { api_key } = await issue({ name: "shown once" });
  // Inside: no request shows that a key is kept as a digest only.
  const rows = await env.DB.prepare("SELECT * FROM api_keys").all();
  expect(JSON.stringify(rows.results)).not.toContain(api_key);
  expect(JSON.stringify(await list())).not.toContain(api_key);
});
