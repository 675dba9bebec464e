import { env } from "cloudflare:workers";
import { CID } from "multiformats/cid";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { api, apiWith, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import type { Finalized } from "../support/collections.ts";
import { storedFinalization, storePlan } from "../support/finalize-plans.ts";
import { largeDraft } from "../support/large-drafts.ts";
import {
  acceptedOnly,
  background,
  observeCheckpoints,
  operationOver,
  untilJoined,
} from "../support/operations.ts";
import { watched } from "../support/trips.ts";

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration("Trips");
});
afterEach(() => observeCheckpoints(null));

const finalizeOf = (draft: string) =>
  [`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" }] as const;

/** The answer of a request that joins a stopped finalization. */
const finalizedByJoining = async (draft: string): Promise<Response> =>
  (await apiWith({ WALLET: untilJoined() }, ...finalizeOf(draft))).response;

/** The end of a finalization keeps its directory's blocks. */
const ENDS = /^insert into "blobs"/;

/** A draft of one picture; two of the same number become the same directory. */
const draftOf = async (number: number): Promise<string> => {
  const { collection_draft_uuid: uuid } = await bodyOf<{ collection_draft_uuid: string }>(
    await api("/collection-draft", {
      key: shop.key,
      json: { contract_uuid: shop.contractUuid, title: "Herons" },
    }),
    201,
  );
  await attachTo(uuid, number);
  return uuid;
};

const attachTo = async (draft: string, number: number): Promise<string> => {
  const form = new FormData();
  form.append("asset_file", new File([picture("png", 40_000 + number)], "0.png", { type: "image/png" }));
  form.append("assets_detail", JSON.stringify([{ asset_filename: "0.png", copies: 1 }]));
  const [asset] = await bodyOf<{ asset_uuid: string }[]>(
    await api(`/collection-draft/${draft}/asset-bulk`, { key: shop.key, form }),
    201,
  );
  return asset!.asset_uuid;
};

const LOCKS = /^update "drafts" set "state"/;
const READS = /^select .* from "drafts" left join "collections"/;

test("a draft is finalized in three database calls: it is read, locked, and gets its directory", async () => {
  const draft = await draftOf(1);
  const { send, trips, over } = watched(shop.integrationUuid);
  const answer = await send(...finalizeOf(draft));
  expect(trips).toEqual([READS, LOCKS, ENDS].map((each) => expect.stringMatching(each)));
  await bodyOf<Finalized>(answer, 201);
  await over();
});

test("a draft of more than a page of assets is read page by page, once for its plan when it is locked", async () => {
  const draft = await largeDraft(shop, {
    assets: 1_200,
    first: 7_000_000,
    subtitle: "NULL",
    references: false,
  });
  const { send, trips, over } = watched(shop.integrationUuid);
  const body = await bodyOf<Finalized>(await send(...finalizeOf(draft)), 201);
  expect(body.near_collection.total_copies).toBe(1_200);
  const page = /^select .* from "draft_assets"/;
  // The first page stays in memory: the transaction, the manifest and the directory read what is behind it.
  const all = [READS, /^select COUNT/, LOCKS, page, page, page, page, page, ENDS];
  expect(trips).toEqual(all.map((each) => expect.stringMatching(each)));
  await over();
});

test("a running finalization is joined after one database call, and an ended one is refused in one", async () => {
  const draft = await draftOf(4);
  const joined = watched(shop.integrationUuid);
  await acceptedOnly(shop.key, `/collection-draft/${draft}/finalize`, async () => {
    const answer = await joined.send(...finalizeOf(draft), { WALLET: untilJoined() });
    await bodyOf<Finalized>(answer, 201);
  });
  expect(joined.trips[0]).toMatch(READS);
  await joined.over();
  const { send, trips } = watched(shop.integrationUuid);
  expect(await bodyOf(await send(...finalizeOf(draft)), 409)).toMatchObject({ code: "draft_finalized" });
  expect(trips).toEqual([expect.stringMatching(READS)]);
});

const deleteAsset = async (draft: string, asset: string) => {
  const answer = await api(`/collection-draft/${draft}/asset/${asset}`, { key: shop.key, method: "DELETE" });
  expect(answer.status).toBe(204);
};

/** Finalizes a draft, to which something is done whenever it is about to be locked. */
const finalizedWhile = async (draft: string, change: (pass: number) => Promise<unknown>) => {
  let passes = 0;
  const { send, over } = watched(shop.integrationUuid, async (sql) => {
    if (LOCKS.test(sql)) await change(++passes);
  });
  const answer = await send(...finalizeOf(draft));
  await over();
  return { answer, passes };
};

/** Does something to a draft in the millisecond of its last change, so that its time doesn't tell. */
const inItsMillisecond = async (draft: string, change: () => Promise<unknown>): Promise<void> => {
  const id = Buffer.from(draft.replaceAll("-", ""), "hex");
  // Inside: no request chooses the time of a change.
  const read = env.DB.prepare("SELECT updated_at FROM drafts WHERE id = ?").bind(id);
  const at = await read.first<number>("updated_at");
  await change();
  await env.DB.prepare("UPDATE drafts SET updated_at = ? WHERE id = ?").bind(at, id).run();
};

const assetsOf = async (draft: string): Promise<string[]> => {
  const answer = await api(`/collection-draft/${draft}/asset`, { key: shop.key });
  return (await bodyOf<{ asset_uuid: string }[]>(answer, 200)).map(({ asset_uuid: uuid }) => uuid);
};

describe("assets that change while their draft is being accepted", () => {
  test("are included in the collection", async () => {
    const draft = await draftOf(5);
    const { answer, passes } = await finalizedWhile(draft, async (pass) => {
      if (pass === 1) await inItsMillisecond(draft, () => attachTo(draft, 6));
    });
    expect(passes).toBe(2);
    expect((await bodyOf<Finalized>(answer, 201)).near_collection.total_copies).toBe(2);
  });

  test("are included even if an asset was replaced by another", async () => {
    const draft = await draftOf(7);
    const { answer } = await finalizedWhile(draft, async (pass) => {
      if (pass > 1) return;
      await inItsMillisecond(draft, async () => {
        await deleteAsset(draft, (await assetsOf(draft))[0]!);
        await attachTo(draft, 8);
      });
    });
    const { ipfs_result: made } = await bodyOf<Finalized>(answer, 201);
    const other = await bodyOf<Finalized>(await api(...finalizeOf(await draftOf(8))), 201);
    expect(made.files.map(({ cid }) => cid)).toEqual(other.ipfs_result.files.map(({ cid }) => cid));
  });

  test("are a conflict if the last one is deleted", async () => {
    const draft = await draftOf(9);
    const { answer } = await finalizedWhile(draft, async () =>
      deleteAsset(draft, (await assetsOf(draft))[0]!),
    );
    expect(await bodyOf(answer, 409)).toMatchObject({ code: "draft_empty" });
  });

  test("are a conflict if they change at every attempt, and the request can be repeated", async () => {
    const draft = await draftOf(10);
    const { answer, passes } = await finalizedWhile(draft, (pass) => attachTo(draft, 10 + pass));
    expect(await bodyOf(answer, 409)).toMatchObject({ code: "conflict", retryable: true });
    expect(passes).toBe(5);
    const made = await bodyOf<Finalized>(await api(...finalizeOf(draft)), 201);
    expect(made.near_collection.total_copies).toBe(6);
  });

  test("can't be changed once the draft is accepted", async () => {
    const draft = await draftOf(20);
    const [asset] = await assetsOf(draft);
    await acceptedOnly(shop.key, `/collection-draft/${draft}/finalize`, async () => {
      const path = `/collection-draft/${draft}/asset/${asset}`;
      const deletion = await api(path, { key: shop.key, method: "DELETE" });
      expect(await bodyOf(deletion, 409)).toMatchObject({ code: "draft_locked" });
      await bodyOf(await finalizedByJoining(draft), 201);
    });
  });
});

test("a finalization continues with the plan with which it was accepted", async () => {
  const draft = await draftOf(21);
  await attachTo(draft, 22);
  const made = await acceptedOnly(shop.key, `/collection-draft/${draft}/finalize`, async () => {
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(
      await api(`/collection-draft/${draft}`, { key: shop.key }),
      200,
    );
    const plan = (await storedFinalization(uuid)).plan!;
    expect(plan).toMatchObject({ assets: 2, total: 2, batches: [{ after: -1, offset: 0, assets: 2 }] });
    // The release that accepted it made two batches; this one would make one.
    const { storage } = plan.batches[0]!;
    const cut = (at: number) => ({ after: at - 1, offset: at, assets: 1, storage });
    await storePlan(uuid, { ...plan, batches: [cut(0), cut(1)] });
    return bodyOf<Finalized>(await finalizedByJoining(draft), 201);
  });
  expect(made.tx_results).toHaveLength(3);
  expect(made.near_collection.total_copies).toBe(2);
});

/** The block of a directory that nothing refers to any more, as clean-up takes it. */
const unreferenced = async ({ ipfs_result: { root_cid: root } }: Finalized) => {
  const digest = Buffer.from(CID.parse(root).multihash.digest);
  // Inside: the clean-up deletes a directory's block between two steps of a finalization.
  await env.DB.prepare("DELETE FROM collection_blobs WHERE sha256 = ?").bind(digest).run();
  return {
    become: (going: "deleting" | "deleted") =>
      env.DB.prepare("UPDATE blobs SET going = ?, going_at = ? WHERE sha256 = ?")
        .bind(going, Date.now(), digest)
        .run(),
    deleteObject: () => env.BUCKET.delete(`blob/${digest.toString("hex")}`),
    isServed: async () => {
      const answer = await api(`/ipfs/${root}?format=raw&download=true`);
      await answer.body?.cancel();
      return answer.status === 200;
    },
    isKept: async () =>
      (await env.DB.prepare("SELECT 1 FROM collection_blobs WHERE sha256 = ?").bind(digest).first()) !== null,
  };
};

test("a finalization waits while its directory's block is deleted, and stores it again", async () => {
  const made = await bodyOf<Finalized>(await api(...finalizeOf(await draftOf(2))), 201);
  const block = await unreferenced(made);
  let ends = 0;
  const { send, over } = watched(shop.integrationUuid, async (sql) => {
    if (!ENDS.test(sql)) return;
    ends += 1;
    if (ends === 1) await block.become("deleting");
    if (ends === 2) await block.become("deleted");
  });
  const again = await bodyOf<Finalized>(await send(...finalizeOf(await draftOf(2))), 201);
  await over();
  expect(again.ipfs_result.root_cid).toBe(made.ipfs_result.root_cid);
  expect(ends).toBe(3);
  expect([await block.isServed(), await block.isKept()]).toEqual([true, true]);
});

test("a directory's block that is deleted after it was stored is stored again when the finalization resumes", async () => {
  const made = await bodyOf<Finalized>(await api(...finalizeOf(await draftOf(3))), 201);
  const block = await unreferenced(made);
  let ends = 0;
  const { send, over } = watched(shop.integrationUuid, async (sql) => {
    if (!ENDS.test(sql)) return;
    ends += 1;
    await block.become("deleted");
    await block.deleteObject();
  });
  const answer = await send(...finalizeOf(await draftOf(3)));
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  await over();
  expect(ends).toBe(1);
  await background.resume(uuid);
  expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "succeeded" });
  expect([await block.isServed(), await block.isKept()]).toEqual([true, true]);
});
