import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
// Inside: own files that count as pinned, so that only those of mints are sent, and what refers to a file.
import { blobs, collectionBlobs, collections } from "../../src/db/schema/index.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { dagPbCid, rawCid } from "../../src/files/ipfs/cid.ts";
import { FileHasher } from "../../src/files/ipfs/file-hasher.ts";
import { picture } from "../../testing/pictures.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection, createHalfSold, type Finalized } from "../support/collections.ts";
import { FakeKubo, KUBO_URL, pin as pinKnown } from "../support/kubo.ts";
import { inLedger, testLedger } from "../support/ledgers.ts";
import { db, storeFromUrl } from "../support/uploads.ts";

const MIB = 1_048_576;
const GATEWAY = "http://mintage.test";

let integration: TestIntegration;
let collection: Finalized;
let kubo: FakeKubo;
const files = new Map<string, Uint8Array<ArrayBuffer>>();
let seed = 900;

beforeAll(async () => {
  integration = await createIntegration();
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    if (request.url.startsWith(KUBO_URL)) return kubo.answer(request);
    const file = files.get(request.url);
    return file ? Promise.resolve(new Response(file)) : real(request);
  });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => {
  vi.restoreAllMocks();
});

beforeEach(async () => {
  kubo = new FakeKubo();
  await begin(await createCollection(integration, { copies: [3] }));
});

/** Takes a collection whose own files are pinned. */
const begin = async (made: Finalized) => {
  collection = made;
  await testLedger(integration.integrationUuid)
    .update(collections)
    .set({ pinState: "pinned", pinCursor: null })
    .where(eq(collections.id, collection.collection_uuid as Uuid));
};

/** A file on another host, and its CID once it is stored. */
function remote(size: number): { url: string; cid: string; sha256: Uint8Array } {
  const bytes = picture("png", ++seed, size);
  const url = `https://media.example/${seed}.png`;
  files.set(url, new Uint8Array(bytes));
  const hasher = new FileHasher();
  hasher.update(bytes);
  const { sha256, rootSha256 } = hasher.finish();
  return { url, cid: rootSha256 ? dagPbCid(rootSha256) : rawCid(sha256), sha256 };
}

const mint = (url: string, quantity = 1) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: integration.key,
    json: {
      receiver_addresses: [integration.walletAccountId],
      quantity_per_receiver: quantity,
      metadata: { asset_file_url: url },
    },
  });

/** Pins what D1 knows of, once it knows all. */
const pin = async (ahead?: number): Promise<number> => {
  await told();
  return pinKnown(ahead);
};

/** A write of a ledger waits until D1 has what came before it. */
const told = () => inLedger(integration.integrationUuid, "UPDATE meta SET id = 1");

/** The collection's pin_state. */
const pinState = async (): Promise<string> => {
  const response = await api(`/collection/${collection.collection_uuid}`, { key: integration.key });
  return (await bodyOf<{ pin_state: string }>(response, 200)).pin_state;
};

const isKept = async (sha256: Uint8Array): Promise<boolean> => {
  const rows = await db.select().from(collectionBlobs).where(eq(collectionBlobs.sha256, sha256));
  return rows.some(({ collectionId }) => collectionId === collection.collection_uuid);
};

describe("files that a mint fetched by their URL", () => {
  test("are each pinned once the mint that added them has succeeded", async () => {
    const small = remote(5000);
    await bodyOf(await mint(small.url), 201);
    expect(await pinState()).toBe("pending");
    await pin();
    expect(kubo.pinned).toEqual([small.cid]);
    expect(await pinState()).toBe("pinned");

    // A ledger doesn't know which files are pinned: the next run does, and sends nothing.
    await bodyOf(await mint(small.url), 201);
    await pin();
    expect(kubo.pinned).toEqual([small.cid]);
    expect(await pinState()).toBe("pinned");
    expect(await pin()).toBe(0);
  });

  test("above one block are sent in CARs of at most 64 MB, first the leaves and then the root", async () => {
    const large = remote(70 * MIB + 17);
    await bodyOf(await mint(large.url), 201);
    await pin();
    expect(kubo.imports).toHaveLength(2);
    expect(Math.max(...kubo.imports)).toBeLessThanOrEqual(64 * MIB);
    expect(kubo.pinned).toEqual([large.cid]);
  });

  test("are retried if the node fails, and the collection shows the failure", async () => {
    await bodyOf(await mint(remote(5000).url), 201);
    kubo.failing = Response.json({ Message: "disk full" }, { status: 500 });
    vi.setSystemTime(Date.now());
    await pin();
    expect(await pinState()).toBe("failed");
    kubo.failing = null;
    expect(await pin(30_000)).toBe(0);
    expect(await pin(61_000)).toBe(1);
    expect(await pinState()).toBe("pinned");
  });

  test("are pinned after all of the collection's own files", async () => {
    await testLedger(integration.integrationUuid)
      .update(collections)
      .set({ pinState: "pending", pinCursor: 0 })
      .where(eq(collections.id, collection.collection_uuid as Uuid));
    const media = remote(5000);
    await bodyOf(await mint(media.url), 201);
    await pin();
    expect(kubo.pinned).toEqual([collection.ipfs_result.root_cid, media.cid]);
    expect(await pinState()).toBe("pinned");
  });

  test("of a failed mint are not pinned, unless another mint added them as well", async () => {
    // One of its two copies was minted by a wallet, which only the contract knows.
    await begin(await createHalfSold(integration));
    const lost = remote(5000);
    expect((await mint(lost.url, 2)).status).toBe(409);
    await told();
    expect(await isKept(lost.sha256)).toBe(false);
    expect(await pinState()).toBe("pinned");

    const used = remote(5000);
    await bodyOf(await mint(used.url), 201);
    expect((await mint(used.url)).status).toBe(409);
    await told();
    expect(await isKept(used.sha256)).toBe(true);
  });
});

test("a file of this gateway is pinned like any other", async () => {
  const source = remote(5000);
  await storeFromUrl(source.url, GATEWAY);
  await bodyOf(await mint(`${GATEWAY}/ipfs/${source.cid}`), 201);
  await pin();
  expect(kubo.pinned).toContain(source.cid);
  expect((await db.select().from(blobs).where(eq(blobs.sha256, source.sha256))).length).toBe(1);
});
