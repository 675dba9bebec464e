import { eq, isNull, sql } from "drizzle-orm";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
// Inside: no request shows files and rows at the steps of their deletion.
import { keepDirectory } from "../../src/collections/directory.ts";
import { runBatch } from "../../src/db/client.ts";
import { blobs, collectionBlobs, collections, draftAssets, drafts } from "../../src/db/schema/index.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { THUMBNAIL_WIDTHS } from "../../src/domain/thumbnails.ts";
import { RUN_KEY } from "../../src/files/storage/keys.ts";
import { cleanUp } from "../../src/operator/jobs/clean-up.ts";
import { picture, plainPng } from "../../testing/pictures.ts";
import { bodyOf } from "../support/api.ts";
import { storedDirectory } from "../support/directories.ts";
import {
  attach,
  contextAt,
  db,
  env,
  formOf,
  newTenant,
  send,
  type Tenant,
  uploadPath,
} from "../support/uploads.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Runs the clean-up once for each of some hours. */
async function passHours(from: number, to: number): Promise<void> {
  for (let hour = from; hour <= to; hour++) await cleanUp(contextAt(hour * HOUR + MINUTE));
}

/** How many files R2 has, without the number of clean-up's runs. */
const objects = async (): Promise<number> =>
  (await env.BUCKET.list()).objects.filter(({ key }) => key !== RUN_KEY).length;
const rows = () => db.select().from(blobs);

const small = (name: string, seed: number) => ({ name, bytes: picture("png", seed) });
/** Finalizes a tenant's draft by writing straight to the database. */
async function addCollection({ integrationId, contractId, draftId }: Tenant): Promise<Uuid> {
  const id = newUuid();
  const [draft] = await db.select().from(drafts).where(eq(drafts.id, draftId));
  const now = new Date();
  await db.insert(collections).values({
    id,
    integrationId,
    contractId,
    contractAccountId: "c.test",
    codeState: { locked: false, announced: null, delay_blocks: 0, has_full_access_key: false },
    draftId,
    onChainId: 1,
    settings: draft!.settings,
    total: 1,
    assets: 1,
    ipfsRoot: new Uint8Array(32),
    createdAt: now,
    updatedAt: now,
  });
  return id;
}

const detail = (asset_filename: string) => ({ asset_filename, copies: 1 });

/** Enough to mark, delete and forget whatever a test has left, also what it has marked or deleted in a later hour. */
const ALL_STEPS = [1, 3, 30, 32, 58, 59, 60];

beforeEach(async () => {
  await db.delete(draftAssets);
  for (const hour of ALL_STEPS) await passHours(hour, hour);
  expect(await rows()).toEqual([]);
});

describe("the clean-up of unreferenced files", () => {
  test("deletes a file's thumbnails with it", async () => {
    const tenant = await newTenant();
    const form = formOf([detail("a.png")], [{ name: "a.png", bytes: plainPng(1300, 2, [1, 2, 3]) }]);
    const [asset] = await bodyOf<{ asset_uuid: string; asset_url: string }[]>(
      await attach(tenant, form),
      201,
    );
    for (const width of THUMBNAIL_WIDTHS)
      await send(`${new URL(asset!.asset_url).pathname}?img-width=${width}`);
    expect(await objects()).toBe(1 + THUMBNAIL_WIDTHS.length);
    const path = `/api/v1/collection-draft/${tenant.draftId}/asset/${asset?.asset_uuid}`;
    await send(path, { method: "DELETE", key: tenant.key });
    await passHours(1, 4);
    expect(await objects()).toBe(0);
  });

  test("keeps a draft's files, and deletes in steps those that were removed from it", async () => {
    const tenant = await newTenant();
    const form = formOf([detail("a.png"), detail("b.png")], [small("a.png", 1), small("b.png", 2)]);
    const assets = await bodyOf<{ asset_uuid: string; asset_url: string }[]>(await attach(tenant, form), 201);
    await passHours(1, 30);
    expect(await objects()).toBe(2);
    const path = `/api/v1/collection-draft/${tenant.draftId}/asset/${assets[0]?.asset_uuid}`;
    await send(path, { method: "DELETE", key: tenant.key });
    await cleanUp(contextAt(MINUTE));
    expect((await rows()).map(({ going }) => going)).toEqual([null, null]);
    await cleanUp(contextAt(HOUR + MINUTE));
    expect((await rows()).map(({ going }) => going).sort()).toEqual([null, "marked"].sort());
    expect((await send(new URL(assets[0]?.asset_url ?? "").pathname)).status).toBe(404);
    expect(await objects()).toBe(2);
    await cleanUp(contextAt(2 * HOUR + 2 * MINUTE));
    expect((await rows()).map(({ going }) => going).sort()).toEqual([null, "deleted"].sort());
    expect(await objects()).toBe(1);
    await cleanUp(contextAt(27 * HOUR));
    expect(await rows()).toHaveLength(1);
  });

  test("unmarks a file that is uploaded again", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    await db.delete(draftAssets);
    await cleanUp(contextAt(HOUR + MINUTE));
    expect((await rows())[0]?.going).toBe("marked");
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    expect((await rows())[0]?.going).toBeNull();
  });

  test("restores a file that was deleted just before it is uploaded again", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    await db.delete(draftAssets);
    await passHours(1, 3);
    expect((await rows())[0]?.going).toBe("deleted");
    await db.update(blobs).set({ goingAt: new Date(Date.now() - 1000) });
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    expect((await rows())[0]?.going).toBeNull();
    expect(await objects()).toBe(1);
  });

  test("fails an upload whose file is deleted meanwhile, and stores nothing", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    await db.delete(draftAssets);
    await passHours(1, 3);
    // As if the clean-up had deleted the object after the upload's put and before its batch.
    await db.update(blobs).set({ goingAt: new Date(Date.now() + HOUR) });
    const bucket = env.BUCKET;
    const [{ sha256 } = { sha256: new Uint8Array() }] = await rows();
    const key = `blob/${Buffer.from(sha256).toString("hex")}`;
    const upload = uploading(
      tenant,
      formOf([detail("a.png"), detail("b.png")], [small("a.png", 1), small("b.png", 2)]),
    );
    await upload.untilLast();
    await bucket.delete(key);
    const answer = await upload.finish();
    expect(await bodyOf(answer, 409)).toMatchObject({ code: "conflict", retryable: true });
    expect(answer.headers.get("Retry-After")).toBe("10");
    expect(await db.select().from(draftAssets)).toEqual([]);
  });

  test("lets an upload continue if the file was stored after its deletion", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    await db.delete(draftAssets);
    await passHours(1, 3);
    await db.update(blobs).set({ goingAt: new Date(Date.now() + HOUR) });
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    expect((await rows())[0]?.going).toBeNull();
    expect(await objects()).toBe(1);
  });

  test("lets an upload wait while its file is being deleted", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    await db.delete(draftAssets);
    await db.update(blobs).set({ going: "deleting", goingAt: new Date() });
    const answer = attach(tenant, formOf([detail("a.png")], [small("a.png", 1)]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await db.update(blobs).set({ going: "deleted", goingAt: new Date() });
    await bodyOf(await answer, 201);
  });

  test("keeps a draft's reference files", async () => {
    const tenant = await newTenant();
    const details = [{ ...detail("a.png"), reference_filename: "a.json" }];
    const files = [small("a.png", 1), { name: "a.json", bytes: '{"a":1}', part: "reference_file" }];
    const [asset] = await bodyOf<{ reference_cid: string }[]>(
      await attach(tenant, formOf(details, files)),
      201,
    );
    await passHours(1, 30);
    expect(await objects()).toBe(2);
    expect((await rows()).map(({ going }) => going)).toEqual([null, null]);
    expect(await (await send(`/ipfs/${asset?.reference_cid}?download=true`)).text()).toBe('{"a":1}');
  });

  test("keeps a collection's other files until the collection no longer refers to them", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formOf([detail("a.png")], [small("a.png", 1)])), 201);
    const directory = await storedDirectory(tenant);
    const collectionId = await addCollection(tenant);
    await runBatch(
      db,
      keepDirectory(
        contextAt(),
        { id: collectionId, integrationId: tenant.integrationId },
        directory,
        new Date(),
      ),
    );
    await passHours(1, 30);
    expect(await objects()).toBe(2);
    const root = await send(`/ipfs/${directory.rootCid}?format=raw&download=true`);
    expect(root.status).toBe(200);
    await root.body?.cancel();
    await db.delete(collectionBlobs);
    await passHours(31, 60);
    expect(await objects()).toBe(1);
    await db.delete(collections);
  });

  test("keeps a media file above one block that a row names, and deletes one that no row names", async () => {
    const sha256 = new Uint8Array(32).fill(7);
    await env.BUCKET.put("media/named", new Uint8Array(2 * 1_048_576));
    await env.BUCKET.put("media/unnamed", new Uint8Array(1_048_577));
    await db.insert(blobs).values({
      sha256,
      size: 2 * 1_048_576,
      mediaType: "image/png",
      rootSha256: new Uint8Array(32).fill(8),
      objectKey: "media/named",
      createdAt: new Date(),
    });
    const tenant = await newTenant();
    const collectionId = await addCollection(tenant);
    await db.insert(collectionBlobs).values({ collectionId, sha256 });
    await passHours(25, 60);
    const left = await env.BUCKET.list({ prefix: "media/" });
    expect(left.objects.map(({ key }) => key)).toEqual(["media/named"]);
    await db.delete(collectionBlobs);
    await db.delete(collections);
  });

  test("finds objects without a row", async () => {
    await env.BUCKET.put(`blob/${"ab".repeat(32)}`, "left behind");
    await env.BUCKET.put("media/left-behind", "left behind");
    await passHours(1, 12);
    expect(await objects()).toBe(2);
    await passHours(25, 28);
    expect(await objects()).toBe(0);
  });

  test("does a bounded part in each run, and covers everything", async () => {
    const count = 2500;
    const digests = Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, "0"));
    await db.run(sql`
      INSERT INTO blobs (sha256, size, media_type, created_at)
      SELECT unhex(value), 1, 'image/png', 0 FROM json_each(${JSON.stringify(digests)})`);
    const context = contextAt(MINUTE);
    await cleanUp(context);
    expect(await db.select().from(blobs).where(isNull(blobs.going))).toHaveLength(500);
    await cleanUp(context);
    expect(await db.select().from(blobs).where(isNull(blobs.going))).toHaveLength(0);
    const later = contextAt(HOUR + 2 * MINUTE);
    const runs = [await cleanUp(later), await cleanUp(later), await cleanUp(later)];
    expect(runs.map(({ deleted }) => deleted)).toEqual([1000, 1000, 500]);
  });
});

/** An upload that stops before its last bytes until it is released. */
function uploading(tenant: Tenant, form: FormData) {
  const request = new Request("http://form.test", { method: "POST", body: form });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoded = request.arrayBuffer().then((buffer) => new Uint8Array(buffer));
  const answer = send(uploadPath(tenant.draftId), {
    method: "POST",
    key: tenant.key,
    headers: { "Content-Type": request.headers.get("Content-Type") ?? "" },
    body: readable,
  });
  return {
    async untilLast() {
      const bytes = await encoded;
      await writer.write(bytes.subarray(0, bytes.length - 10));
      // Waits until R2 has everything that was sent.
      while ((await env.BUCKET.list()).objects.length < 2)
        await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async finish() {
      const bytes = await encoded;
      await writer.write(bytes.subarray(bytes.length - 10));
      await writer.close();
      return answer;
    },
    async cut(at: number) {
      const bytes = await encoded;
      await writer.write(bytes.subarray(0, Math.floor(at * (bytes.length - 1))));
      await writer.abort(new Error("the client is gone"));
      return answer;
    },
  };
}

describe("a client that disconnects during an upload", () => {
  test("leaves no data, wherever the upload is cut", async () => {
    const tenant = await newTenant();
    const names = ["a.png", "b.png", "c.png", "d.png"];
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (at) => {
        const files = names.map((name, index) => ({ name, bytes: picture("png", index, 40_000) }));
        const answer = await uploading(tenant, formOf(names.map(detail), files)).cut(at);
        expect(await bodyOf(answer, 400)).toMatchObject({ code: "invalid_multipart" });
        expect(await db.select().from(draftAssets)).toEqual([]);
        expect(await db.select().from(blobs).where(isNull(blobs.going))).toEqual([]);
      }),
      { numRuns: 50 },
    );
    await passHours(1, 30);
    expect(await objects()).toBe(0);
    expect(await rows()).toEqual([]);
  });

  test("doesn't affect other uploads of the same files", async () => {
    const tenant = await newTenant();
    const form = () => formOf([detail("a.png"), detail("b.png")], [small("a.png", 1), small("b.png", 2)]);
    const first = uploading(tenant, form());
    const second = uploading(tenant, form());
    await first.untilLast();
    await second.untilLast();
    await bodyOf(await first.cut(0.9), 400);
    await bodyOf(await second.finish(), 201);
    await passHours(1, 30);
    expect(await objects()).toBe(2);
    expect(await db.select().from(draftAssets).where(eq(draftAssets.draftId, tenant.draftId))).toHaveLength(
      2,
    );
  });
});
