import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
// Inside: no request runs the clean-up of keys while another one uses a key.
import { openDatabase } from "../../src/db/client.ts";
import { forgetExpiredKeys } from "../../src/operator/jobs/clean-up.ts";
import { picture } from "../../testing/pictures.ts";
import {
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft, createHalfSold, type Finalized } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { beforeWrites, inLedgers } from "../support/ledgers.ts";
import {
  background,
  killAt,
  killedAt,
  observeCheckpoints,
  operationOver,
  readOperation,
  serviceContext,
  untilJoined,
} from "../support/operations.ts";

let integration: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, { copies: [100] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(async () => {
  observeCheckpoints(null);
  await setFaults();
});

interface Draft {
  readonly collection_draft_uuid: string;
  readonly title: string;
}
const newKey = () => crypto.randomUUID();
const draftRequest = (key: string, title = "Herons") => ({
  key: integration.key,
  json: { contract_uuid: integration.contractUuid, title },
  headers: { "idempotency-key": key },
});
const createDraftWith = (key: string, title?: string) => api("/collection-draft", draftRequest(key, title));
const drafts = async () =>
  (await bodyOf<Draft[]>(await api("/collection-draft", { key: integration.key }), 200)).length;
const mintRequest = (key: string, headers: Readonly<Record<string, string>> = {}) => ({
  key: integration.key,
  json: { receiver_addresses: [alice] },
  headers: { "idempotency-key": key, ...headers },
});
const mintPath = () => `/collection/${collection.collection_uuid}/mint`;
const mintWith = (key: string, headers?: Readonly<Record<string, string>>) =>
  api(mintPath(), mintRequest(key, headers));

/** As if the key had been used so many milliseconds before. */
const age = async (key: string, ms: number) => {
  // Inside: keys that are a day old, and rows that no answer shows.
  const older =
    "UPDATE idempotency_keys SET created_at = created_at - ?, expires_at = expires_at - ? WHERE key = ?";
  // Inside: nothing else makes a key older.
  await env.DB.prepare(older).bind(ms, ms, key).run();
  await inLedgers(older, ms, ms, key);
};

describe("a request that is repeated under its Idempotency-Key", () => {
  test("gets the first answer, and has no second effect", async () => {
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

  test("gets the first answer even if the first request ended before it answered", async () => {
    const key = newKey();
    await killedAt("idempotency.before_answer", () => createDraftWith(key));
    const before = await drafts();
    const again = await createDraftWith(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await bodyOf(again, 201);
    expect(await drafts()).toBe(before);
  });

  test("to mint gets the same tokens", async () => {
    const key = newKey();
    const first = await bodyOf(await mintWith(key), 201);
    const second = await mintWith(key);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(second, 201)).toEqual(first);
  });

  test("to mint gets the same failure of the chain", async () => {
    const key = newKey();
    const small = await createHalfSold(integration);
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

  test("to delete gets its empty answer", async () => {
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

  test("to delete gets the empty answer of the first if that is carried out meanwhile", async () => {
    const { collection_draft_uuid: uuid } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const path = `/collection-draft/${uuid}`;
    const request = { key: integration.key, method: "DELETE", headers: { "idempotency-key": newKey() } };
    let first: Response | undefined;
    const DB = failingD1(async (sql) => {
      if (/delete from "drafts"/i.test(sql)) first ??= await api(path, request);
      return null;
    });
    const { response } = await apiWith({ DB }, path, request);
    expect([first?.status, response.status]).toEqual([204, 204]);
    expect(response.headers.get("idempotency-replayed")).toBe("true");
  });

  test("to write gets 202 while it is pending if it asks for that, and otherwise waits for the end", async () => {
    const key = newKey();
    await setFaults({ kind: "unknown_transaction" });
    const first = await mintWith(key, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(first, 202);
    const second = await mintWith(key, { prefer: "respond-async" });
    expect(second.headers.get("location")).toBe(`/api/v1/operation/${uuid}`);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(second, 202)).toMatchObject({ operation_uuid: uuid, state: "pending" });
    const waiting = mintWith(key);
    await setFaults();
    const third = await waiting;
    expect(third.headers.get("x-operation-uuid")).toBe(uuid);
    expect(third.headers.get("idempotency-replayed")).toBe("true");
    const minted = await bodyOf<{ tokens: unknown[] }>(third, 201);
    expect(minted.tokens).toHaveLength(1);
    expect((await readOperation(integration.key, uuid)).answer).toEqual({ status: 201, body: minted });
  });

  test("after an answer of 202 gets the operation's final answer, never the 202", async () => {
    for (const [quantity, status] of [
      [1, 201],
      [2, 409],
    ] as const) {
      const small = await createHalfSold(integration);
      const key = newKey();
      const send = (prefer: Record<string, string> = {}) =>
        api(`/collection/${small.collection_uuid}/mint`, {
          key: integration.key,
          json: { receiver_addresses: [alice], quantity_per_receiver: quantity },
          headers: { "idempotency-key": key, ...prefer },
        });
      const first = await send({ prefer: "respond-async" });
      const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(first, 202);
      const { answer } = await operationOver<object>(integration.key, uuid);
      expect(answer?.status).toBe(status);
      for (const prefer of [undefined, { prefer: "respond-async" }]) {
        const again = await send(prefer);
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        expect(await bodyOf<object>(again, status)).toMatchObject(
          status === 201 ? answer!.body : { code: "sold_out", operation_uuid: uuid },
        );
      }
    }
  });
});

describe("an Idempotency-Key that was used for another request", () => {
  test("is refused with another body, query, address or method", async () => {
    const key = newKey();
    const { collection_draft_uuid: uuid } = await bodyOf<Draft>(await createDraftWith(key), 201);
    expect(await bodyOf(await createDraftWith(key, "Other"), 422)).toMatchObject({
      code: "idempotency_key_reused",
    });
    const query = await api("/collection-draft?x=1", draftRequest(key));
    expect(await bodyOf(query, 422)).toMatchObject({ code: "idempotency_key_reused" });
    expect(await bodyOf(await mintWith(key), 422)).toMatchObject({ code: "idempotency_key_reused" });
    const put = await api(`/collection-draft/${uuid}`, {
      key: integration.key,
      method: "DELETE",
      headers: { "idempotency-key": key },
    });
    expect(await bodyOf(put, 422)).toMatchObject({ code: "idempotency_key_reused" });
  });

  test("is accepted with the same JSON values in another order, with other whitespace and escapes", async () => {
    const key = newKey();
    const id = integration.contractUuid;
    const bodies = [
      `{"contract_uuid":"${id}","title":"Herons","initial_royalties":{"alice.near":10,"bob.near":20}}`,
      `{ "initial_royalties": {"bob.near": 2e1, "alice.near": 10},\n"title": "\\u0048erons", "contract_uuid": "${id}" }`,
      `{"contract_uuid":"${id}","title":"Herons","initial_royalties":{"alice.near":10,"bob.near":21}}`,
    ];
    const answers = [];
    for (const body of bodies) {
      const headers = { "idempotency-key": key, "content-type": "application/json" };
      answers.push(await api("/collection-draft", { key: integration.key, method: "POST", body, headers }));
    }
    const [first, same, other] = answers as [Response, Response, Response];
    expect(await bodyOf<Draft>(same, 201)).toEqual(await bodyOf<Draft>(first, 201));
    expect(same.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(other, 422)).toMatchObject({ code: "idempotency_key_reused" });
  });

  test("is refused for invalid or too deep JSON, with the same error as without a key", async () => {
    const deep = `{"title":${"[".repeat(4_900)}${"]".repeat(4_900)}}`;
    for (const body of ["{", deep, `{"method":"POST","path":"/collection-draft","body":${deep}}`]) {
      for (const keyed of [{}, { "idempotency-key": newKey() }] as Record<string, string>[]) {
        const headers = { ...keyed, "content-type": "application/json" };
        const path = body.includes("method") ? "/quote" : "/collection-draft";
        await bodyOf(await api(path, { key: integration.key, method: "POST", body, headers }), 400);
      }
    }
  });

  test("may be used by another integration", async () => {
    const key = newKey();
    const other = await createIntegration("Other shop");
    const send = (shop: TestIntegration) =>
      api("/collection-draft", {
        key: shop.key,
        json: { contract_uuid: shop.contractUuid, title: "Herons" },
        headers: { "idempotency-key": key },
      });
    const first = await Promise.all([integration, other].map(send));
    expect(first.map((answer) => answer.headers.get("idempotency-replayed"))).toEqual([null, null]);
    const bodies = await Promise.all(first.map((answer) => bodyOf<Draft>(answer, 201)));
    expect(bodies[0]!.collection_draft_uuid).not.toBe(bodies[1]!.collection_draft_uuid);
    const again = await Promise.all([integration, other].map(send));
    expect(again.map((answer) => answer.headers.get("idempotency-replayed"))).toEqual(["true", "true"]);
    expect(await Promise.all(again.map((answer) => bodyOf<Draft>(answer, 201)))).toEqual(bodies);
  });

  test("is refused by its name if it is empty or longer than 255 characters", async () => {
    for (const key of ["x".repeat(256), ""]) {
      expect(await bodyOf(await createDraftWith(key), 400)).toMatchObject({
        code: "invalid_request",
        issues: [{ path: ["Idempotency-Key"] }],
      });
    }
    await bodyOf(await createDraftWith("x".repeat(255)), 201);
  });
});

describe("simultaneous requests with one Idempotency-Key", () => {
  test("are carried out once, and all get its answer", async () => {
    const key = newKey();
    const before = (await collectionNow()).minted;
    const answers = await Promise.all(Array.from({ length: 8 }, () => mintWith(key)));
    const bodies = await Promise.all(answers.map((answer) => bodyOf(answer, 201)));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect((await collectionNow()).minted).toBe(before + 1);
  });

  test("get the first one's answer even if that took the last copy", async () => {
    const key = newKey();
    const last = await createHalfSold(integration);
    const send = () => api(`/collection/${last.collection_uuid}/mint`, mintRequest(key));
    const answers = await Promise.all([send(), send(), send()]);
    const bodies = await Promise.all(answers.map((answer) => bodyOf(answer, 201)));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });
});

const collectionNow = async () =>
  bodyOf<{ minted: number }>(
    await api(`/collection/${collection.collection_uuid}`, { key: integration.key }),
    200,
  );

describe("an Idempotency-Key can be used again", () => {
  test("after an answer that nothing was done", async () => {
    const key = newKey();
    const invalid = await api("/collection-draft", {
      key: integration.key,
      json: { contract_uuid: integration.contractUuid, title: "x".repeat(257) },
      headers: { "idempotency-key": key },
    });
    await bodyOf(invalid, 400);
    await bodyOf(await createDraftWith(key), 201);
  });

  test("after an error before anything was accepted", async () => {
    const key = newKey();
    await bodyOf(await killedAt("operation.before_accept", () => mintWith(key)), 500);
    const again = await mintWith(key);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
  });

  test("after a request that ended before its effect", async () => {
    const key = newKey();
    await bodyOf(await killedAt("idempotency.looked_up", () => createDraftWith(key)), 500);
    const again = await createDraftWith(key);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    await bodyOf(again, 201);
  });

  test("but not for another request while an operation uses it", async () => {
    const key = newKey();
    const before = (await collectionNow()).minted;
    killAt("operation.before_effects");
    await bodyOf(await mintWith(key), 202);
    await age(key, 48 * 3_600_000);
    const { response: again } = await apiWith({ WALLET: untilJoined() }, mintPath(), mintRequest(key));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await bodyOf(again, 201);
    expect((await collectionNow()).minted).toBe(before + 1);
  });

  test("a day later, when the schedule deletes it", async () => {
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

test("an Idempotency-Key that is used again while the schedule deletes it belongs to the new request", async () => {
  const key = newKey();
  const first = await bodyOf<Draft>(await createDraftWith(key), 201);
  await age(key, 26 * 3_600_000);
  let second: Draft | undefined;
  const db = failingD1(async (sql) => {
    if (/delete from "idempotency_keys"/i.test(sql) && !second)
      second = await bodyOf<Draft>(await createDraftWith(key), 201);
    return null;
  });
  await forgetExpiredKeys({ ...serviceContext(), db: openDatabase(db) });
  expect(second!.collection_draft_uuid).not.toBe(first.collection_draft_uuid);
  const again = await createDraftWith(key);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await bodyOf(again, 201)).toEqual(second);
});

describe("a form with an Idempotency-Key", () => {
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

  test("is the same request with another boundary and another order of its files", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    const first = await bodyOf(await upload(draft, key, form(["a.png", "b.png"])), 201);
    const second = await upload(draft, key, form(["b.png", "a.png"]));
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(second, 201)).toEqual(first);
    expect(await assets(draft)).toBe(2);
  });

  test("is another request with other bytes, none of which are stored", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    await bodyOf(await upload(draft, key, form(["a.png"])), 201);
    const other = await upload(draft, key, form(["a.png"], 8));
    expect(await bodyOf(other, 422)).toMatchObject({ code: "idempotency_key_reused" });
    expect(await assets(draft)).toBe(1);
  });

  test("leaves the key unused if it is refused", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    await bodyOf(await upload(crypto.randomUUID(), key, form(["a.png"])), 404);
    await bodyOf(await upload(draft, key, form(["a.png"])), 201);
    expect(await assets(draft)).toBe(1);
  });

  test("has a long answer stored in R2, and returned from there", async () => {
    const { collection_draft_uuid: draft } = await bodyOf<Draft>(await createDraftWith(newKey()), 201);
    const key = newKey();
    const names = Array.from({ length: 300 }, (_, index) => `${index}.png`);
    const first = await bodyOf<unknown[]>(await upload(draft, key, form(names)), 201);
    expect(first).toHaveLength(300);
    const { body } = (await env.DB.prepare("SELECT body FROM idempotency_keys WHERE key = ?")
      .bind(key)
      .first<{ body: string }>())!;
    expect(body).toMatch(/^r2:response\//);
    expect(await env.BUCKET.head(body.slice(3))).not.toBeNull();
    expect(await bodyOf(await upload(draft, key, form(names)), 201)).toEqual(first);
    await age(key, 26 * 3_600_000);
    await background.reconcile();
    expect(await env.BUCKET.head(body.slice(3))).toBeNull();
  });
});

test("a finalization that is joined under another key answers both keys with the same body", async () => {
  const draft = await createDraft(integration);
  const requestOf = (key: string) =>
    [
      `/collection-draft/${draft}/finalize`,
      { key: integration.key, method: "POST", headers: { "idempotency-key": key } },
    ] as const;
  const send = (key: string) => api(...requestOf(key));
  const keys = [newKey(), newKey()] as const;
  killAt("operation.before_effects");
  await bodyOf(await send(keys[0]), 202);
  const { response } = await apiWith({ WALLET: untilJoined() }, ...requestOf(keys[1]));
  const body = await bodyOf(response, 201);
  for (const key of keys) {
    const again = await send(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(body);
  }
});

describe("two different simultaneous requests with one Idempotency-Key", () => {
  const isEffect = (sql: string) => /insert into "drafts"/i.test(sql);
  const mintOf = (quantity: number) => ({ receiver_addresses: [alice], quantity_per_receiver: quantity });
  const draftOf = (title: string) => ({ contract_uuid: integration.contractUuid, title });

  /** The second request is carried out when the first is about to take effect. */
  const race = async (path: string, first: unknown, second: unknown) => {
    const request = (json: unknown) => ({ key: integration.key, json, headers: { "idempotency-key": key } });
    const key = newKey();
    let winner: Response | undefined;
    const overtake = async () => {
      winner ??= await api(path, request(second));
    };
    const DB = failingD1(async (sql) => {
      if (isEffect(sql)) await overtake();
      return null;
    });
    const { response: loser } = await apiWith({ DB, WALLET: beforeWrites(overtake) }, path, request(first));
    return { winner: winner!, loser, again: () => api(path, request(second)) };
  };

  test("have one mint: the other one has no effect and is refused", async () => {
    const before = (await collectionNow()).minted;
    const { winner, loser, again } = await race(mintPath(), mintOf(2), mintOf(3));
    expect(await bodyOf(loser, 422)).toMatchObject({ code: "idempotency_key_reused" });
    const { tokens } = await bodyOf<{ tokens: unknown[] }>(winner, 201);
    expect(tokens).toHaveLength(3);
    expect((await collectionNow()).minted).toBe(before + 3);
    expect(await bodyOf(await again(), 201)).toMatchObject({ tokens });
  });

  test("have one draft", async () => {
    const before = await drafts();
    const { winner, loser, again } = await race("/collection-draft", draftOf("First"), draftOf("Second"));
    expect(await bodyOf(loser, 422)).toMatchObject({ code: "idempotency_key_reused" });
    expect(await bodyOf(winner, 201)).toMatchObject({ title: "Second" });
    expect(await drafts()).toBe(before + 1);
    expect(await bodyOf(await again(), 201)).toMatchObject({ title: "Second" });
  });
});
