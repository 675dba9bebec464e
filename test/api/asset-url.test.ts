import { MemoryBlockstore } from "blockstore-core";
import { eq } from "drizzle-orm";
import { importBytes } from "ipfs-unixfs-importer";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
// Inside: the download of a file at a URL, which needs a mint and a chain otherwise, for each of many hosts.
import { openDatabase } from "../../src/db/client.ts";
import { blobLeaves, blobs } from "../../src/db/schema/index.ts";
import { ServiceError } from "../../src/domain/errors.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { dagPbCid, rawCid } from "../../src/files/ipfs/cid.ts";
import { fetchMediaUrl, type UrlField } from "../../src/files/uploads/asset-url.ts";
import { picture } from "../../testing/pictures.ts";
import { BASE } from "../support/api.ts";
import { failingD1 } from "../support/database.ts";
import { takeMemory } from "../support/memory.ts";
import { contextAt, db, env, send, usage } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

const MIB = 1_048_576;

type Answer = (request: Request) => Response | Promise<Response>;
const hosts = new Map<string, Answer>();
const asked: string[] = [];

/** The internet hosts of these tests; no other is reached. */
beforeEach(() => {
  hosts.clear();
  asked.length = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    asked.push(request.url);
    const answer = hosts.get(new URL(request.url).host);
    if (!answer) throw new TypeError("no such host");
    return answer(request);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A body in pieces that don't match the blocks. */
function pieces(bytes: Uint8Array, size = 70_001): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

const get = (url: string, field: UrlField = "asset_file_url") =>
  fetchMediaUrl(contextAt(), url, field, {
    integrationId: newUuid(),
    baseUrl: BASE,
    path: ["metadata", field],
  });

async function failure(url: string, field?: UrlField): Promise<string> {
  const objects = (await env.BUCKET.list()).objects.length;
  const error = await get(url, field).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`no clear error: ${String(error)}`);
  expect(error.code).toBe("asset_url_failed");
  expect(error.details.issues?.[0]?.path).toEqual(["metadata", field ?? "asset_file_url"]);
  expect((await env.BUCKET.list()).objects.length).toBe(objects);
  return error.message;
}

describe("a media file that is fetched by its URL", () => {
  test.each([500, MIB - 1, MIB, MIB + 1, 5 * MIB, 5 * MIB + 1, 10 * MIB, 11 * MIB + 17])(
    "with %i bytes is stored under the CID that IPFS gives it, and served",
    async (size) => {
      const bytes = picture("png", size, size);
      hosts.set("media.example", () => new Response(pieces(bytes)));
      usage.most = 0;
      const stored = await get("https://media.example/a");
      expect(usage.most).toBeLessThanOrEqual(6);
      const { cid } = await importBytes(bytes, new MemoryBlockstore(), { profile: "unixfs-v1-2025" });
      const ours = stored.rootSha256 ? dagPbCid(stored.rootSha256) : rawCid(stored.sha256);
      expect(ours).toBe(cid.toString());
      expect(stored).toMatchObject({ size, mediaType: "image/png" });
      const served = await send(`/ipfs/${ours}`);
      expect(served.headers.get("Content-Type")).toBe("image/png");
      expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
      const part = await send(`/ipfs/${ours}`, { headers: { Range: "bytes=-100" } });
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(-100))).toBe(true);
    },
  );

  test("is stored once for the same bytes, also from concurrent requests", async () => {
    const bytes = picture("gif", 3, 3 * MIB);
    hosts.set("media.example", () => new Response(pieces(bytes)));
    const before = (await env.BUCKET.list({ prefix: "media/" })).objects.length;
    const [first, second] = await Promise.all([
      get("https://media.example/1"),
      get("https://media.example/2"),
    ]);
    const third = await get("https://media.example/3");
    expect(second).toEqual(first);
    expect(third.sha256).toEqual(first?.sha256);
    expect((await env.BUCKET.list({ prefix: "media/" })).objects.length).toBe(before + 1);
    expect(await db.select().from(blobLeaves).where(eq(blobLeaves.blobSha256, third.sha256))).toHaveLength(3);
  });

  test.each([
    [MIB, 1],
    [MIB + 1, 2],
  ])("with %i bytes takes %i database calls", async (size, trips) => {
    const bytes = picture("png", 40 + size, size);
    hosts.set("media.example", () => new Response(pieces(bytes)));
    const asked: string[] = [];
    const watching = failingD1((sql) => {
      asked.push(sql);
      return null;
    });
    const context = { ...contextAt(), db: openDatabase(watching) };
    const options = { integrationId: newUuid(), baseUrl: BASE };
    await fetchMediaUrl(context, "https://media.example/a", "asset_file_url", options);
    expect(asked).toHaveLength(trips);
  });

  test("is kept if it was marked for deletion", async () => {
    const bytes = picture("png", 4, 2 * MIB);
    hosts.set("media.example", () => new Response(pieces(bytes)));
    const stored = await get("https://media.example/a");
    for (const going of ["marked", "deleting", "deleted"] as const) {
      await db.update(blobs).set({ going, goingAt: new Date() }).where(eq(blobs.sha256, stored.sha256));
      await get("https://media.example/a");
      const [row] = await db.select().from(blobs).where(eq(blobs.sha256, stored.sha256));
      expect(row?.going).toBeNull();
      expect(await env.BUCKET.head(row?.objectKey ?? "")).not.toBeNull();
    }
  });

  test("has its type detected even if its first bytes arrive one by one", async () => {
    const bytes = picture("webp", 12, 2 * MIB);
    const split = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes.subarray(0, 5)) controller.enqueue(Uint8Array.of(byte));
        controller.enqueue(bytes.slice(5));
        controller.close();
      },
    });
    hosts.set("media.example", () => new Response(split));
    expect(await get("https://media.example/a")).toMatchObject({ size: 2 * MIB, mediaType: "image/webp" });
  });

  test("may be a JSON object as a reference file", async () => {
    hosts.set("media.example", () => new Response('{"attributes": []}'));
    const stored = await get("https://media.example/a.json", "reference_file_url");
    expect(stored).toMatchObject({ rootSha256: null, size: 18, mediaType: "application/json" });
  });

  test("is fetched through redirects, relative ones too, each of which is checked", async () => {
    hosts.set(
      "a.example",
      () => new Response(null, { status: 302, headers: { Location: "https://b.example/x/y" } }),
    );
    hosts.set("b.example", ({ url }) =>
      url.endsWith("/z")
        ? new Response(picture("png", 8))
        : new Response(null, { status: 308, headers: { Location: "../z" } }),
    );
    await get("https://a.example/");
    expect(asked).toEqual(["https://a.example/", "https://b.example/x/y", "https://b.example/z"]);
    for (const target of [
      "http://b.example/z",
      "https://127.0.0.1/",
      "https://[::1]/",
      "https://x.internal/",
      "//localhost/",
    ]) {
      hosts.set("a.example", () => new Response(null, { status: 301, headers: { Location: target } }));
      asked.length = 0;
      expect(await failure("https://a.example/")).toMatch(/redirects to/);
      expect(asked).toEqual(["https://a.example/"]);
    }
  });

  test("is fetched through five redirects, one of each status, and not through six", async () => {
    hosts.set("a.example", ({ url }) => {
      const left = Number(new URL(url).pathname.slice(1));
      const status = [301, 302, 303, 307, 308][left % 5];
      return left === 0
        ? new Response(picture("png", 8))
        : new Response(null, { status, headers: { Location: `/${left - 1}` } });
    });
    await get("https://a.example/5");
    expect(await failure("https://a.example/6")).toMatch(/more than 5 times/);
  });

  test("isn't requested from a URL that isn't allowed", async () => {
    expect(await failure("http://media.example/a.png")).toMatch(/https/);
    expect(await failure("https://10.0.0.1/a.png")).toMatch(/IP address/);
    expect(asked).toEqual([]);
  });

  test("has the reason reported if it fails", async () => {
    const answers: [string, () => Response, UrlField?][] = [
      ["status 404", () => new Response("x", { status: 404 })],
      ["status 206", () => new Response("x", { status: 206 })],
      ["responds with an empty body", () => new Response(null)],
      ["none of PNG, JPEG", () => new Response("<html>".repeat(1000))],
      ["none of PNG, JPEG", () => new Response("x")],
      ["none of PNG, JPEG", () => new Response("")],
      ["none of PNG, JPEG", () => new Response(pieces(new Uint8Array(3 * MIB)))],
      [
        "larger than 104857600",
        () => new Response(pieces(picture("png", 1)), { headers: { "Content-Length": "104857601" } }),
      ],
      ["not JSON", () => new Response("{"), "reference_file_url"],
      ["not a JSON object", () => new Response("[]"), "reference_file_url"],
      [
        "larger than 1048576",
        () => new Response(pieces(new Uint8Array(MIB + 1).fill(32))),
        "reference_file_url",
      ],
      ["ended before", () => new Response(broken(picture("png", 1, 3 * MIB)))],
      [
        "ends before its IEND chunk",
        () => new Response(pieces(picture("png", 1, 3 * MIB).subarray(0, 2 * MIB))),
      ],
      ["ends before its trailer", () => new Response(pieces(picture("gif", 1, 3_000).subarray(0, 2_000)))],
    ];
    for (const [message, answer, field] of answers) {
      hosts.set("media.example", answer);
      expect(await failure("https://media.example/a", field)).toContain(message);
    }
    hosts.clear();
    expect(await failure("https://media.example/a")).toContain("can't be reached");
  });

  test("may have exactly 100 MB, and is aborted at one byte more", async () => {
    const exact = picture("png", 9, 100 * MIB);
    hosts.set("media.example", () => new Response(pieces(exact, MIB)));
    expect(await get("https://media.example/a")).toMatchObject({ size: 100 * MIB });
    const larger = picture("png", 9, 100 * MIB + 1);
    hosts.set("media.example", () => new Response(pieces(larger, MIB)));
    expect(await failure("https://media.example/a")).toContain("larger than 104857600 bytes (100 MB)");
  });

  test("is read from R2 if it is in this service's own gateway", async () => {
    const bytes = picture("webp", 6, 2 * MIB);
    hosts.set("media.example", () => new Response(pieces(bytes)));
    const stored = await get("https://media.example/a");
    asked.length = 0;
    expect((await get(`${BASE}/ipfs/${dagPbCid(stored.rootSha256!)}`)).sha256).toEqual(stored.sha256);
    expect(asked).toEqual([]);
    // Through another of its addresses, the public one is its own as well.
    const context = contextAt();
    const settings = { ...context.settings, PUBLIC_URL: "https://mint.example" };
    const file = `https://mint.example/ipfs/${dagPbCid(stored.rootSha256!)}`;
    const owner = { integrationId: newUuid(), baseUrl: BASE };
    const found = await fetchMediaUrl({ ...context, settings }, file, "asset_file_url", owner);
    expect(found.sha256).toEqual(stored.sha256);
    expect(asked).toEqual([]);
    expect(await failure(`${BASE}/ipfs/${rawCid(new Uint8Array(32))}`)).toContain("doesn't have the file");
    expect(await failure(`${BASE}/ipfs/%`)).toContain("doesn't have the file");
    expect(await failure(`${BASE}/ipfs/${dagPbCid(stored.rootSha256!)}`, "reference_file_url")).toContain(
      "JSON",
    );
  });
});

function broken(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new Error("connection lost"));
      sent = true;
      controller.enqueue(bytes.slice(0, 2 * MIB));
    },
  });
}

/** Bodies of a host that are let go one by one, and which of them are being read. */
class SlowHost {
  readonly reading = new Set<string>();
  most = 0;
  readonly #waiting = new Map<string, () => void>();

  answer({ url }: Request): Response {
    let piece = 0;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      this.reading.add(url);
      this.most = Math.max(this.most, this.reading.size);
      if (piece++ === 0) return controller.enqueue(picture("png", 40, 2 * MIB));
      await new Promise<void>((resolve) => this.#waiting.set(url, resolve));
      this.reading.delete(url);
      controller.close();
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  }

  /** Names of the files that are in but for their end, when there are so many. */
  async held(count: number): Promise<string[]> {
    await eventually(async () => expect(this.#waiting.size).toBe(count));
    return [...this.#waiting.keys()].map((url) => url.slice(-1)).sort();
  }

  /** Ends one of them. */
  async end(): Promise<void> {
    await eventually(async () => expect(this.#waiting.size).toBeGreaterThan(0));
    const [url, resolve] = [...this.#waiting][0]!;
    this.#waiting.delete(url);
    resolve();
  }
}

describe("files that one isolate fetches at the same time", () => {
  const from = (integrationId: Uuid, name: string, context = contextAt()) =>
    fetchMediaUrl(context, `https://media.example/${name}`, "asset_file_url", {
      integrationId,
      baseUrl: BASE,
    });
  let host: SlowHost;
  beforeEach(() => {
    host = new SlowHost();
    hosts.set("media.example", (request) => host.answer(request));
  });

  /** Leaves an integration the memory for two files of 11 MB: as much is left free as the second one takes. */
  const leaveTwo = (integrationId: Uuid) => takeMemory(21 * MIB, integrationId)!;

  test("are limited by memory, per integration and in total, and others wait", async () => {
    const [one, other, third] = [newUuid(), newUuid(), newUuid()];
    const taken = [leaveTwo(one), takeMemory(16 * MIB, newUuid())!];
    const all = [one, one, one, other, other, other, third].map((each, index) => from(each, `${index}`));
    expect(await host.held(4)).toEqual(["0", "1", "3", "4"]);
    for (let ended = 0; ended < all.length; ended++) await host.end();
    expect((await Promise.all(all)).map(({ size }) => size)).toEqual(Array(7).fill(2 * MIB));
    expect(host.most).toBe(4);
    for (const giveBack of taken) giveBack();
  });

  test("are refused without being read if they wait too long", async () => {
    const one = newUuid();
    const giveBack = leaveTwo(one);
    const held = [from(one, "a"), from(one, "b")];
    expect(await host.held(2)).toEqual(["a", "b"]);
    let looks = 0;
    const hasty = { ...contextAt(), now: () => new Date(Date.now() + 7_000 * looks++) };
    const error = await from(one, "c", hasty).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "rate_limited",
      status: 429,
      details: { retryAfter: 5, retryable: true },
    });
    held.push(from(newUuid(), "d"));
    expect(await host.held(3)).toEqual(["a", "b", "d"]);
    for (let ended = 0; ended < 3; ended++) await host.end();
    await Promise.all(held);
    const again = from(one, "c");
    await host.end();
    expect(await again).toMatchObject({ size: 2 * MIB });
    giveBack();
  });
});
