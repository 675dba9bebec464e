import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { api, apiWith, createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection, type Finalized } from "../support/collections.ts";

/** Reads that replicas of the database may answer, and the bookmark by which a caller sees what it has written. */

let shop: TestIntegration;
let collection: Finalized;

beforeAll(async () => {
  shop = await createIntegration("Bookmarks");
  collection = await createCollection(shop, { copies: [1] });
});

const BOOKMARK = "Mintage-Bookmark";

/** The database, and from what each session of it began; `always`: calls without a session, which the primary answers. */
const noting = () => {
  const begun: string[] = [];
  const note = (database: D1Database, name: string): D1Database =>
    new Proxy(database, {
      get(real, property) {
        if (property === "withSession") {
          return (from: string) => note(real.withSession(from) as unknown as D1Database, from);
        }
        const value: unknown = Reflect.get(real, property, real);
        if (typeof value !== "function") return value;
        if (property === "prepare" || property === "batch") begun.push(name);
        return value.bind(real) as unknown;
      },
    });
  // Inside: D1's sessions and their bookmarks, which an answer doesn't show.
  return { begun, DB: note(env.DB, "always") };
};

/** A request whose statements are noted. A request before it makes sure that its key needs no reading. */
const noted = async (
  path: string,
  {
    bookmark,
    json,
    method = json ? "POST" : "GET",
  }: { bookmark?: string; json?: object; method?: string } = {},
) => {
  await api("/me", { key: shop.key });
  const { begun, DB } = noting();
  const headers: Record<string, string> = bookmark === undefined ? {} : { [BOOKMARK]: bookmark };
  const { response, background } = await apiWith({ DB }, path, {
    key: shop.key,
    method,
    headers,
    ...(json && { json }),
  });
  const body = await response.json();
  await background();
  return { status: response.status, body, given: response.headers.get(BOOKMARK), from: new Set(begun) };
};

const draft = (title: string) => ({ contract_uuid: shop.contractUuid, title });
const path = () => `/collection/${collection.collection_uuid}`;

describe("a request without a bookmark", () => {
  test("is answered by the primary database, and gets no bookmark", async () => {
    expect(await noted(path())).toMatchObject({ status: 200, given: null, from: new Set(["always"]) });
    const write = await noted("/collection-draft", { json: draft("No bookmark") });
    expect(write).toMatchObject({ status: 201, given: null, from: new Set(["always"]) });
  });
});

describe("a request that begins a session of bookmarks", () => {
  test("is answered by the primary database, and gets a bookmark", async () => {
    for (const json of [undefined, draft("First bookmark")]) {
      const answer = await noted(json ? "/collection-draft" : path(), {
        bookmark: "new",
        ...(json && { json }),
      });
      expect(answer.from).toEqual(new Set(["first-primary"]));
      expect(answer.given).toMatch(/^[0-9a-f-]{50,}$/);
    }
  });
});

describe("a request with a bookmark", () => {
  test("reads from any database that has reached the bookmark, and sees what was written before it", async () => {
    const written = await noted("/collection-draft", { bookmark: "new", json: draft("Own write") });
    const bookmark = written.given!;
    const { collection_draft_uuid } = written.body as { collection_draft_uuid: string };
    const read = await noted(`/collection-draft/${collection_draft_uuid}`, { bookmark });
    expect(read).toMatchObject({ status: 200, body: { title: "Own write" }, from: new Set([bookmark]) });
    expect(read.given! >= bookmark).toBe(true);
  });

  test("reads from any database by a PUT that changes nothing, too", async () => {
    const { given } = await noted(path(), { bookmark: "new" });
    const json = { account: "alice.near" };
    const asked = await noted(`${path()}/allowlist-checkaccount`, { bookmark: given!, json, method: "PUT" });
    expect(asked).toMatchObject({ status: 200, from: new Set([given]) });
  });

  test("writes to the primary database, and its bookmark never goes back", async () => {
    let bookmark = "new";
    for (const title of ["One", "Two", "Three"]) {
      const write = await noted("/collection-draft", { bookmark, json: draft(title) });
      expect(write).toMatchObject({ status: 201, from: new Set(["first-primary"]) });
      if (bookmark !== "new") expect(write.given! > bookmark).toBe(true);
      bookmark = write.given!;
    }
  });

  test("keeps its bookmark if it didn't use the database", async () => {
    const { given: bookmark } = await noted(path(), { bookmark: "new" });
    const refused = await noted("/collection-draft", { bookmark: bookmark!, json: { title: 1 } });
    expect(refused).toMatchObject({ status: 400, given: bookmark, from: new Set() });
    const first = await noted("/collection-draft", { bookmark: "new", json: { title: 1 } });
    expect(first).toMatchObject({ status: 400, given: null });
  });

  test("reads events from the primary database, which several callers share", async () => {
    const { given } = await noted(path(), { bookmark: "new" });
    expect(await noted("/event", { bookmark: given! })).toMatchObject({
      status: 200,
      given: null,
      from: new Set(["always"]),
    });
  });
});

test.each(["", "latest", "0000-1111", "first-unconstrained"])(
  "%j is refused as a bookmark",
  async (bookmark) => {
    const response = await api(path(), { key: shop.key, headers: { [BOOKMARK]: bookmark } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: "invalid_request",
      issues: [{ path: [BOOKMARK] }],
    });
  },
);

test("an error has a bookmark too", async () => {
  const missing = `/collection/${collection.collection_uuid.replace(/.$/, (end) => (end === "0" ? "1" : "0"))}`;
  const { status, given } = await noted(missing, { bookmark: "new" });
  expect(status).toBe(404);
  expect(given).not.toBeNull();
});

test.each(["PATCH", "POST", "OPTIONS"])(
  "a request with an unsupported method (%s) gets no bookmark",
  async (method) => {
    const response = await api(path(), { key: shop.key, method, headers: { [BOOKMARK]: "" } });
    expect(response.status).toBe(405);
  },
);
