import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
// Inside: collections of hundreds of files, without a chain, and how often pinning failed.
import { keepDirectory } from "../../src/collections/directory.ts";
import { collections } from "../../src/db/schema/index.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { continuePinning } from "../../src/operator/jobs/pinning.ts";
import { picture } from "../../testing/pictures.ts";
import { bodyOf } from "../support/api.ts";
import { storedDirectory } from "../support/directories.ts";
import { FakeKubo, KUBO_URL, pin } from "../support/kubo.ts";
import { testLedger } from "../support/ledgers.ts";
import { attach, contextAt, db, formOf, log, newTenant, usage } from "../support/uploads.ts";

const MIB = 1_048_576;

let kubo: FakeKubo;

beforeEach(() => {
  kubo = new FakeKubo();
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    if (!request.url.startsWith(KUBO_URL)) throw new TypeError("no such host");
    return kubo.answer(request);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A collection as after its finalization. */
async function collectionOf(sizes: readonly number[]): Promise<{ id: Uuid; rootCid: string }> {
  const tenant = await newTenant();
  for (let from = 0; from < sizes.length; from += 60) {
    const part = sizes.slice(from, from + 60);
    const details = part.map((_, index) => ({
      asset_filename: `${from + index}.png`,
      copies: 1,
      ...(index === 0 ? { reference_filename: `${from}.json` } : {}),
    }));
    const files = part.map((size, index) => ({
      name: `${from + index}.png`,
      bytes: picture("png", from + index, size),
    }));
    const reference = { name: `${from}.json`, bytes: "{}", part: "reference_file" };
    await bodyOf(await attach(tenant, formOf(details, [...files, reference])), 201);
  }
  const context = contextAt();
  const directory = await storedDirectory(tenant);
  const id = newUuid();
  const now = new Date();
  await testLedger(tenant.integrationId)
    .insert(collections)
    .values({
      id,
      integrationId: tenant.integrationId,
      contractId: tenant.contractId,
      contractAccountId: "c.test",
      codeState: { locked: false, announced: null, delay_blocks: 0, has_full_access_key: false },
      draftId: tenant.draftId,
      onChainId: 1,
      settings: {} as never,
      total: sizes.length,
      assets: sizes.length,
      ipfsRoot: directory.rootSha256,
      pinState: "pending",
      createdAt: now,
      updatedAt: now,
    });
  for (const statement of keepDirectory(context, { id, integrationId: tenant.integrationId }, directory, now))
    await statement;
  return { id, rootCid: directory.rootCid };
}

const stateOf = async (id: Uuid) => (await db.select().from(collections).where(eq(collections.id, id)))[0];

describe("pinning a collection to an IPFS node", () => {
  test("sends files, then the directory, then pins the root", async () => {
    const { id, rootCid } = await collectionOf([500, 600, 700]);
    usage.most = 0;
    await pin();
    // The upload of the CAR is a connection too.
    expect(usage.most).toBeLessThanOrEqual(5);
    expect(kubo.pinned).toEqual([rootCid]);
    expect(kubo.imports).toHaveLength(2);
    expect(await stateOf(id)).toMatchObject({ pinState: "pinned" });
    expect(await pin()).toBe(0);
  });

  test("sends CARs of at most 64 MB, a few in each run, and resumes", async () => {
    const { id, rootCid } = await collectionOf(Array.from({ length: 260 }, () => MIB - 100));
    expect(await pin()).toBe(4);
    expect((await stateOf(id))?.pinState).toBe("pending");
    expect(await pin()).toBe(2);
    expect(kubo.imports).toHaveLength(6);
    expect(Math.max(...kubo.imports)).toBeLessThanOrEqual(64 * MIB);
    expect(kubo.pinned).toEqual([rootCid]);
    expect((await stateOf(id))?.pinState).toBe("pinned");
  });

  test("logs a failure, and retries after increasing pauses", async () => {
    const { id, rootCid } = await collectionOf([500]);
    vi.setSystemTime(Date.now());
    kubo.failing = Response.json({ Message: "disk full", Code: 0 }, { status: 500 });
    await pin();
    expect(await stateOf(id)).toMatchObject({ pinState: "failed", pinAttempts: 1 });
    const error = expect.objectContaining({ message: expect.stringContaining("disk full") });
    expect(log).toContainEqual(["pinning.failed", { collection_uuid: id, error }]);
    expect(kubo.imports).toEqual([]);
    kubo.failing = null;
    expect(await pin(30_000)).toBe(0);
    kubo.failing = new Response("busy", { status: 503 });
    await pin(61_000);
    expect((await stateOf(id))?.pinAttempts).toBe(2);
    kubo.failing = null;
    expect(await pin(120_000)).toBe(0);
    await pin(190_000);
    expect(await stateOf(id)).toMatchObject({ pinState: "pinned", pinAttempts: 0 });
    expect(kubo.pinned).toEqual([rootCid]);
  });

  test("does nothing if no node is configured", async () => {
    await collectionOf([500]);
    expect(await continuePinning(contextAt())).toBe(0);
  });
});
