import { env } from "cloudflare:workers";
import { CID } from "multiformats/cid";
import { afterEach, beforeAll, expect, test } from "vitest";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import { picture } from "../../testing/pictures.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import type { Finalized } from "../support/collections.ts";
import { background, operationOver } from "../support/operations.ts";
import { watched } from "../support/trips.ts";

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration("Trips");
});
afterEach(() => observeCheckpoints(null));

const finalizeOf = (draft: string) =>
  [`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" }] as const;

const ENDS = /update "operations" set .*"answer_body" = \?/;

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

/** The block of a directory that nothing refers to any more, as clean-up takes it. */
const unreferenced = async ({ ipfs_result: { root_cid: root } }: Finalized) => {
  const digest = Buffer.from(CID.parse(root).multihash.digest);
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

test("a directory's block that is being deleted is waited for, and kept where it was put after that", async () => {
  const made = await bodyOf<Finalized>(await api(...finalizeOf(await draftOf(2))), 201);
  const block = await unreferenced(made);
  let ends = 0;
  const { send, over } = watched(async (sql) => {
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

test("one that was deleted after it had been put is put again by whoever takes the finalization on", async () => {
  const made = await bodyOf<Finalized>(await api(...finalizeOf(await draftOf(3))), 201);
  const block = await unreferenced(made);
  let ends = 0;
  const { send, over } = watched(async (sql) => {
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
