import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Overview, Wallet } from "../../client/src/index.ts";
// Inside: no request holds a comparison with D1 back.
import type { Outbox } from "../../src/wallet/outbox.ts";
import { picture } from "../../testing/pictures.ts";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { addOperations, archive, archiveEarly, DAY, NEWEST } from "../support/archives.ts";
import { balanceOf } from "../support/chain-control.ts";
import {
  createCollection,
  createDraft,
  createHalfSold,
  type Finalized,
  mintedOnChain,
} from "../support/collections.ts";
import { failingD1, goBack, takeSnapshot } from "../support/database.ts";
import { inLedger, putLedger, takeLedger, watchedLedgers } from "../support/ledgers.ts";
import {
  background,
  eventsOf,
  type OperationResource,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { intent, journalRows, walletOf } from "../support/own-wallets.ts";
import { pay } from "../support/payments.ts";
import { inOneDay, until } from "../support/waiting.ts";
import { dropObject, endObject, loseObject, shipAll, toldD1 } from "../support/wallets.ts";

let shop: TestIntegration;
let made: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Forgetful");
  made = await createCollection(shop, { copies: [100] });
  [alice] = (await createReceivers(1)) as [string];
});
// What was spent counts by days.
beforeEach(inOneDay);

const mint = (key: string = crypto.randomUUID(), { collection_uuid: uuid }: Finalized = made) =>
  api(`/collection/${uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    headers: { "idempotency-key": key },
  });

const minted = () => mintedOnChain(shop, made);

const wallet = async (action: "restore" | "activate") =>
  bodyOf<Wallet>(
    await admin(`/integration/${shop.integrationUuid}/wallet/${action}`, { method: "POST" }),
    200,
  );

/** Looks at the calls of D1 that name operations which R2 doesn't have. The answer to each is lost until `loseNext` is over. */
const watchNaming = () => {
  // Inside: no answer shows the single calls of D1.
  const prototype = Object.getPrototypeOf(env.DB) as { batch: (all: unknown[]) => Promise<unknown> };
  const { batch } = prototype;
  let [isLosing, lost] = [true, 0];
  let look: (() => Promise<void>) | null = null;
  vi.spyOn(prototype, "batch").mockImplementation(async function (this: unknown, all) {
    const answer = await batch.call(this, all);
    const isNaming = (one: unknown) =>
      (one as { statement?: string }).statement?.includes("INSERT INTO unshipped_operations");
    if (!all.some(isNaming)) return answer;
    await look?.();
    if (!isLosing) return answer;
    lost += 1;
    throw new Error("Network connection lost.");
  });
  return {
    loseNext: async () => {
      const before = lost;
      await expect.poll(() => lost).toBeGreaterThan(before);
      isLosing = false;
    },
    /** What `read` finds after each call from now on. */
    after: <Found>(read: () => Promise<Found>): readonly Found[] => {
      const found: Found[] = [];
      look = async () => void found.push(await read());
      return found;
    },
  };
};

/** Serves a file at all addresses of files.example.com, until `end`. */
const serveFiles = (first: Uint8Array) => {
  let bytes = first;
  const real = globalThis.fetch;
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.startsWith("https://files.example.com") ? new Response(bytes) : real(input, init);
  });
  return {
    serve: (next: Uint8Array) => {
      bytes = next;
    },
    end: () => spy.mockRestore(),
  };
};

// Before tests that move clean-up's clock ahead.
test("a database that was set back gets back files of mints and contracts, and nothing is cleaned up meanwhile", async () => {
  await background.reconcile();
  await background.reconcile();
  const snapshot = await takeSnapshot();
  const bytes = picture("png", 7);
  const files = serveFiles(bytes);
  const answer = await api(`/collection/${made.collection_uuid}/mint`, {
    key: shop.key,
    json: {
      receiver_addresses: [alice],
      metadata: { asset_file_url: "https://files.example.com/a.png" },
    },
  });
  const { tokens } = await bodyOf<{ tokens: { media_url: string }[] }>(answer, 201);
  files.end();
  const file = new URL(tokens[0]!.media_url).pathname;
  const json = { name: "Second", symbol: "SECOND" };
  const deployed = await admin(`/integration/${shop.integrationUuid}/contract`, { method: "POST", json });
  const { contract_uuid: contract } = await bodyOf<{ contract_uuid: string }>(deployed, 201);
  await background.reconcile();
  await background.reconcile();
  await goBack(snapshot);
  expect((await api(file)).status).toBe(404);
  for (const hours of [30, 32, 34]) await background.cleanUp(hours * 3_600_000);
  await endObject(shop.integrationUuid);
  await background.reconcile();
  await expect.poll(async () => (await api(file)).status).toBe(200);
  expect(new Uint8Array(await (await api(file)).arrayBuffer())).toEqual(bytes);
  expect(await bodyOf(await admin(`/contract/${contract}`), 200)).toMatchObject({ state: "ready" });
  for (const hours of [60, 62, 64]) await background.cleanUp(hours * 3_600_000);
  expect((await api(file)).status).toBe(200);
});

describe("a ledger that lost its storage", () => {
  test("accepts nothing until it is restored, and then has its operations, keys and collections again", async () => {
    const key = crypto.randomUUID();
    const first = await mint(key);
    const uuid = first.headers.get("x-operation-uuid")!;
    const answer = await bodyOf<object>(first, 201);
    const events = await eventsOf<{ seq: number }>(shop.key, "nft.minted");
    const before = await minted();
    const unread = await createCollection(shop, { copies: [1] });
    await loseObject(shop.integrationUuid);
    for (const [again, of] of [
      [key, made],
      [crypto.randomUUID(), made],
      // Of this one the Worker reads the ledger's row first.
      [crypto.randomUUID(), unread],
    ] as const) {
      const refused = await mint(again, of);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
      // A key's write may have been carried out before.
      expect(await bodyOf(refused, 503)).toMatchObject({ code: "wallet_inactive", outcome: "unknown" });
    }
    // Who is asked for by the key is answered all the same.
    expect(await bodyOf(await api("/me", { key: shop.key }), 200)).toMatchObject({
      wallet: { state: "empty", unpaid_sales: "0" },
    });
    await wallet("restore");
    expect(await bodyOf(await mint(), 503)).toMatchObject({ code: "wallet_inactive" });
    await wallet("activate");
    const again = await mint(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(answer);
    expect(await readOperation<object>(shop.key, uuid)).toMatchObject({ state: "succeeded" });
    expect(await minted()).toBe(before);
    await bodyOf(await mint(), 201);
    expect(await minted()).toBe(before + 1);
    const later = await eventsOf<{ seq: number }>(shop.key, "nft.minted");
    expect(later.at(-1)!.seq).toBeGreaterThan(events.at(-1)!.seq);
  });

  test("answers the keys of its last seconds, which nothing has any more, with an unknown outcome", async () => {
    const key = crypto.randomUUID();
    // R2 would have them after twenty seconds, which may pass before the loss.
    const put = vi.spyOn(env.BUCKET, "put").mockRejectedValue(new Error("put: 10001"));
    const first = await mint(key);
    const uuid = first.headers.get("x-operation-uuid")!;
    await bodyOf(first, 201);
    const before = await minted();
    await toldD1(shop.integrationUuid);
    await dropObject(shop.integrationUuid);
    put.mockRestore();
    const lost = { operation_uuid: uuid, idempotency_key: key };
    expect((await wallet("restore")).lost_operations).toContainEqual(lost);
    await wallet("activate");
    const shown = await admin(`/integration/${shop.integrationUuid}/wallet`);
    expect((await bodyOf<Wallet>(shown, 200)).lost_operations).toContainEqual(lost);
    const again = await mint(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const unknown = { code: "outcome_unknown", outcome: "unknown", operation_uuid: uuid };
    expect(await bodyOf(again, 502)).toMatchObject(unknown);
    // A caller who was told 202 asks for it so.
    expect(await bodyOf(await api(`/operation/${uuid}`, { key: shop.key }), 502)).toMatchObject(unknown);
    expect(
      await bodyOf(await admin(`/operation/${uuid}?integration_uuid=${shop.integrationUuid}`), 502),
    ).toMatchObject(unknown);
    expect((await api(`/operation/${crypto.randomUUID()}`, { key: shop.key })).status).toBe(404);
    await background.reconcile();
    await dropObject(shop.integrationUuid);
    expect((await wallet("restore")).lost_operations).toContainEqual(lost);
    await wallet("activate");
    expect(await bodyOf(await mint(key), 502)).toMatchObject({ operation_uuid: uuid });
    expect(await minted()).toBe(before);
  });

  test("answers keys of as many operations as an R2 that failed for a while has kept it from copying, after each loss", async () => {
    const naming = watchNaming();
    const keys = [crypto.randomUUID(), crypto.randomUUID()] as const;
    const put = vi
      .spyOn(env.BUCKET, "put")
      .mockRejectedValue(new Error("put: We encountered an internal error. Please try again. (10001)"));
    const mintAs = async (key: string) => {
      const answer = await mint(key);
      await bodyOf(answer, 201);
      return answer.headers.get("x-operation-uuid")!;
    };
    const first = await mintAs(keys[0]);
    // 7,000 mints later, as UUIDs of version 7.
    await inLedger(
      shop.integrationUuid,
      `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 7000)
       INSERT INTO unshipped (operation_id, changed_at, key)
       SELECT unhex(? || printf('70008000%012x', number)), ?, 'key of ' || number FROM numbers`,
      Date.now().toString(16).padStart(12, "0"),
      Date.now(),
    );
    const last = await mintAs(keys[1]);
    // Also the answer to a call that nothing else follows.
    await naming.loseNext();
    const before = await minted();
    const namedByD1 = async () => {
      // Inside: nothing else shows what D1 has for a loss to come.
      const { results } = await env.DB.prepare(
        "SELECT unshipped AS named FROM ledgers UNION ALL SELECT operations FROM unshipped_operations",
      ).all<{ named: string }>();
      const named = results.map((row) => row.named).join();
      return [first, last].map((uuid) => named.includes(uuid.replaceAll("-", "")));
    };
    const rowsOfD1 = (which: string) =>
      env.DB.prepare(`SELECT count(*) FROM unshipped_operations WHERE expires_at ${which}`).first<number>(
        "count(*)",
      );
    await expect.poll(namedByD1).toEqual([true, true]);
    put.mockRestore();
    // From here on another loss may come at any time.
    const afterEach = naming.after(namedByD1);
    for (const loss of [1, 2]) {
      await dropObject(shop.integrationUuid);
      await wallet("restore");
      await wallet("activate");
      for (const [key, uuid] of [
        [keys[0], first],
        [keys[1], last],
      ] as const)
        expect(await bodyOf(await mint(key), 502), `loss ${loss}`).toMatchObject({
          code: "outcome_unknown",
          operation_uuid: uuid,
        });
      // 7,002 operations are in eight rows of 1,000.
      await expect
        .poll(async () => [...(await namedByD1()), (await rowsOfD1("IS NOT NULL"))! >= 8])
        .toEqual([true, true, true]);
    }
    expect(new Set(afterEach.map(String))).toEqual(new Set(["true,true"]));
    vi.restoreAllMocks();
    expect(await minted()).toBe(before);
    // The next call deletes what R2 has by now, or what is lost.
    await bodyOf(await mint(), 201);
    await expect.poll(() => rowsOfD1("IS NULL")).toBe(0);
  });

  test("finds its archive again, which clean-up keeps meanwhile, and nothing of it twice", async () => {
    await shipAll(shop.integrationUuid);
    await bodyOf(await mint(), 201);
    await shipAll(shop.integrationUuid);
    await addOperations(shop.integrationUuid, made.collection_uuid, NEWEST);
    const listed = async () =>
      (
        await bodyOf<OperationResource[]>(await api("/operation?kind=mint&limit=100", { key: shop.key }), 200)
      ).map(({ operation_uuid: uuid }) => uuid);
    const before = await listed();
    await loseObject(shop.integrationUuid, () => archive());
    // A run that takes the emptied ledger at its word would delete the files.
    await background.cleanUp(70 * DAY).catch(() => undefined);
    await wallet("restore");
    await wallet("restore");
    await wallet("activate");
    expect(await listed()).toEqual(before);
    for (const uuid of before)
      expect(await readOperation<object>(shop.key, uuid)).toMatchObject({ state: "succeeded" });
    const kept = await inLedger(shop.integrationUuid, "SELECT id FROM operations WHERE kind = 'mint'");
    expect(kept).toEqual([]);
    expect(await inLedger(shop.integrationUuid, "SELECT 1 FROM archives")).not.toEqual([]);
    const [{ left }] = (await inLedger<{ left: number }>(
      shop.integrationUuid,
      "SELECT count(*) AS left FROM unshipped",
    )) as [{ left: number }];
    expect(left).toBe(0);
    // Old records of what is in the archive go; the finalization's stays.
    const records = async () =>
      (await env.BUCKET.list({ prefix: `record/${shop.integrationUuid}/` })).objects;
    const had = (await records()).length;
    await background.cleanUp(40 * DAY);
    await background.cleanUp(40 * DAY);
    const rest = await records();
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.length).toBeLessThan(had);
    await loseObject(shop.integrationUuid);
    await wallet("restore");
    await wallet("activate");
    expect(await listed()).toEqual(before);
    expect(
      await bodyOf<OperationResource[]>(await api("/operation?kind=finalize", { key: shop.key }), 200),
    ).not.toEqual([]);
  });

  test("finds an operation whose old record it shares with others that were archived", async () => {
    const records = async () =>
      (await env.BUCKET.list({ prefix: `record/${shop.integrationUuid}/` })).objects;
    await bodyOf(await mint(), 201);
    await env.BUCKET.delete((await records()).map(({ key }) => key));
    await inLedger(
      shop.integrationUuid,
      "INSERT OR IGNORE INTO unshipped (operation_id, changed_at) SELECT id, 0 FROM operations",
    );
    await shipAll(shop.integrationUuid);
    await addOperations(shop.integrationUuid, made.collection_uuid, NEWEST, "contract_upgrade");
    await archive();
    expect(await inLedger(shop.integrationUuid, "SELECT id FROM operations WHERE kind = 'mint'")).toEqual([]);
    await background.cleanUp(40 * DAY);
    await background.cleanUp(40 * DAY);
    await loseObject(shop.integrationUuid);
    await wallet("restore");
    await wallet("activate");
    expect(
      await bodyOf<OperationResource[]>(await api("/operation?kind=finalize", { key: shop.key }), 200),
    ).not.toEqual([]);
  });

  test("is shown to the operator, whether a request has noticed it or nobody, until it is activated", async () => {
    const attention = async () => {
      const { attention: found } = await bodyOf<Overview>(await admin("/overview"), 200);
      return found.filter(({ rule }) => ["wallet_inactive", "archive_refused"].includes(rule));
    };
    const shown = [{ severity: "critical", subject: shop.walletAccountId }];
    const stuck = async () =>
      (await bodyOf<{ integration_uuid: string }[]>(await admin("/transaction/stuck"), 200)).filter(
        ({ integration_uuid: uuid }) => uuid === shop.integrationUuid,
      );
    for (const notice of [() => mint(), () => background.reconcile()]) {
      expect(await attention()).toEqual([]);
      await loseObject(shop.integrationUuid);
      await notice();
      await expect.poll(attention).toMatchObject(shown);
      expect(await stuck()).toMatchObject([{ operation_uuid: null, state: "wallet_inactive" }]);
      await wallet("restore");
      await background.reconcile();
      expect(await attention()).toMatchObject(shown);
      await wallet("activate");
      expect(await attention()).toEqual([]);
      expect(await stuck()).toEqual([]);
    }
  });

  test("is no longer shown to the operator once its integration is deleted", async () => {
    const { integrationUuid: uuid, walletAccountId } = await createIntegration("Deleted");
    const subjects = async () =>
      (await bodyOf<Overview>(await admin("/overview"), 200)).attention.map(({ subject }) => subject);
    await bodyOf(await admin(`/integration/${uuid}`, { method: "PUT", json: { suspended: true } }), 200);
    await bodyOf(await admin(`/integration/${uuid}?leave_funds=true`, { method: "DELETE" }), 200);
    await loseObject(uuid);
    await background.reconcile();
    expect(await subjects()).not.toContain(walletAccountId);
  });

  test("knows what was spent today", async () => {
    const spent = async () =>
      BigInt(
        (
          await bodyOf<{ used: { spending_per_day: string } }>(
            await admin(`/integration/${shop.integrationUuid}/limits`),
            200,
          )
        ).used.spending_per_day,
      );
    await bodyOf(await mint(), 201);
    const before = await spent();
    expect(before > 0n).toBe(true);
    await loseObject(shop.integrationUuid);
    await wallet("restore");
    await wallet("activate");
    expect((await spent()) > 0n).toBe(true);
  });

  test("has its events again, with the numbers that they had", async () => {
    // A test before has lost a mint, which is reported now.
    await background.reconcile();
    await bodyOf(await mint(), 201);
    const before = await eventsOf<{ seq: number; event_uuid: string }>(shop.key, "nft.minted");
    await loseObject(shop.integrationUuid);
    await wallet("restore");
    await wallet("activate");
    const after = await eventsOf<{ seq: number; event_uuid: string }>(shop.key, "nft.minted");
    const newest = before.at(-1)!;
    expect(after.map(({ seq, event_uuid: uuid }) => [seq, uuid])).toContainEqual([
      newest.seq,
      newest.event_uuid,
    ]);
    await background.reconcile();
    const later = await eventsOf<{ seq: number }>(shop.key, "nft.minted");
    expect(later).toHaveLength(after.length);
  });

  test("that is set back by minutes notices it before its first write, and gets back what has ended since", async () => {
    await bodyOf(await mint(), 201);
    await background.reconcile();
    const copy = await takeLedger(shop.integrationUuid, "all");
    const key = crypto.randomUUID();
    const uuid = (await mint(key)).headers.get("x-operation-uuid")!;
    const before = await minted();
    await shipAll(shop.integrationUuid);
    await putLedger(shop.integrationUuid, copy);
    await endObject(shop.integrationUuid);
    expect(await bodyOf(await mint(key), 503)).toMatchObject({ code: "wallet_inactive" });
    const early = await admin(`/integration/${shop.integrationUuid}/wallet/activate`, { method: "POST" });
    expect(await bodyOf(early, 409)).toMatchObject({ code: "conflict" });
    await wallet("restore");
    await wallet("activate");
    const again = await mint(key);
    expect(again.headers.get("x-operation-uuid")).toBe(uuid);
    await bodyOf(again, 201);
    expect(await minted()).toBe(before);
    await bodyOf(await mint(), 201);
    expect(await minted()).toBe(before + 1);
  });

  test.each([
    ["D1 knows more", false],
    ["only the chain knows more", true],
  ])(
    "signs nothing that was queued when it is set back, by its alarm or after its activation: %s",
    async (_, isD1Too) => {
      const object = () => env.WALLET.getByName(shop.integrationUuid);
      const change = (...texts: readonly string[]) =>
        runInDurableObject(object(), (__, { storage: { sql } }) => {
          for (const text of texts) sql.exec(text);
        });
      const before = await minted();
      await change(
        `CREATE TRIGGER held AFTER INSERT ON intents BEGIN
        UPDATE intents SET held_until = 9000000000000 WHERE id = NEW.id; END`,
      );
      const answer = await api(`/collection/${made.collection_uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [alice] },
        headers: { prefer: "respond-async" },
      });
      const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
      const release = ["DROP TRIGGER held", "UPDATE intents SET held_until = NULL"];
      await toldD1(shop.integrationUuid);
      // Inside: no request sets a database back.
      const known = await env.DB.prepare("SELECT * FROM ledgers").all<Record<string, unknown>>();
      const copy = await takeLedger(shop.integrationUuid, "all");
      await change(...release);
      await endObject(shop.integrationUuid);
      await background.reconcile();
      await operationOver(shop.key, uuid);
      expect(await minted()).toBe(before + 1);
      await toldD1(shop.integrationUuid);
      await putLedger(shop.integrationUuid, copy);
      await change("UPDATE intents SET held_until = NULL");
      if (isD1Too)
        for (const { id, ...row } of known.results) {
          const set = Object.keys(row).map((name) => `${name} = ?`);
          await env.DB.prepare(`UPDATE ledgers SET ${set.join(", ")} WHERE id = ?`)
            .bind(...Object.values(row), id)
            .run();
        }
      // A sum that D1 was told before what the copy has.
      if (isD1Too)
        await env.DB.prepare(
          "UPDATE ledgers SET unpaid_sales = 77, version = version - 1 WHERE lower(hex(id)) = ?",
        )
          .bind(shop.integrationUuid.replaceAll("-", ""))
          .run();
      await endObject(shop.integrationUuid);
      await background.reconcile();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(await bodyOf(await mint(), 503)).toMatchObject({ code: "wallet_inactive" });
      await wallet("restore");
      await wallet("activate");
      await background.reconcile();
      await bodyOf(await mint(), 201);
      expect(await minted()).toBe(before + 2);
      expect(await inLedger(shop.integrationUuid, "SELECT unpaid_sales FROM meta")).toEqual([
        { unpaid_sales: 0 },
      ]);
    },
  );
});

test("a key that a refusal gave back and that was used again is known after a loss", async () => {
  const own = await createIntegration("Refused first");
  const [treasury] = (await createReceivers(1)) as [string];
  await admin(`/integration/${own.integrationUuid}/payout-account`, {
    method: "PUT",
    json: { account_id: treasury },
  });
  const available = async (uuid: string) => BigInt((await walletOf(uuid).status()).available!);
  const amount = ((await available(own.integrationUuid)) + 10n ** 23n).toString();
  const headers = { "idempotency-key": "pay once" };
  const send = () => api("/wallet/payout", { key: own.key, json: { amount }, headers });
  const fund = async (yocto: (has: bigint) => bigint) => {
    const rich = (await createIntegration("Rich")).integrationUuid;
    await pay(rich, own.walletAccountId, yocto(await available(rich)));
  };
  await bodyOf(await send(), 402);
  await shipAll(own.integrationUuid);
  await fund(() => 10n ** 24n);
  await expect.poll(async () => (await send()).status, { interval: 1_000 }).toBe(200);
  const paid = await balanceOf(treasury);
  // Enough for another payout.
  await fund((has) => has - 10n ** 23n);
  await background.reconcile();
  await loseObject(own.integrationUuid);
  for (const action of ["restore", "activate"])
    await bodyOf(
      await admin(`/integration/${own.integrationUuid}/wallet/${action}`, { method: "POST" }),
      200,
    );
  expect((await send()).headers.get("idempotency-replayed")).toBe("true");
  expect(await balanceOf(treasury)).toBe(paid);
});

describe("a ledger of many gigabytes, which archives before keys expire,", () => {
  const archiveNow = async () => {
    await archiveEarly(shop.integrationUuid);
    return (
      await inLedger<{ count: number }>(
        shop.integrationUuid,
        "SELECT coalesce(sum(operations), 0) AS count FROM archives",
      )
    )[0]!.count;
  };

  test("archives only what has succeeded and is in R2", async () => {
    await archive();
    const before = await archiveNow();
    const { collection_uuid: halfSold } = await createHalfSold(shop);
    const json = { receiver_addresses: [alice], quantity_per_receiver: 2 };
    await bodyOf(await api(`/collection/${halfSold}/mint`, { key: shop.key, json }), 409);
    await shipAll(shop.integrationUuid);
    // What createHalfSold has minted.
    const sold = (await archiveNow()) - before;
    await bodyOf(await mint(), 201);
    expect(await archiveNow()).toBe(before + sold);
    await shipAll(shop.integrationUuid);
    expect(await archiveNow()).toBe(before + sold + 1);
    expect(
      await inLedger(
        shop.integrationUuid,
        "SELECT DISTINCT state FROM operations WHERE kind = 'mint' AND state <> 'unknown'",
      ),
    ).toEqual([{ state: "failed" }]);
  });

  test("has keys, events and the day's spending of what it has archived again after a loss", async () => {
    const key = crypto.randomUUID();
    await bodyOf(await mint(key), 201);
    const before = await minted();
    const spent = async () =>
      (
        await bodyOf<{ used: { spending_per_day: string } }>(
          await admin(`/integration/${shop.integrationUuid}/limits`),
          200,
        )
      ).used.spending_per_day;
    const lose = async (then?: () => Promise<void>) => {
      await loseObject(shop.integrationUuid, then);
      await wallet("restore");
      await wallet("activate");
    };
    await lose();
    const events = await eventsOf<{ seq: number }>(shop.key, "nft.minted");
    const known = await spent();
    await lose(() => archive());
    expect((await mint(key)).headers.get("idempotency-replayed")).toBe("true");
    expect(await minted()).toBe(before);
    expect(await eventsOf<{ seq: number }>(shop.key, "nft.minted")).toEqual(events);
    expect(await spent()).toBe(known);
  });
});

test("the platform's wallet that is set back signs nothing again that it may have signed, and goes on", async () => {
  const platform = () => env.WALLET.getByName("platform");
  const inPlatform = <T>(work: (sql: SqlStorage) => T) =>
    runInDurableObject(platform(), (_, { storage: { sql } }) => work(sql));
  const signed = () =>
    inPlatform((sql) => sql.exec<{ count: number }>("SELECT count(*) AS count FROM signed").one().count);
  const deploy = (symbol: string, headers: Record<string, string> = {}) =>
    admin(`/integration/${shop.integrationUuid}/contract`, { json: { name: "Late", symbol }, headers });
  await inPlatform((sql) =>
    sql.exec(`CREATE TRIGGER held AFTER INSERT ON intents BEGIN
      UPDATE intents SET held_until = 9000000000000 WHERE id = NEW.id; END`),
  );
  const { operation_uuid: uuid } = await bodyOf<OperationResource>(
    await deploy("LATE", { prefer: "respond-async" }),
    202,
  );
  await expect
    .poll(() =>
      inPlatform((sql) => sql.exec("SELECT 1 FROM intents WHERE state = 'queued'").toArray().length),
    )
    .toBe(1);
  const copy = await takeLedger("platform", "all");
  await inPlatform((sql) => {
    sql.exec("DROP TRIGGER held");
    sql.exec("UPDATE intents SET held_until = NULL");
  });
  await endObject("platform");
  await background.reconcile();
  await operationOver(shop.key, uuid);
  await putLedger("platform", copy);
  await inPlatform((sql) => sql.exec("UPDATE intents SET held_until = NULL"));
  const before = await signed();
  await endObject("platform");
  await background.reconcile();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await signed()).toBe(before);
  await bodyOf(await deploy("NEXT"), 201);
});

test("what was reserved for an operation that was never accepted is released", async () => {
  const own = await createIntegration("Broken off");
  await createCollection(own, { copies: [1] });
  const old = Date.now() - 3_600_000;
  // More than one run looks at, of which each waits for the operator: its operation is known.
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60)
     INSERT INTO drafts (id, integration_id, contract_id, settings, state, operation_id, planned_collection_id, created_at, updated_at)
     SELECT unhex(printf('0000000000007000800000000000%04x', n)), integration_id, contract_id, settings, 'finalizing', operation_id,
       planned_collection_id, ?1, ?1 FROM drafts, numbers WHERE lower(hex(integration_id)) = ?2`,
  )
    .bind(old, own.integrationUuid.replaceAll("-", ""))
    .run();
  const draft = await createDraft(own);
  // Inside: the Worker dies between the reservation in D1 and the acceptance.
  await env.DB.prepare(
    "UPDATE drafts SET state = 'finalizing', operation_id = unhex(?), updated_at = ? WHERE lower(hex(id)) = ?",
  )
    .bind(crypto.randomUUID().replaceAll("-", ""), old, draft.replaceAll("-", ""))
    .run();
  await env.DB.prepare(
    `INSERT INTO contracts (id, integration_id, account_id, code_hash, state, created_at, updated_at)
     SELECT unhex(?2), integration_id, 'lost.near', code_hash, 'deploying', ?1, ?1 FROM contracts
     WHERE lower(hex(integration_id)) = ?3`,
  )
    .bind(old, crypto.randomUUID().replaceAll("-", ""), own.integrationUuid.replaceAll("-", ""))
    .run();
  const states = async () =>
    (await bodyOf<{ state: string }[]>(await api("/collection-draft?limit=100", { key: own.key }), 200)).map(
      ({ state }) => state,
    );
  expect(await states()).not.toContain("draft");
  await background.reconcile();
  await background.reconcile();
  expect(await states()).toContain("draft");
  await env.DB.prepare("DELETE FROM drafts WHERE hex(id) LIKE '00000000%'").run();
  expect((await states()).toSorted()).toEqual(["draft", "finalized"]);
  const left = await env.DB.prepare(
    "SELECT 1 FROM contracts WHERE state = 'deploying' AND account_id = 'lost.near'",
  ).all();
  expect(left.results).toEqual([]);
});

test("a draft stays locked if an earlier finalization may have begun its collection", async () => {
  const own = await createIntegration("Continued");
  const draft = await createDraft(own, { copies: [1] });
  // Inside: a finalization failed midway, and the Worker died between the lock for the next one and its acceptance.
  const hex = (uuid: string) => uuid.replaceAll("-", "");
  const [failed, next] = [crypto.randomUUID(), crypto.randomUUID()];
  await inLedger(
    own.integrationUuid,
    `INSERT INTO operations (id, integration_id, kind, state, subject_id, request, answer_status, answer_body, finished_at,
       created_at, updated_at)
     VALUES (unhex(?), unhex(?), 'finalize', 'failed', unhex(?), '{"begun":null}', 502, '{}', 1, 1, 1)`,
    ...[failed, own.integrationUuid, draft].map(hex),
  );
  await inLedger(
    own.integrationUuid,
    `INSERT INTO transactions (hash, operation_id, integration_id, step, result, created_at)
     VALUES (zeroblob(32), unhex(?), unhex(?), 'create~2', '{}', 1)`,
    ...[failed, own.integrationUuid].map(hex),
  );
  await env.DB.prepare(
    "UPDATE drafts SET state = 'finalizing', operation_id = unhex(?), updated_at = ? WHERE lower(hex(id)) = ?",
  )
    .bind(hex(next), Date.now() - 3_600_000, hex(draft))
    .run();
  await background.reconcile();
  const state = async () =>
    (await bodyOf<{ state: string }>(await api(`/collection-draft/${draft}`, { key: own.key }), 200)).state;
  expect(await state()).toBe("finalizing");
  await bodyOf(await api(`/collection-draft/${draft}/finalize`, { key: own.key, method: "POST" }), 201);
  expect(await state()).toBe("finalized");
});

test("files of a mint that was never accepted are released", async () => {
  const own = await createIntegration("Broken off with files");
  const { collection_uuid: uuid } = await createCollection(own, { copies: [9] });
  const stored = async () =>
    (
      await bodyOf<{ used: { stored_bytes: number } }>(
        await admin(`/integration/${own.integrationUuid}/limits`),
        200,
      )
    ).used.stored_bytes;
  const files = serveFiles(picture("png", 8));
  const send = (bindings: object, name: string) =>
    apiWith({ ...bindings }, `/collection/${uuid}/mint`, {
      key: own.key,
      json: {
        receiver_addresses: [alice],
        metadata: { asset_file_url: `https://files.example.com/${name}` },
      },
    });
  const before = await stored();
  const WALLET = watchedLedgers((method, call) =>
    method === "write" ? Promise.reject(new Error("Network connection lost.")) : call(),
  );
  const lost = await send({ WALLET }, "lost.png");
  expect(await bodyOf(lost.response, 500)).toMatchObject({ outcome: "unknown" });
  await lost.background();
  const reserved = await stored();
  expect(reserved).toBeGreaterThan(before);
  files.serve(picture("png", 9));
  const { response } = await send({}, "minted.png");
  await bodyOf(response, 201);
  files.end();
  const minted = (await stored()) - reserved;
  expect(minted).toBeGreaterThan(0);
  await background.reconcile(5 * 60_000);
  expect(await stored()).toBe(reserved + minted);
  // One run, in which the ledger doesn't say whether it has the operations.
  const unknown = watchedLedgers((method, call, [integration]) =>
    method === "run" && integration === own.integrationUuid
      ? Promise.reject(new Error("Network connection lost."))
      : call(),
  );
  await background.reconcile(11 * 60_000, undefined, { WALLET: unknown });
  expect(await stored()).toBe(reserved + minted);
  await background.reconcile(11 * 60_000);
  expect(await stored()).toBe(before + minted);
});

test("a refusal is returned even if the database fails to release what was reserved", async () => {
  const own = await createIntegration("Unreleased");
  const draft = await createDraft(own, { copies: [1] });
  const json = { operations_waiting: 0 };
  await bodyOf(await admin(`/integration/${own.integrationUuid}/limits`, { method: "PUT", json }), 200);
  let isRefused = false;
  const WALLET = watchedLedgers((method, call) => {
    if (method === "write") isRefused = true;
    return call();
  });
  const DB = failingD1((sql) => (isRefused && sql.includes('update "drafts"') ? "before" : null));
  const { response } = await apiWith({ DB, WALLET }, `/collection-draft/${draft}/finalize`, {
    key: own.key,
    method: "POST",
  });
  expect(await bodyOf(response, 429)).toMatchObject({ code: "too_many_operations" });
});

test("a finalization that isn't accepted leaves an interrupted draft to the next one", async () => {
  const own = await createIntegration("Refused");
  const draft = await createDraft(own);
  // Inside: a finalization failed midway, and the Worker died between the lock for the next one and its acceptance.
  await env.DB.prepare(
    "UPDATE drafts SET state = 'finalizing', operation_id = unhex(?), updated_at = ? WHERE lower(hex(id)) = ?",
  )
    .bind(crypto.randomUUID().replaceAll("-", ""), Date.now() - 3_600_000, draft.replaceAll("-", ""))
    .run();
  const limit = async (operations_waiting: number | null) =>
    bodyOf(
      await admin(`/integration/${own.integrationUuid}/limits`, {
        method: "PUT",
        json: { operations_waiting },
      }),
      200,
    );
  const finalize = () => api(`/collection-draft/${draft}/finalize`, { key: own.key, method: "POST" });
  const state = async () =>
    (await bodyOf<{ state: string }>(await api(`/collection-draft/${draft}`, { key: own.key }), 200)).state;
  await limit(0);
  expect(await bodyOf(await finalize(), 429)).toMatchObject({ code: "too_many_operations" });
  // Something of it may be on the chain.
  expect(await state()).toBe("finalizing");
  await limit(null);
  await bodyOf(await finalize(), 201);
  expect(await state()).toBe("finalized");
});

test("an effect that the database refuses is shown to the operator, and made once its cause is gone", async () => {
  const own = await createIntegration("Refused");
  await env.DB.prepare(
    `CREATE TRIGGER refused BEFORE UPDATE ON drafts WHEN NEW.state = 'finalized'
     BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: drafts'); END`,
  ).run();
  const { collection_uuid: uuid } = await createCollection(own, { copies: [1] });
  const refused = async () =>
    (await bodyOf<{ writes_refused: { integration_uuid: string }[] }>(await admin("/overview"), 200))
      .writes_refused;
  await expect.poll(refused).toMatchObject([{ integration_uuid: own.integrationUuid }]);
  // What comes behind it isn't held up.
  const json = { receiver_addresses: [alice] };
  await bodyOf(await api(`/collection/${uuid}/mint`, { key: own.key, json }), 201);
  await env.DB.prepare("DROP TRIGGER refused").run();
  const drafts = async () =>
    (
      await bodyOf<{ state: string }[]>(await api("/collection-draft?limit=100", { key: own.key }), 200)
    ).filter(({ state }) => state === "finalized");
  expect(await drafts()).toEqual([]);
  await endObject(own.integrationUuid);
  await background.reconcile();
  await expect.poll(drafts).toHaveLength(1);
  await expect.poll(refused).toEqual([]);
});

test("a copy of a collection that the database refuses is shown to the operator, and made once its cause is gone", async () => {
  const own = await createIntegration("Refused copy");
  const { collection_uuid: uuid } = await createCollection(own, { copies: [5] });
  await background.reconcile();
  await env.DB.prepare(
    `CREATE TRIGGER refused BEFORE UPDATE ON collections
     BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: collections'); END`,
  ).run();
  const json = { receiver_addresses: [alice] };
  for (let copies = 1; copies <= 2; copies += 1)
    await bodyOf(await api(`/collection/${uuid}/mint`, { key: own.key, json }), 201);
  const refused = async () =>
    (await bodyOf<{ writes_refused: object[] }>(await admin("/overview"), 200)).writes_refused;
  const shown = [{ integration_uuid: own.integrationUuid, count: 1 }];
  await expect.poll(refused).toEqual(shown);
  await bodyOf(await api(`/collection/${uuid}/mint`, { key: own.key, json }), 201);
  await background.reconcile();
  await expect.poll(refused).toEqual(shown);
  await env.DB.prepare("DROP TRIGGER refused").run();
  // Inside: requests about a collection are answered by its ledger.
  const copied = () =>
    env.DB.prepare("SELECT minted FROM collections WHERE lower(hex(id)) = ?")
      .bind(uuid.replaceAll("-", ""))
      .first<number>("minted");
  // A later copy is made before what was refused is tried again, and stays.
  await bodyOf(await api(`/collection/${uuid}/mint`, { key: own.key, json }), 201);
  await background.reconcile();
  await expect.poll(copied).toBe(4);
  await expect.poll(refused).toEqual(shown);
  await endObject(own.integrationUuid);
  await background.reconcile();
  await expect.poll(refused).toEqual([]);
  expect(await copied()).toBe(4);
});

test("while the database refuses everything of a ledger, no effect becomes a dead letter, and calls pause", async () => {
  const own = await createIntegration("Behind its code");
  const draft = await createDraft(own, { copies: [1] });
  // Inside: the Worker is deployed before its migration.
  await env.DB.prepare("ALTER TABLE ledgers RENAME COLUMN refused TO refused_late").run();
  const prototype = Object.getPrototypeOf(env.DB) as { batch: (...all: unknown[]) => Promise<unknown> };
  const { batch } = prototype;
  let calls = 0;
  vi.spyOn(prototype, "batch").mockImplementation(function (this: unknown, ...all) {
    calls += 1;
    // Without a pause between them they would never end.
    return calls > 100 ? Promise.reject(new Error("Network connection lost.")) : batch.apply(this, all);
  });
  const answer = await api(`/collection-draft/${draft}/finalize`, { key: own.key, method: "POST" });
  const { collection_uuid: uuid } = await bodyOf<Finalized>(answer, 201);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  vi.restoreAllMocks();
  await env.DB.prepare("ALTER TABLE ledgers RENAME COLUMN refused_late TO refused").run();
  expect(calls).toBeLessThan(100);
  expect(await inLedger(own.integrationUuid, "SELECT refusal FROM outbox WHERE refusal IS NOT NULL")).toEqual(
    [],
  );
  const listed = async () =>
    (await bodyOf<{ collection_uuid: string }[]>(await api("/collection", { key: own.key }), 200)).map(
      ({ collection_uuid: listedUuid }) => listedUuid,
    );
  await expect.poll(listed).toEqual([uuid]);
});

test("effects that wait for a full database don't become dead letters, even if the ledger's row in it can be changed", async () => {
  const own = await createIntegration("Waiting");
  await background.reconcile();
  const prototype = Object.getPrototypeOf(env.DB) as { batch: (all: unknown[]) => Promise<unknown> };
  const { batch } = prototype;
  let refused = 0;
  vi.spyOn(prototype, "batch").mockImplementation(function (this: unknown, all) {
    const full = new Error("D1_ERROR: database or disk is full: SQLITE_FULL");
    if (all.length === 1) return batch.call(this, all);
    refused += 1;
    return Promise.reject(full);
  });
  const effect = JSON.stringify([["UPDATE drafts SET state = state WHERE id = x'00'", []]]);
  await inLedger(
    own.integrationUuid,
    "INSERT INTO outbox (statements, created_at) VALUES (?, ?)",
    effect,
    Date.now(),
  );
  await expect.poll(() => refused).toBeGreaterThan(0);
  const waiting = () =>
    inLedger(own.integrationUuid, "SELECT refusal FROM outbox, meta WHERE outbox.id > sent_entry");
  expect(await waiting()).toEqual([{ refusal: null }]);
  vi.restoreAllMocks();
  await expect.poll(waiting).toEqual([]);
  expect(await inLedger(own.integrationUuid, "SELECT 1 FROM outbox WHERE refusal IS NOT NULL")).toEqual([]);
});

test("an operation that a ledger has forgotten because it was set back is answered 503 until the ledger is restored", async () => {
  await background.reconcile();
  const copy = await takeLedger(shop.integrationUuid, "all");
  const uuid = (await mint()).headers.get("x-operation-uuid")!;
  await shipAll(shop.integrationUuid);
  await putLedger(shop.integrationUuid, copy);
  await endObject(shop.integrationUuid);
  const read = () => api(`/operation/${uuid}`, { key: shop.key });
  expect(await bodyOf(await read(), 503)).toMatchObject({ code: "wallet_inactive" });
  await wallet("restore");
  await wallet("activate");
  expect(await bodyOf(await read(), 200)).toMatchObject({ state: "succeeded" });
});

test("an effect that the database has refused doesn't keep other old effects from being deleted", async () => {
  const { integrationUuid: own } = await createIntegration("Old effects");
  await inLedger(own, "UPDATE outbox SET created_at = 0");
  await inLedger(
    own,
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 250)
     INSERT INTO outbox (statements, created_at, refusal) SELECT '[]', 0, iif(n = 1, 'refused', NULL) FROM numbers`,
  );
  const kept = async () => {
    await inLedger(own, "UPDATE meta SET version = version + 1");
    return inLedger(own, "SELECT refusal FROM outbox WHERE created_at = 0");
  };
  await expect.poll(kept).toEqual([{ refusal: "refused" }]);
});

/** Gives a ledger an effect that D1 has refused: an exclamation mark behind its integration's name, each time that it is made. */
const refuseEffect = async (integration: string) => {
  // Inside: no effect of a request shows how often it is made.
  const effect = [
    ["UPDATE integrations SET name = name || '!' WHERE id = unhex(?)", [integration.replaceAll("-", "")]],
  ];
  await inLedger(
    integration,
    "INSERT INTO outbox (statements, created_at, refusal) VALUES (?, ?, 'refused')",
    JSON.stringify(effect),
    Date.now(),
  );
};

test("an effect that the database has refused is made once although the answer is lost", async () => {
  const { integrationUuid: own } = await createIntegration("Once");
  await background.reconcile();
  await refuseEffect(own);
  const prototype = Object.getPrototypeOf(env.DB) as { batch: (all: unknown[]) => Promise<unknown> };
  const { batch } = prototype;
  let lost = 0;
  vi.spyOn(prototype, "batch").mockImplementation(async function (this: unknown, all) {
    const answer = await batch.call(this, all);
    const isEffect = all.some((one) => (one as { statement?: string }).statement?.includes("name ||"));
    if (!isEffect || lost > 0) return answer;
    lost += 1;
    throw new Error("Network connection lost.");
  });
  const name = async () => (await bodyOf<{ name: string }>(await admin(`/integration/${own}`), 200)).name;
  for (let times = 0; times < 3; times += 1) {
    // A new instance tries again at once.
    await endObject(own);
    await inLedger(own, "UPDATE meta SET version = version + 1");
    await runInDurableObject(env.WALLET.getByName(own), (object) =>
      (object as unknown as { reconcile(): Promise<void> }).reconcile(),
    );
    const waiting = () => inLedger(own, "SELECT 1 FROM meta WHERE version > sent_version");
    await expect.poll(waiting).toEqual([]);
  }
  vi.restoreAllMocks();
  expect(lost).toBe(1);
  expect(await name()).toBe("Once!");
  expect(await inLedger(own, "SELECT 1 FROM outbox WHERE refusal IS NOT NULL")).toEqual([]);
});

test("an effect that the database had refused is made again after the database was set back to before it was made", async () => {
  const { integrationUuid: own } = await createIntegration("Again");
  await background.reconcile();
  await refuseEffect(own);
  const waiting = () => inLedger(own, "SELECT 1 FROM outbox, meta WHERE outbox.id > sent_entry");
  await expect.poll(waiting).toEqual([]);
  const name = async () => (await bodyOf<{ name: string }>(await admin(`/integration/${own}`), 200)).name;
  expect(await name()).toBe("Again");
  const snapshot = await takeSnapshot();
  // A new instance tries again at once.
  await endObject(own);
  await runInDurableObject(env.WALLET.getByName(own), (object) =>
    (object as unknown as { reconcile(): Promise<void> }).reconcile(),
  );
  await expect.poll(name).toBe("Again!");
  await goBack(snapshot);
  expect(await name()).toBe("Again");
  await endObject(own);
  await inLedger(own, "UPDATE meta SET version = version + 1");
  await expect.poll(name).toBe("Again!");
});

test("days that are added up aren't added up again after the ledger was set back", async () => {
  const { integrationUuid: own } = await createIntegration("Old days");
  const integration = own.replaceAll("-", "");
  await inLedger(
    own,
    `INSERT INTO operation_counts (integration_id, day, kind, state, bucket, count)
     VALUES (unhex(?), 5, 'mint', 'succeeded', 0, 3)`,
    integration,
  );
  const copy = await takeLedger(own, "all");
  const tidy = async () => {
    await runInDurableObject(env.WALLET.getByName(own), (object) =>
      (object as unknown as { alarm(): Promise<void> }).alarm(),
    );
    await background.reconcile();
    return inLedger(own, "SELECT day, count FROM operation_counts WHERE kind = 'mint'");
  };
  expect(await tidy()).toEqual([{ day: 0, count: 3 }]);
  await putLedger(own, copy);
  await endObject(own);
  await background.reconcile();
  for (const action of ["restore", "activate"])
    await bodyOf(await admin(`/integration/${own}/wallet/${action}`, { method: "POST" }), 200);
  expect(await tidy()).toEqual([{ day: 0, count: 3 }]);
});

test("a dead letter of a ledger that was set back isn't tried again, because D1 knows more than the ledger", async () => {
  const own = await createIntegration("Two calls");
  const made = await createCollection(own, { copies: [3] });
  const id = own.integrationUuid.replaceAll("-", "");
  await background.reconcile();
  await inLedger(
    own.integrationUuid,
    "INSERT INTO outbox (statements, created_at, refusal) VALUES (?, ?, 'refused')",
    JSON.stringify([["UPDATE integrations SET name = name WHERE id = unhex(?)", [id]]]),
    Date.now(),
  );
  const copy = await takeLedger(own.integrationUuid, "all");
  const mintOnce = (key: string) =>
    api(`/collection/${made.collection_uuid}/mint`, {
      key: own.key,
      json: { receiver_addresses: [alice] },
      headers: { "idempotency-key": key },
    });
  const key = crypto.randomUUID();
  // R2 would have it after twenty seconds, which may pass before the ledger is set back.
  const put = vi.spyOn(env.BUCKET, "put").mockRejectedValue(new Error("put: 10001"));
  const uuid = (await mintOnce(key)).headers.get("x-operation-uuid")!;
  const told = () =>
    env.DB.prepare("SELECT unshipped FROM ledgers WHERE id = unhex(?)").bind(id).first<string>("unshipped");
  await expect.poll(told).toContain(uuid.replaceAll("-", ""));
  await putLedger(own.integrationUuid, copy);
  await endObject(own.integrationUuid);
  put.mockRestore();
  // The comparison is still on its way.
  await runInDurableObject(env.WALLET.getByName(own.integrationUuid), async (object) => {
    const { outbox } = (object as unknown as { parts: { outbox: Outbox } }).parts;
    await Promise.all([outbox.verify(), outbox.retryRefused()]);
  });
  for (const action of ["restore", "activate"])
    await bodyOf(
      await admin(`/integration/${own.integrationUuid}/wallet/${action}`, { method: "POST" }),
      200,
    );
  expect(await bodyOf(await mintOnce(key), 502)).toMatchObject({
    code: "outcome_unknown",
    operation_uuid: uuid,
  });
});

test("a large ledger with many operations that stay lets other work run while it looks for those that it can archive", async () => {
  const { integrationUuid: own } = await createIntegration("Large");
  const turns = await runInDurableObject(env.WALLET.getByName(own), async (object, { storage }) => {
    const { sql } = storage;
    const ended = Date.now() - 3 * 3_600_000;
    // Ten pages of failed operations of three hours ago, as UUIDs of version 7.
    sql.exec(
      `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 5000)
       INSERT INTO operations (id, integration_id, kind, state, subject_id, request, answer_status, answer_body, finished_at,
         created_at, updated_at)
       SELECT unhex(? || printf('70008000%012x', number)), integration_id, 'mint', 'failed', integration_id, '{}', 409, '{}', ?, ?, ?
       FROM numbers, meta WHERE true`,
      ended.toString(16).padStart(12, "0"),
      ...[ended, ended, ended],
    );
    sql.exec("DELETE FROM unshipped");
    Object.defineProperty(sql, "databaseSize", { value: 5 * 2 ** 30, configurable: true });
    let [count, isOver] = [0, false];
    const counting = (async () => {
      for (; !isOver; count++) await new Promise((resolve) => setTimeout(resolve, 0));
    })();
    await (object as unknown as { alarm(): Promise<void> }).alarm();
    isOver = true;
    await counting;
    Reflect.deleteProperty(sql, "databaseSize");
    return count;
  });
  expect(turns).toBeGreaterThan(8);
});

test("a ledger that was set back while the database was away isn't taken for the one that called it since", async () => {
  const own = await createIntegration("Two lives");
  const { collection_uuid: uuid } = await createCollection(own, { copies: [1] });
  await background.reconcile();
  const later = (versions: number) =>
    inLedger(own.integrationUuid, "UPDATE meta SET version = version + ?", versions);
  const copy = await takeLedger(own.integrationUuid, "all");
  await later(1);
  await toldD1(own.integrationUuid);
  await putLedger(own.integrationUuid, copy);
  // Its next call has the number of the one that D1 has answered, and a higher version.
  await later(2);
  const known = "SELECT 1 FROM meta WHERE forgot_version IS NOT NULL";
  await until(async () => (await journalRows(own.integrationUuid, known)).length > 0);
  const json = { receiver_addresses: [alice] };
  const refused = await api(`/collection/${uuid}/mint`, { key: own.key, json });
  expect(await bodyOf(refused, 503)).toMatchObject({ code: "wallet_inactive" });
});

test("an operation whose first step can't be written isn't accepted", async () => {
  const change = (text: string) =>
    runInDurableObject(
      env.WALLET.getByName(shop.integrationUuid),
      (_, { storage: { sql } }) => void sql.exec(text),
    );
  const count = async () =>
    (await inLedger(shop.integrationUuid, "SELECT 1 FROM operations WHERE kind = 'mint'")).length;
  const [key, before, onChain] = [crypto.randomUUID(), await count(), await minted()];
  await change(`CREATE TRIGGER full BEFORE INSERT ON intents
    BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: full'); END`);
  expect((await mint(key)).status).toBeGreaterThanOrEqual(500);
  await change("DROP TRIGGER full");
  expect(await count()).toBe(before);
  await bodyOf(await mint(key), 201);
  expect(await minted()).toBe(onChain + 1);
});

test("an operation that has its answer takes no more steps", async () => {
  const answer = await mint();
  await bodyOf(answer, 201);
  const uuid = answer.headers.get("x-operation-uuid")!;
  const step = intent([{ kind: "transfer", deposit: "1" }], alice, uuid, "mint~2");
  const late = await walletOf(shop.integrationUuid).submit(step);
  expect(late).toEqual({ status: "withdrawn" });
});

test("a database that was set back gets the collections and drafts that ledgers have", async () => {
  const snapshot = await takeSnapshot();
  const later = await createCollection(shop, { copies: [1] });
  await background.reconcile();
  await goBack(snapshot);
  // Nothing is written: a ledger compares itself when it starts, and now and then.
  await endObject(shop.integrationUuid);
  await background.reconcile();
  const listed = async () =>
    (await bodyOf<{ collection_uuid: string }[]>(await api("/collection", { key: shop.key }), 200)).map(
      ({ collection_uuid: uuid }) => uuid,
    );
  await expect.poll(listed).toContain(later.collection_uuid);
  const { operation_uuid: uuid } = (
    await bodyOf<OperationResource[]>(await api("/operation?kind=finalize&limit=1", { key: shop.key }), 200)
  )[0]!;
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "succeeded" });
  const { subject_uuid: draft } = await readOperation(shop.key, uuid);
  await background.reconcile();
  await expect
    .poll(async () => bodyOf(await api(`/collection-draft/${draft}`, { key: shop.key }), 200))
    .toMatchObject({ state: "finalized" });
  const { root_cid: root, files } = later.ipfs_result;
  await expect.poll(async () => (await api(`/ipfs/${root}/${files[0]!.name}`)).status).toBe(200);
  const json = { receiver_addresses: [alice] };
  await bodyOf(await api(`/collection/${later.collection_uuid}/mint`, { key: shop.key, json }), 201);
});

test("a database that was set back to before an integration gets its contract once the operator has inserted the integration", async () => {
  const snapshot = await takeSnapshot();
  const own = await createIntegration("Later");
  const json = { name: "Later", symbol: "LATER" };
  const deployed = await admin(`/integration/${own.integrationUuid}/contract`, { method: "POST", json });
  const { contract_uuid: contract } = await bodyOf<{ contract_uuid: string }>(deployed, 201);
  await background.reconcile();
  const integrations = (await takeSnapshot()).get("integrations")!;
  await goBack(snapshot);
  await endObject(own.integrationUuid);
  const change = () => inLedger(own.integrationUuid, "UPDATE meta SET version = version + 1");
  for (let times = 0; times < 4; times += 1) {
    await change();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
  }
  await goBack(new Map(snapshot).set("integrations", integrations));
  await endObject(own.integrationUuid);
  const state = async () => {
    await change();
    const answer = await admin(`/contract/${contract}`);
    return answer.status === 200 ? (await bodyOf<{ state: string }>(answer, 200)).state : answer.status;
  };
  await expect.poll(state, { interval: 2_000 }).toBe("ready");
});
