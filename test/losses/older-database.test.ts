import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { background, killAt, observeCheckpoints } from "../support/operations.ts";
import { NOTHING, recoverDatabase } from "../support/recovery.ts";
import { endObject } from "../support/wallets.ts";

let shop: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Older");
  collection = await createCollection(shop, { copies: [1000] });
  [alice] = (await createReceivers(1)) as [string];
});

afterEach(() => observeCheckpoints(null));

const mint = (key?: string) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });

const activate = () => admin(`/integration/${shop.integrationUuid}/wallet/activate`, { method: "POST" });

const ready = async () => bodyOf(await api("/ready"), 200);

const minted = () => mintedOnChain(shop, collection);

const walletState = async () =>
  (await bodyOf<{ state: string }>(await admin(`/integration/${shop.integrationUuid}/wallet`), 200)).state;

describe("a database that is as new as its wallets", () => {
  test("is accepted, however many operations come at once and in whatever order", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => mint()));
    for (const answer of answers) await bodyOf(answer, 201);
    expect(await walletState()).toBe("active");
  });

  test("is accepted by an object that was just started again", async () => {
    await endObject(shop.integrationUuid);
    const answers = await Promise.all(Array.from({ length: 20 }, () => mint()));
    for (const answer of answers) await bodyOf(answer, 201);
    expect(await walletState()).toBe("active");
  });

  test("has nothing to recover", async () => {
    expect(await recoverDatabase()).toEqual(NOTHING);
    await background.reconcile();
    expect(await ready()).toMatchObject({ status: "ready", database: { behind: false } });
  });
});

describe("a database that was rolled back", () => {
  test("mints nothing a second time under one Idempotency-Key", async () => {
    const before = await takeSnapshot();
    await bodyOf(await mint("once"), 201);
    const count = await minted();
    await goBack(before);
    const again = await bodyOf<{ code: string; message: string; outcome: string }>(await mint("once"), 503);
    expect(again).toMatchObject({ code: "wallet_inactive", outcome: "not_submitted" });
    expect(again.message).toContain("Nothing was sent");
    expect(await minted()).toBe(count);
    expect(await walletState()).toBe("behind");
    expect(await ready()).toMatchObject({ status: "ready", database: { behind: true } });
  });

  test("is still detected after the object ended, until it is recovered", async () => {
    await endObject(shop.integrationUuid);
    expect(await bodyOf(await mint("once"), 503)).toMatchObject({ code: "wallet_inactive" });
    expect(await bodyOf(await activate(), 409)).toMatchObject({ code: "conflict" });
    expect(await walletState()).toBe("behind");
    await recoverDatabase();
    expect((await mint("once")).headers.get("idempotency-replayed")).toBe("true");
    expect(await ready()).toMatchObject({ database: { behind: false } });
    expect(await walletState()).toBe("active");
  });

  test("accepts none of a burst of requests that is larger than what was lost", async () => {
    const before = await takeSnapshot();
    for (const key of ["a", "b", "c"]) await bodyOf(await mint(key), 201);
    const count = await minted();
    await goBack(before);
    const keys = ["a", "b", "c", ...Array.from({ length: 40 }, (_, index) => `burst ${index}`)];
    const answers = await Promise.all(keys.map((key) => mint(key)));
    for (const answer of answers)
      expect(await bodyOf(answer, 503)).toMatchObject({ code: "wallet_inactive" });
    expect(await minted()).toBe(count);
    expect(await recoverDatabase()).toMatchObject({ operations: 3, idempotency_keys: 3 });
    for (const key of ["a", "b", "c"]) {
      expect((await mint(key)).headers.get("idempotency-replayed")).toBe("true");
    }
    await bodyOf(await mint("burst 7"), 201);
    expect(await minted()).toBe(count + 1);
  });

  test("is detected by the schedule if nobody sends anything", async () => {
    const before = await takeSnapshot();
    await bodyOf(await mint("idle"), 201);
    await goBack(before);
    await background.reconcile();
    expect(await walletState()).toBe("behind");
    expect(await ready()).toMatchObject({ database: { behind: true } });
    const stuck = await bodyOf<object[]>(await admin("/transaction/stuck"), 200);
    expect(stuck).toContainEqual(
      expect.objectContaining({ integration_uuid: shop.integrationUuid, state: "behind" }),
    );
    const pages: object[] = [];
    for (let next: string | null = "/transaction/stuck?limit=1"; next !== null; ) {
      const page: Response = await admin(next);
      const link: string | undefined = /<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1];
      pages.push(...(await bodyOf<object[]>(page, 200)));
      next = link === undefined ? null : link.slice(link.indexOf("/transaction"));
    }
    expect(pages).toEqual(stuck);
    await recoverDatabase();
  });

  test("is detected by the wallet's alarm, which resumes an operation that is missing", async () => {
    const before = await takeSnapshot();
    killAt("operation.before_effects");
    await bodyOf(await mint("open"), 202);
    await goBack(before);
    observeCheckpoints(null);
    const reached = new Promise<void>((resolve) => {
      observeCheckpoints((name) => {
        if (name === "wallet.resumed") resolve();
      });
    });
    await reached;
    observeCheckpoints(null);
    expect(await walletState()).toBe("behind");
    expect(await recoverDatabase()).toMatchObject({ operations: 1, idempotency_keys: 1 });
    const answer = await mint("open");
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
    await bodyOf(answer, 201);
  });
});
