import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { background, operationOver } from "../support/operations.ts";
import { picture } from "../support/pictures.ts";

let integration: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, { copies: [100] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(() => observeCheckpoints(null));

interface Draft {
  readonly collection_draft_uuid: string;
  readonly title: string;
}
const newKey = () => crypto.randomUUID();
const createDraftWith = (key: string, title = "Herons") =>
  api("/collection-draft", {
    key: integration.key,
    json: { contract_uuid: integration.contractUuid, title },
    headers: { "idempotency-key": key },
  });
const drafts = async () =>
  (await bodyOf<Draft[]>(await api("/collection-draft", { key: integration.key }), 200)).length;
const mintWith = (key: string, json: unknown = { receiver_addresses: [alice] }) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: integration.key,
    json,
    headers: { "idempotency-key": key },
  });

/** As if the key had been claimed so many milliseconds before. */
const age = (key: string, ms: number) =>
  env.DB.prepare(
    "UPDATE idempotency_keys SET created_at = created_at - ?, expires_at = expires_at - ? WHERE key = ?",
  )
    .bind(ms, ms, key)
    .run();

describe("the same request again", () => {
  test("is given the first answer, and nothing happens twice", async () => {
    const key = newKey();
    const first = await createDraftWith(key);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const created = await bodyOf<Draft>(first, 201);
    const before = await drafts();
    const second = await createDraftWith(key);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.headers.get("content-type")).toContain("application/json");
    expect(await bodyOf(second, 201)).toEqual(created);
    expect(await drafts()).toBe(before);
  });

  test("is given the first answer also where the first request vanished before it answered", async () => {
    const key = newKey();
    observeCheckpoints((name) => {
      if (name === "idempotency.before_keep") throw new Error("killed");
    });
    await createDraftWith(key);
    observeCheckpoints(null);
    const before = await drafts();
    await age(key, 6 * 60_000);
    const again = await createDraftWith(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await bodyOf(again, 201);
    expect(await drafts()).toBe(before);
  });

  test("of a mint is given the same tokens", async () => {
    const key = newKey();
    const first = await bodyOf(await mintWith(key), 201);
    const second = await mintWith(key);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(second, 201)).toEqual(first);
  });

  test("of a mint that failed on the chain is given the same failure", async () => {
    const key = newKey();
    const small = await createCollection(integration, { copies: [1] });
    const send = () =>
      api(`/collection/${small.collection_uuid}/mint`, {
        key: integration.key,
        json: { receiver_addresses: [alice], quantity_per_receiver: 2 },
        headers: { "idempotency-key": key },
      });
    const { request_id: _, ...first } = await bodyOf<Record<string, unknown>>(await send(), 409);
    const second = await send();
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const { request_id: __, ...replayed } = await bodyOf<Record<string, unknown>>(second, 409);
    expect(replayed).toEqual(first);
    expect(replayed.code).toBe("sold_out");
  });

  test("of a deletion is given its empty answer", async () => {
    const key = newKey();
    const { collection_draft_uuid: uuid } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const remove = () =>
      api(`/collection-draft/${uuid}`, {
        key: integration.key,
        method: "DELETE",
        headers: { "idempotency-key": key },
      });
    expect((await remove()).status).toBe(204);
    const second = await remove();
    expect(second.status).toBe(204);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await second.text()).toBe("");
  });

  test("with Prefer: respond-async is given the same 202", async () => {
    const key = newKey();
    const send = () =>
      api(`/collection/${collection.collection_uuid}/mint`, {
        key: integration.key,
        json: { receiver_addresses: [alice] },
        headers: { "idempotency-key": key, prefer: "respond-async" },
      });
    const first = await send();
    const body = await bodyOf<{ operation_uuid: string }>(first, 202);
    const second = await send();
    expect(second.headers.get("location")).toBe(`/api/v1/operation/${body.operation_uuid}`);
    expect(await bodyOf(second, 202)).toEqual(body);
    await operationOver(integration.key, body.operation_uuid);
  });
});

describe("a key that was used for another request", () => {
  test("is refused: another body, another address, another method", async () => {
    const key = newKey();
    const { collection_draft_uuid: uuid } = await bodyOf<Draft>(await createDraftWith(key), 201);
    expect(await bodyOf(await createDraftWith(key, "Other"), 422)).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await bodyOf(await mintWith(key), 422)).toMatchObject({ code: "idempotency_key_reused" });
    const put = await api(`/collection-draft/${uuid}`, {
      key: integration.key,
      method: "DELETE",
      headers: { "idempotency-key": key },
    });
    expect(await bodyOf(put, 422)).toMatchObject({ code: "idempotency_key_reused" });
  });

  test("by another integration is that one's own", async () => {
    const key = newKey();
    await bodyOf(await createDraftWith(key), 201);
    const other = await createIntegration("Other shop");
    const answer = await api("/collection-draft", {
      key: other.key,
      json: { contract_uuid: other.contractUuid, title: "Herons" },
      headers: { "idempotency-key": key },
    });
    expect(answer.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(answer, 201);
  });

  test("of no length or above 255 characters is refused by name", async () => {
    for (const key of ["x".repeat(256), ""]) {
      expect(await bodyOf(await createDraftWith(key), 400)).toMatchObject({
        code: "invalid_request",
        issues: [{ path: ["Idempotency-Key"] }],
      });
    }
    await bodyOf(await createDraftWith("x".repeat(255)), 201);
  });
});

describe("requests at the same moment", () => {
  test("are carried out once; the others wait or are given the answer", async () => {
    const key = newKey();
    const before = (await collectionNow()).minted;
    const answers = await Promise.all(Array.from({ length: 8 }, () => mintWith(key)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(1);
    for (const answer of answers) {
      if (answer.status !== 409) continue;
      expect(answer.headers.get("retry-after")).not.toBeNull();
      expect(await bodyOf(answer, 409)).toMatchObject({ code: "idempotency_key_in_flight" });
    }
    expect((await collectionNow()).minted).toBe(before + 1);
  });
});

const collectionNow = async () =>
  bodyOf<{ minted: number }>(
    await api(`/collection/${collection.collection_uuid}`, { key: integration.key }),
    200,
  );

describe("a key is free again", () => {
  test("after an answer that says nothing was done", async () => {
    const key = newKey();
    const invalid = await api("/collection-draft", {
      key: integration.key,
      json: { contract_uuid: integration.contractUuid, title: "x".repeat(257) },
      headers: { "idempotency-key": key },
    });
    await bodyOf(invalid, 400);
    await bodyOf(await createDraftWith(key), 201);
  });

  test("after a fault before anything was accepted", async () => {
    const key = newKey();
    observeCheckpoints((name) => {
      if (name === "operation.before_accept") throw new Error("killed");
    });
    await bodyOf(await mintWith(key), 500);
    observeCheckpoints(null);
    const again = await mintWith(key);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
  });

  test("five minutes after a request that vanished with nothing behind it", async () => {
    const key = newKey();
    observeCheckpoints((name) => {
      if (name === "idempotency.claimed") throw new Error("killed");
    });
    await bodyOf(await createDraftWith(key), 500);
    observeCheckpoints(null);
    const early = await createDraftWith(key);
    expect(await bodyOf(early, 409)).toMatchObject({ code: "idempotency_key_in_flight" });
    await age(key, 5 * 60_000);
    await bodyOf(await createDraftWith(key), 201);
  });

  test("but never while an operation is behind it", async () => {
    const key = newKey();
    observeCheckpoints((name) => {
      if (name === "operation.accepted") throw new Error("killed");
    });
    await bodyOf(await mintWith(key), 500);
    observeCheckpoints(null);
    const before = (await collectionNow()).minted;
    await age(key, 48 * 3_600_000);
    const early = await bodyOf<{ operation_uuid: string }>(await mintWith(key), 409);
    await background.resume(early.operation_uuid);
    expect((await collectionNow()).minted).toBe(before + 1);
  });

  test("a day later, and the schedule forgets it", async () => {
    const key = newKey();
    const first = await bodyOf<Draft>(await createDraftWith(key), 201);
    await age(key, 24 * 3_600_000);
    expect((await createDraftWith(key)).headers.get("idempotency-replayed")).toBe("true");
    await age(key, 2 * 3_600_000);
    await background.reconcile();
    const rows = await env.DB.prepare("SELECT 1 FROM idempotency_keys WHERE key = ?").bind(key).all();
    expect(rows.results).toHaveLength(0);
    const second = await bodyOf<Draft>(await createDraftWith(key), 201);
    expect(second.collection_draft_uuid).not.toBe(first.collection_draft_uuid);
  });
});

describe("a form", () => {
  const form = (names: readonly string[], seed = 7) => {
    const data = new FormData();
    for (const name of names) data.append("asset_file", new File([picture("png", seed)], name));
    const details = [...names].sort().map((name) => ({ asset_filename: name, copies: 1 }));
    data.append("assets_detail", JSON.stringify(details));
    return data;
  };
  const upload = (draft: string, key: string, body: FormData) =>
    api(`/collection-draft/${draft}/asset-bulk`, {
      key: integration.key,
      form: body,
      headers: { "idempotency-key": key },
    });
  const assets = async (draft: string) =>
    (await bodyOf<unknown[]>(await api(`/collection-draft/${draft}/asset`, { key: integration.key }), 200))
      .length;

  test("is the same with another boundary and another order of its files", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    const first = await bodyOf(await upload(draft, key, form(["a.png", "b.png"])), 201);
    const second = await upload(draft, key, form(["b.png", "a.png"]));
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(second, 201)).toEqual(first);
    expect(await assets(draft)).toBe(2);
  });

  test("with other bytes is another request, and nothing of it is stored", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    await bodyOf(await upload(draft, key, form(["a.png"])), 201);
    const other = await upload(draft, key, form(["a.png"], 8));
    expect(await bodyOf(other, 422)).toMatchObject({ code: "idempotency_key_reused" });
    expect(await assets(draft)).toBe(1);
  });

  test("whose answer is long has it kept in R2, and replayed from there", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    const names = Array.from({ length: 300 }, (_, index) => `${index}.png`);
    const first = await bodyOf<unknown[]>(await upload(draft, key, form(names)), 201);
    expect(first).toHaveLength(300);
    const { body } = (await env.DB.prepare("SELECT body FROM idempotency_keys WHERE key = ?")
      .bind(key)
      .first<{ body: string }>())!;
    expect(body).toMatch(/^r2:answer\//);
    expect(await env.BUCKET.head(body.slice(3))).not.toBeNull();
    expect(await bodyOf(await upload(draft, key, form(names)), 201)).toEqual(first);
    await age(key, 26 * 3_600_000);
    await background.reconcile();
    expect(await env.BUCKET.head(body.slice(3))).toBeNull();
  });
});

test("a finalization that is joined under another key answers both keys alike", async () => {
  const draft = await createDraft(integration);
  const send = (key: string) =>
    api(`/collection-draft/${draft}/finalize`, {
      key: integration.key,
      method: "POST",
      headers: { "idempotency-key": key },
    });
  const keys = [newKey(), newKey()];
  const answers = await Promise.all(keys.map(send));
  const bodies = await Promise.all(answers.map((answer) => bodyOf(answer, 201)));
  expect(bodies[1]).toEqual(bodies[0]);
  for (const key of keys) {
    const again = await send(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(bodies[0]);
  }
});
