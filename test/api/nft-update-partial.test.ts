import { eq } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
// Inside: no answer tells which files a collection keeps, and which of them are to be pinned.
import { collectionBlobs } from "../../src/db/schema/index.ts";
import { FileHasher } from "../../src/files/ipfs/file-hasher.ts";
import { picture } from "../../testing/pictures.ts";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { atGasPrice, setGasPrice } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { withdrawAll } from "../support/former-contract.ts";
import { background, killAt, observeCheckpoints, readOperation } from "../support/operations.ts";
import { pay, sendFrom } from "../support/payments.ts";
import { db } from "../support/uploads.ts";
import { until } from "../support/waiting.ts";

/** An update of many tokens that can't go on after its first transaction: what it changed is reported, and what it didn't. */

interface Answer {
  readonly updated: number;
  readonly failed: number;
  readonly results: readonly {
    readonly token_id: string;
    readonly status: string;
    readonly code: string | null;
    readonly message: string | null;
  }[];
  readonly tx_results: readonly { readonly status: string }[];
}
interface Token {
  readonly token_id: string;
  readonly metadata: { readonly title: string };
}
interface Event {
  readonly type: string;
  readonly data: { readonly token_id: string };
}

let shop: TestIntegration;
let collection: Finalized;
let ids: string[];
const files = new Map<string, Uint8Array<ArrayBuffer>>();

beforeAll(() => {
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const file = files.get(new Request(input as RequestInfo, init as RequestInit).url);
    return file ? Promise.resolve(new Response(file)) : real(input, init);
  });
  return () => vi.restoreAllMocks();
});
afterEach(async () => {
  observeCheckpoints(null);
  await setGasPrice(1n);
});

/** An integration with 150 tokens, all of its wallet. */
const open = async (name: string): Promise<void> => {
  shop = await createIntegration(name);
  collection = await createCollection(shop, { copies: [200] });
  // What the texts of 150 tokens store.
  await pay("platform", shop.contractAccountId, 20n * 10n ** 24n);
  ids = [];
  for (let round = 0; round < 6; round++) {
    const json = { receiver_addresses: [shop.walletAccountId], quantity_per_receiver: 25 };
    const answer = await bodyOf<{ tokens: Token[] }>(await api(at("mint"), { key: shop.key, json }), 201);
    ids.push(...answer.tokens.map(({ token_id: id }) => id));
  }
};

const at = (path: string) => `/collection/${collection.collection_uuid}/${path}`;
const update = (updates: readonly object[], headers: Record<string, string> = {}, key = shop.key) =>
  api(at("nft-update-bulk"), { key, json: { updates }, headers });
const quoteOf = async (updates: readonly object[]) => {
  const json = { method: "POST", path: at("nft-update-bulk"), body: { updates } };
  return bodyOf<{ transactions: number; cost: { at_most: string } }>(
    await api("/quote", { key: shop.key, json }),
    201,
  );
};
const titles = async (): Promise<Map<string, string>> => {
  const tokens = await bodyOf<Token[]>(await api(at("token"), { key: shop.key }), 200);
  return new Map(tokens.map(({ token_id: id, metadata }) => [id, metadata.title]));
};
const eventsAfter = async (seq: number): Promise<Event[]> =>
  bodyOf(await api(`/event?after=${seq}&limit=500`, { key: shop.key }), 200);
const lastSeq = async (): Promise<number> =>
  (await bodyOf<{ seq: number }[]>(await api("/event?limit=500", { key: shop.key }), 200)).at(-1)?.seq ?? 0;

let seed = 7_100;
const remote = (): { url: string; sha256: Uint8Array } => {
  const bytes = picture("png", ++seed);
  const url = `https://media.example/${seed}.png`;
  files.set(url, new Uint8Array(bytes));
  const hasher = new FileHasher();
  hasher.update(bytes);
  return { url, sha256: hasher.finish().sha256 };
};
const pinStates = async (sha256: Uint8Array) =>
  (await db.select().from(collectionBlobs).where(eq(collectionBlobs.sha256, sha256))).map(
    ({ pinState }) => pinState,
  );

const callOf = (method: string) =>
  ({ kind: "function_call", method, args: Buffer.from("{}"), gas: `${10n ** 13n}`, deposit: "1" }) as const;

/** What keeps the second transaction from being carried out, before the bulk update and between the two. */
const obstacles = [
  {
    what: "because its cost would exceed the maximum",
    code: "cost_exceeds_maximum",
    // Before its last transaction is accepted by the wallet, or when it would be signed.
    says: /What its earlier transactions did stays\.$|but its limit is \d+\.$/,
    before: async () => undefined,
    between: async () => {
      // A wallet signs on a block that it read up to five seconds before, and the price falls with each block.
      await atGasPrice(50n, () => new Promise((resolve) => setTimeout(resolve, 5_500)));
    },
    after: async (rest: readonly object[], updated: number) => {
      await setGasPrice(1n);
      const failed = 150 - updated;
      expect(await bodyOf<Answer>(await update(rest), 200)).toMatchObject({ updated: failed, failed: 0 });
      const shown = [...(await titles()).values()];
      expect(shown.filter((title) => title.startsWith("Half"))).toHaveLength(updated);
      expect(shown.filter((title) => title.startsWith("Other half"))).toHaveLength(failed);
    },
  },
  {
    what: "because the contract has another owner",
    code: "transaction_failed",
    says: /^Only the owner and admins of the contract may call this\./,
    before: async () => {
      const json = { account_id: (await other()).walletAccountId, keep_admin: false };
      await bodyOf(await admin(`/contract/${shop.contractUuid}/hand-over`, { json }), 200);
    },
    between: async () => {
      await sendFrom((await other()).integrationUuid, shop.contractAccountId, [callOf("owner_accept")]);
    },
    after: async (rest: readonly object[]) => {
      expect(await bodyOf(await update(rest), 409)).toMatchObject({ outcome: "not_submitted" });
    },
  },
];
let next: TestIntegration | undefined;
const other = async () => (next ??= await createIntegration("Next owner"));

describe.each(obstacles)("a bulk update that can't go on $what", ({ code, says, before, between, after }) => {
  test("reports each token as changed or failed, and a repetition changes the rest alone", async () => {
    await open(code);
    await before();
    const [changed, unchanged] = [remote(), remote()];
    const extra = JSON.stringify("x".repeat(4_000));
    const updates = ids.map((token_id, place) => ({
      token_id,
      metadata: {
        title: "Half",
        extra,
        ...(place === 0 && { asset_file_url: changed.url }),
        ...(place === 149 && { asset_file_url: unchanged.url }),
      },
    }));
    const quote = await quoteOf(updates);
    expect(quote.transactions).toBe(2);
    const seq = await lastSeq();
    const headers = { "idempotency-key": `half ${code}`, "mintage-max-cost": quote.cost.at_most };
    // After a hand-over the first try finds that the wallet has left, and the second one that it is still the owner.
    const tries = code === "transaction_failed" ? 2 : 1;
    killAt("operation.before_submit", (pass) => pass > tries);
    await (await update(updates, { ...headers, prefer: "respond-async" })).body?.cancel();
    const [operation] = await bodyOf<{ operation_uuid: string }[]>(
      await api("/operation?kind=nft_update_bulk", { key: shop.key }),
      200,
    );
    const uuid = operation!.operation_uuid;
    await until(hasChanged);
    await between();
    observeCheckpoints(null);
    while ((await readOperation(shop.key, uuid)).state === "pending") await background.resume(uuid);

    const shown = await readOperation<Answer>(shop.key, uuid);
    expect(shown).toMatchObject({ state: "succeeded", answer: { status: 200 } });
    const { updated, failed, results, tx_results } = shown.answer!.body;
    expect(updated).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
    expect(updated + failed).toBe(150);
    expect(tx_results.map(({ status }) => status)).toEqual(["success"]);
    expect(results.map(({ token_id: id }) => id)).toEqual(ids);
    const found = await titles();
    expect(results.map(({ status }) => status === "updated")).toEqual(
      ids.map((id) => found.get(id)!.startsWith("Half")),
    );
    const reasons = results.filter(({ status }) => status === "failed");
    expect(new Set(reasons.map((one) => one.code))).toEqual(new Set([code]));
    expect(reasons[0]!.message).toMatch(says);

    const events = await eventsAfter(seq);
    expect(events.filter(({ type }) => type === "nft.updated").map(({ data }) => data.token_id)).toEqual(
      results.filter(({ status }) => status === "updated").map(({ token_id: id }) => id),
    );
    expect(events.at(-1)?.type).toBe("operation.succeeded");
    await expect.poll(() => pinStates(changed.sha256)).toEqual(["due"]);
    expect(await pinStates(unchanged.sha256)).toEqual([]);

    // The key goes on answering with what was done.
    expect(await bodyOf<Answer>(await update(updates, headers), 200)).toMatchObject({ updated, failed });
    await after(
      reasons.map(({ token_id }) => ({ token_id, metadata: { title: "Other half", extra } })),
      updated,
    );
  });
});

const hasChanged = async (title = "Half"): Promise<boolean> =>
  [...(await titles()).values()].some((shown) => shown.startsWith(title));

describe("a bulk update with a key whose budget of a day", () => {
  const keyWith = async (spending_per_day: string): Promise<string> => {
    const json = { name: "Small", spending_per_day };
    const path = `/integration/${shop.integrationUuid}/key`;
    return (await bodyOf<{ api_key: string }>(await admin(path, { json }), 201)).api_key;
  };
  const titled = (title: string, some: readonly string[], length: number) =>
    some.map((token_id) => ({
      token_id,
      metadata: { title, extra: JSON.stringify("x".repeat(length)) },
    }));

  beforeAll(() => open("Small budget"));

  test("is less than its only transaction may cost is refused, and nothing is sent", async () => {
    const updates = titled("Budgeted", ids.slice(0, 3), 10);
    const { cost } = await quoteOf(updates);
    // A quote is for twice the price of gas and ten percent more.
    const key = await keyWith(`${BigInt(cost.at_most) / 3n}`);
    const sent = async () => bodyOf(await api("/transaction", { key: shop.key }), 200);
    const before = await sent();
    const headers = { "idempotency-key": "budgeted" };
    expect(await bodyOf(await update(updates, headers, key), 402)).toMatchObject({
      code: "spending_limit_reached",
      outcome: "not_submitted",
      message: expect.stringMatching(
        /use a key with a higher spending_per_day, .* of the key's limit\. Nothing was sent\.$/,
      ),
    });
    expect(await sent()).toEqual(before);
    expect(await hasChanged("Budgeted")).toBe(false);
    // Another key of the integration carries the same request out.
    expect(await bodyOf<Answer>(await update(updates, headers), 200)).toMatchObject({ updated: 3 });
  });

  test("is less than all its transactions may cost, with the top-up for the second, is refused before the first", async () => {
    await withdrawAll(shop);
    // What the first transaction's texts store, and some.
    await pay("platform", shop.contractAccountId, 54n * 10n ** 23n);
    const updates = titled("Halfway", ids, 4_000);
    const key = await keyWith(`${10n ** 23n}`);
    expect(await bodyOf(await update(updates, {}, key), 402)).toMatchObject({
      code: "spending_limit_reached",
      outcome: "not_submitted",
    });
    expect(await hasChanged("Halfway")).toBe(false);
    expect(await bodyOf<Answer>(await update(updates), 200)).toMatchObject({
      updated: ids.length,
      failed: 0,
    });
  });
});
