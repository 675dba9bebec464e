import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { lateTimers } from "../support/held-timers.ts";
import { background, finalAnswer, readOperation } from "../support/operations.ts";
import { journalRows, walletOf } from "../support/own-wallets.ts";
import { unsigned } from "../support/shared-mints.ts";
import { eventually, until } from "../support/waiting.ts";
import { outlastRestoration, replaceObject } from "../support/wallets.ts";

/** Mints that share a transaction whose block is dropped, whose wallet is lost, and whose database goes back. */

interface Minted {
  readonly tokens: readonly { readonly token_id: string; readonly owner_id: string }[];
  readonly tx_results: readonly { readonly transaction_hash: string }[];
}

let receivers: string[];

beforeAll(async () => {
  receivers = await createReceivers(3);
});
const originalFetch = globalThis.fetch;
afterEach(() => {
  vi.restoreAllMocks();
  return setFaults();
});

const opened = async (name: string): Promise<[TestIntegration, Finalized]> => {
  const shop = await createIntegration(name);
  return [shop, await createCollection(shop, { copies: [100] })];
};

const mint = (
  shop: TestIntegration,
  { collection_uuid: uuid }: Finalized,
  receiver: string,
  headers: Readonly<Record<string, string>> = {},
) => api(`/collection/${uuid}/mint`, { key: shop.key, json: { receiver_addresses: [receiver] }, headers });

const walletOfShop = (shop: TestIntegration) => walletOf(shop.integrationUuid);

/** A mint for each receiver, so that the wallet signs one transaction for all. */
const mintTogether = async (
  shop: TestIntegration,
  collection: Finalized,
  headers: (index: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<Promise<Response>[]> => {
  const sent = await unsigned(shop.integrationUuid, async () => {
    const answers = receivers.map((receiver, index) => mint(shop, collection, receiver, headers(index)));
    await eventually(async () => expect((await walletOfShop(shop).status()).queued).toBe(receivers.length));
    return answers;
  });
  await walletOfShop(shop).reconcile();
  return sent;
};

const sharedRows = (shop: TestIntegration) =>
  journalRows<{ state: string }>(shop.integrationUuid, "SELECT state FROM intents WHERE step = 'shared'");

/** That all have succeeded, by one transaction, each with its receiver's token. */
const expectOneForEach = (answers: readonly { status: number; body: Minted }[]) => {
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(answers.map(({ body }) => body.tokens.map(({ owner_id }) => owner_id))).toEqual(
    receivers.map((receiver) => [receiver]),
  );
  expect(new Set(answers.map(({ body }) => body.tokens[0]!.token_id)).size).toBe(receivers.length);
  expect(new Set(answers.map(({ body }) => body.tx_results[0]!.transaction_hash)).size).toBe(1);
};

/** How many tokens each view asks for that the service sends to its node from now on. */
const tokenViews = () => {
  // A read of the wallet that takes longer than this is left to the requests.
  lateTimers(2_000);
  const calls = vi.spyOn(globalThis, "fetch");
  return () =>
    calls.mock.calls.flatMap(([, init]) => {
      const args = /"nft_tokens_by_ids","args_base64":"([^"]+)"/.exec(String(init?.body))?.[1];
      return args === undefined ? [] : (JSON.parse(atob(args)) as { token_ids: string[] }).token_ids.length;
    });
};

describe("the tokens of a shared transaction", () => {
  test("are read once for all waiting requests, and each gets its own", async () => {
    const [shop, collection] = await opened("Read once");
    const asked = tokenViews();
    const answers = await Promise.all(await mintTogether(shop, collection));
    expectOneForEach(await Promise.all(answers.map((answer) => finalAnswer<Minted>(shop.key, answer))));
    // Again if the node was behind; a request would ask for its own token.
    expect(new Set(asked())).toEqual(new Set([receivers.length]));
  });

  test("are read by each request if the wallet's read fails", async () => {
    const [shop, collection] = await opened("Read by each");
    const asked = tokenViews();
    let failed = 0;
    vi.mocked(globalThis.fetch).mockImplementation(async (...call) => {
      const answer = await originalFetch(...call);
      if (failed > 0 || !String(call[1]?.body).includes('"nft_tokens_by_ids"')) return answer;
      failed += 1;
      const { result, ...body } = (await answer.json()) as { result: { block_height: number } };
      return Response.json({ ...body, result: { block_height: result.block_height, error: "no" } });
    });
    const told = await Promise.all(await mintTogether(shop, collection));
    expectOneForEach(await Promise.all(told.map((answer) => finalAnswer<Minted>(shop.key, answer))));
    expect(failed).toBe(1);
    expect(asked().filter((tokens) => tokens === 1).length).toBeGreaterThanOrEqual(receivers.length);
  });
});

describe("a shared transaction whose block is dropped has one effect for each mint when", () => {
  test.each([
    ["only its block is dropped", { blocks: 1 }],
    ["another block is dropped with it", { blocks: 2 }],
    ["its block is dropped repeatedly", { blocks: 1, count: 3 }],
  ])("%s", async (_name, how) => {
    const [shop, collection] = await opened("Dropped");
    await setFaults({ kind: "orphan", count: 1, ...how });
    const answers = await Promise.all(await mintTogether(shop, collection));
    expectOneForEach(await Promise.all(answers.map((answer) => finalAnswer<Minted>(shop.key, answer))));
    expect(await mintedOnChain(shop, collection)).toBe(receivers.length);
    expect(await sharedRows(shop)).toEqual([{ state: "succeeded" }]);
  });
});

describe("mints whose shared transaction was sent by a lost object", () => {
  test("aren't sent again, and each is settled on its own", async () => {
    const [shop, collection] = await opened("Lost with a shared transaction");
    // It lands, and nobody hears of it before the object is lost.
    await setFaults({ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" });
    const answers = await mintTogether(shop, collection, () => ({ prefer: "respond-async" }));
    const uuids = await Promise.all(
      answers.map(async (answer) => {
        const { operation_uuid } = await bodyOf<{ operation_uuid: string }>(await answer, 202);
        return operation_uuid;
      }),
    );
    await until(async () => (await mintedOnChain(shop, collection)) === receivers.length);
    await replaceObject(shop.integrationUuid);
    for (const uuid of uuids) {
      await background.resume(uuid);
      expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
    }
    await outlastRestoration(shop.integrationUuid);
    const settle = (uuid: string, effect: boolean) =>
      admin(`/operation/${uuid}/settle`, { json: { had_effect: effect } });
    const [first, ...others] = uuids as [string, ...string[]];
    expect(await bodyOf(await settle(first, true), 200)).toMatchObject({ state: "failed" });
    for (const uuid of others) {
      expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
    }
    expect(await finalAnswer(shop.key, await mint(shop, collection, receivers[0]!))).toMatchObject({
      status: 201,
    });
    expect(await mintedOnChain(shop, collection)).toBe(receivers.length + 1);
  });
});
