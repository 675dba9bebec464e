import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type ApiRequest, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createAccount } from "../support/chain.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { keyOf } from "../support/keys.ts";
import { background, killAt, observeCheckpoints, readOperation } from "../support/operations.ts";

/** Tokens that their owner burns before the service reads what it has minted or changed. */

const key = keyOf();
const holder = `h${crypto.randomUUID().slice(0, 8)}.test`;

let shop: TestIntegration;
let collection: Finalized;

beforeAll(async () => {
  shop = await createIntegration("Burnt");
  collection = await createCollection(shop, { copies: [100] });
  await createAccount(env.NEAR_RPC_URL, holder, key.text);
});
afterEach(() => observeCheckpoints(null));

/** Burns a token as its holder, and waits until that is final. */
const burn = async (tokenId: string): Promise<void> => {
  const status = await key.send(holder, shop.contractAccountId, [
    {
      kind: "function_call",
      method: "nft_burn",
      args: new TextEncoder().encode(JSON.stringify({ token_id: tokenId })),
      gas: `${10n ** 14n}`,
      deposit: "1",
    },
  ]);
  expect(status).toHaveProperty("SuccessValue");
};

/** Sends a write whose effects aren't stored. Returns its operation. */
const unread = async (path: string, request: ApiRequest): Promise<string> => {
  killAt("operation.before_effects");
  const answer = await api(`/collection/${collection.collection_uuid}/${path}`, {
    key: shop.key,
    ...request,
  });
  return (await bodyOf<{ operation_uuid: string }>(answer, 202)).operation_uuid;
};

/** The operation once its effects may be stored. */
const answered = async (uuid: string) => {
  observeCheckpoints(null);
  await background.resume(uuid);
  return readOperation<{ tokens: { token_id: string }[] }>(shop.key, uuid);
};

test("a mint whose tokens are partly burnt before its answer succeeds, and shows the others", async () => {
  const minted = await mintedOnChain(shop, collection);
  const { collection_id } = collection.near_collection;
  const [first, second] = [minted + 1, minted + 2].map((number) => `${collection_id}:${number}`);
  const uuid = await unread("mint", { json: { receiver_addresses: [holder], quantity_per_receiver: 2 } });
  await burn(first!);
  const { state, answer } = await answered(uuid);
  expect(state).toBe("succeeded");
  expect(answer).toMatchObject({ status: 201, body: { message: "success" } });
  expect(answer!.body.tokens.map(({ token_id }) => token_id)).toEqual([second]);
});

test("an update of a token that is burnt before its answer reports that it is burnt", async () => {
  const minted = await api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [holder] },
  });
  const { tokens } = await bodyOf<{ tokens: { token_id: string }[] }>(minted, 201);
  const tokenId = tokens[0]!.token_id;
  const uuid = await unread("nft-update", { method: "PUT", json: { token_id: tokenId, title: "New" } });
  await burn(tokenId);
  const { state, answer, transactions } = await answered(uuid);
  expect(state).toBe("failed");
  expect(transactions).toMatchObject([{ status: "success" }]);
  expect(answer).toMatchObject({ status: 404, body: { code: "not_found", outcome: "final" } });
});
