import { afterEach, beforeAll, describe, expect, test } from "vitest";
// Inside: a recovery whose time is up after each look at the clock.
import { recoverDatabase as recover } from "../../src/operator/wallet-recovery.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { background, killAt, killedAt, observeCheckpoints, serviceContext } from "../support/operations.ts";
import { NOTHING, recoverDatabase } from "../support/recovery.ts";
import { endObject } from "../support/wallets.ts";

let shop: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Broken off");
  collection = await createCollection(shop, { copies: [1000] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(async () => {
  observeCheckpoints(null);
  await setFaults();
});

let count = 0;

/** Does a few things, each under its own key. Returns the answers, and the requests to repeat. */
const work = async () => {
  const draft = await createDraft(shop, { copies: [3, 4] });
  const id = ++count;
  const requests: (() => Promise<Response>)[] = [
    () =>
      api(`/collection/${collection.collection_uuid}`, {
        key: shop.key,
        method: "PUT",
        json: { description: `Light ${id}` },
        headers: { "idempotency-key": `update ${id}` },
      }),
    () =>
      api(`/collection-draft/${draft}/finalize`, {
        key: shop.key,
        method: "POST",
        headers: { "idempotency-key": `finalize ${id}` },
      }),
    ...[1, 2, 3].map(
      (mint) => () =>
        api(`/collection/${collection.collection_uuid}/mint`, {
          key: shop.key,
          json: { receiver_addresses: [alice] },
          headers: { "idempotency-key": `mint ${id} ${mint}` },
        }),
    ),
  ];
  const answers: unknown[] = [];
  for (const request of requests) answers.push(await read(await request()));
  return { requests, answers };
};

const read = async (response: Response): Promise<{ readonly status: number; readonly body: unknown }> => ({
  status: response.status,
  body: await response.json(),
});

/** The answers when the requests are sent again. All have to be replayed. */
const replays = async (requests: readonly (() => Promise<Response>)[]): Promise<unknown[]> => {
  const answers: unknown[] = [];
  for (const request of requests) {
    const response = await request();
    expect(response.headers.get("idempotency-replayed")).toBe("true");
    answers.push(await read(response));
  }
  return answers;
};

const POINTS = [
  "recovery.before_put_back",
  "recovery.put_back",
  "recovery.before_end",
  "recovery.before_forgotten",
  "recovery.wallet_recovered",
];

/** Most kills of a recovery at one point. */
const MOST_KILLS = 4;

describe("a recovery that is interrupted", () => {
  test.each(POINTS)("at %s, several times, is completed by the next", async (point) => {
    const before = await takeSnapshot();
    const { requests, answers } = await work();
    await goBack(before);
    const kills = killAt(point, (pass) => pass % 2 === 1 && pass < 2 * MOST_KILLS);
    for (let calls = 0; ; calls++) {
      expect(calls).toBeLessThan(30);
      const answer = await admin("/database/recover", { json: {} });
      if (answer.status === 200) break;
      expect(answer.status).toBe(500);
      // Nothing restored is signed again meanwhile. The object may end too.
      if (calls % 2 === 0) await endObject(shop.integrationUuid);
    }
    expect(kills.count).toBeGreaterThan(0);
    observeCheckpoints(null);
    await recoverDatabase();
    expect(await replays(requests)).toEqual(answers);
    expect(await recoverDatabase()).toEqual(NOTHING);
    expect(await bodyOf(await api("/ready"), 200)).toMatchObject({ database: { behind: false } });
  });

  test("by another rollback of the database starts again", async () => {
    const before = await takeSnapshot();
    const { requests, answers } = await work();
    await goBack(before);
    const recover = () => admin("/database/recover", { json: {} });
    expect((await killedAt("recovery.put_back", recover, (pass) => pass === 3)).status).toBe(500);
    await goBack(before);
    await recoverDatabase();
    expect(await replays(requests)).toEqual(answers);
  });

  test("by its time limit returns a cursor with which it continues", async () => {
    const before = await takeSnapshot();
    const { requests, answers } = await work();
    await goBack(before);
    let calls = 0;
    for (let cursor: string | null = null; ; ) {
      // A clock that ends a call's time after some looks at it.
      let later = 0;
      const now = () => {
        later += 2_000;
        return new Date(Date.now() + later);
      };
      const context = { ...serviceContext(), now };
      const { next } = await recover(context, cursor);
      calls++;
      expect(calls).toBeLessThan(30);
      if (next === null) break;
      cursor = next;
    }
    expect(calls).toBeGreaterThan(1);
    expect(await replays(requests)).toEqual(answers);
  });

  test("because no node answers reports that, and continues when nodes answer", async () => {
    const before = await takeSnapshot();
    const { requests, answers } = await work();
    await goBack(before);
    await setFaults({ kind: "down" });
    expect(await bodyOf(await admin("/database/recover", { json: {} }), 503)).toMatchObject({
      code: "chain_unavailable",
    });
    await setFaults();
    await recoverDatabase();
    expect(await replays(requests)).toEqual(answers);
  });

  test("by another one at the same time still restores everything once", async () => {
    const before = await takeSnapshot();
    const { requests, answers } = await work();
    await goBack(before);
    await Promise.all([recoverDatabase(), recoverDatabase(), background.reconcile(60_000)]);
    expect(await replays(requests)).toEqual(answers);
    expect(await recoverDatabase()).toEqual(NOTHING);
  });
});

describe("a database that was rolled back and then restored to its newest state", () => {
  test("needs a recovery, which finds nothing", async () => {
    const before = await takeSnapshot();
    const { requests, answers } = await work();
    const after = await takeSnapshot();
    await goBack(before);
    expect((await requests[4]!()).status).toBe(503);
    await goBack(after);
    expect(await recoverDatabase()).toEqual(NOTHING);
    expect(await replays(requests)).toEqual(answers);
    await bodyOf(
      await api(`/collection/${collection.collection_uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [alice] },
      }),
      201,
    );
  });
});
