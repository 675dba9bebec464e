import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createIntegration, type TestIntegration } from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { lateTimers } from "../support/held-timers.ts";
import {
  carriedOut,
  createReceiver,
  type Intent,
  intent,
  mintBatch,
  type Override,
  type TransactionRecord,
  walletOf,
} from "../support/own-wallets.ts";

/** The tokens of a mint that a wallet reads for its caller, together with what became of the transaction. */

let shop: TestIntegration;
let collection: Finalized;
let receiver: string;

beforeAll(async () => {
  shop = await createIntegration("Minted tokens");
  collection = await createCollection(shop, { copies: [200] });
  receiver = await createReceiver();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await setFaults();
});

const mintOf = (quantity: number, metadata: Override | null = null): Intent => {
  const { collection_id } = collection.near_collection;
  return intent([mintBatch(collection_id, [receiver], quantity, metadata)], shop.contractAccountId);
};

const wallet = () => walletOf(shop.integrationUuid);

const minted = (wanted: Intent): Promise<TransactionRecord> => carriedOut(wallet(), wanted);

const idsOf = ({ value }: TransactionRecord): string[] =>
  JSON.parse(new TextDecoder().decode(value!)) as string[];

const whole = (ids: readonly string[]) =>
  ids.map((token_id) => ({ token_id, owner_id: receiver, metadata: { media: expect.any(String) } }));

describe("a mint that a request waits for", () => {
  test("returns its tokens, once, even if it shared no transaction", async () => {
    // The wallet reads no longer than this.
    lateTimers(2_000);
    const wanted = mintOf(2);
    const record = await minted(wanted);
    expect(record.state).toBe("succeeded");
    expect(record.tokens).toMatchObject(whole(idsOf(record)));
    const [again] = await wallet().transactions(wanted.operationUuid);
    expect(again).toMatchObject({ state: "succeeded" });
    expect(again!.tokens).toBeUndefined();
  });

  test.each([1, 3, 6])("never has tokens from a node that is %i blocks behind", async (blocks) => {
    await setFaults({ kind: "lag", methods: ["query"], blocks });
    const record = await minted(mintOf(1));
    await setFaults();
    expect(record.state).toBe("succeeded");
    // As long as no node shows them, the operation reads them itself.
    if (record.tokens !== undefined) expect(record.tokens).toMatchObject(whole(idsOf(record)));
  });

  test("reads its tokens itself if they have their own metadata", async () => {
    const record = await minted(mintOf(1, { title: "Own" }));
    expect(record.state).toBe("succeeded");
    expect(record.tokens).toBeUndefined();
  });
});
