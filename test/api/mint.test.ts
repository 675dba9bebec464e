import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createCollection, type Finalized } from "../support/collections.ts";

let integration: TestIntegration;
let collection: Finalized;

interface Minted {
  readonly message: string;
  readonly tokens: readonly {
    readonly token_id: string;
    readonly owner_id: string;
    readonly collection_uuid: string;
    readonly media_url: string;
    readonly metadata: { readonly title: string; readonly media: string; readonly media_hash: string };
  }[];
  readonly tx_results: readonly { readonly status: string; readonly transaction_hash: string }[];
}

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, {
    copies: [20, 20, 20],
    subtitle: "No. $TOKEN_NUM of $TOTAL_NUM",
  });
});

const mint = (json: unknown, headers: Record<string, string> = {}) =>
  api(`/collection/${collection.collection_uuid}/mint`, { key: integration.key, json, headers });

test("mints to several receivers, grouped in their order, each token with a picture of its own", async () => {
  const [alice, bob] = await createReceivers(2);
  const body = await bodyOf<Minted>(
    await mint({ receiver_addresses: [alice, bob], quantity_per_receiver: 2 }),
    201,
  );
  expect(body.message).toBe("success");
  expect(body.tokens.map(({ owner_id }) => owner_id)).toEqual([alice, alice, bob, bob]);
  expect(body.tx_results).toHaveLength(1);
  expect(body.tx_results[0]?.status).toBe("success");
  const [first] = body.tokens;
  expect(first?.token_id).toBe(`${collection.near_collection.collection_id}:1`);
  expect(first?.metadata.title).toBe("Herons No. 1 of 60");
  const onChain = await view<unknown>(env.NEAR_RPC_URL, integration.contractAccountId, "nft_token", {
    token_id: first?.token_id,
  });
  expect(first).toMatchObject(onChain as object);
  const file = await api(new URL(first!.media_url).pathname);
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  expect(Buffer.from(digest).toString("base64")).toBe(first?.metadata.media_hash);
});
