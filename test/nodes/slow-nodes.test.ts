import { afterEach, beforeAll, expect, test } from "vitest";
import { api, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { finalAnswer } from "../support/operations.ts";

/** Every call of a node takes 50, 150 or 300 ms, as for distant nodes. */
const DISTANCES = [
  { kind: "delay", ms: 300, probability: 1 / 3 },
  { kind: "delay", ms: 150, probability: 1 / 2 },
  { kind: "delay", ms: 50 },
];

let shop: TestIntegration;
let collection: Finalized;
let receiver: string;

beforeAll(async () => {
  shop = await createIntegration();
  collection = await createCollection(shop, { copies: [200] });
  [receiver] = (await createReceivers(1)) as [string];
});
afterEach(() => setFaults());

interface Minted {
  readonly tokens: readonly { readonly token_id: string }[];
}

test("sixty mints at once are each carried out once with distant nodes and six calls at a time", async () => {
  await setFaults(...DISTANCES);
  // A busy machine's nodes may answer too late for a request: it is sent again, as its answer says, under its key.
  const mint = async (key: string): ReturnType<typeof finalAnswer<Minted>> => {
    const answer = await api(`/collection/${collection.collection_uuid}/mint`, {
      key: shop.key,
      headers: { "idempotency-key": key },
      json: { receiver_addresses: [receiver] },
    });
    return answer.status === 503 ? mint(key) : finalAnswer(shop.key, answer);
  };
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => mint(`distant ${index}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(201));
  const ids = answers.flatMap(({ body }) => body.tokens.map(({ token_id }) => token_id));
  expect(new Set(ids).size).toBe(60);
  await setFaults();
  expect(await mintedOnChain(shop, collection)).toBe(60);
});
