import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { operationCount } from "../support/operations.ts";
import { watched } from "../support/trips.ts";

let integration: TestIntegration;
let collection: Finalized;
let tokenId: string;

interface Token {
  readonly token_id: string;
  readonly media_url: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, {
    settings: { description: "At dusk" },
    subtitle: "#$TOKEN_NUM",
  });
  const minted = await api(`/collection/${collection.collection_uuid}/mint`, {
    key: integration.key,
    json: { receiver_addresses: [integration.walletAccountId] },
  });
  tokenId = (await bodyOf<{ tokens: Token[] }>(minted, 201)).tokens[0]!.token_id;
});

const update = (json: unknown, uuid = collection.collection_uuid) =>
  api(`/collection/${uuid}/nft-update`, { key: integration.key, method: "PUT", json });

test("given fields change, others stay, and null restores the collection's value", async () => {
  const first = await bodyOf<{ message: string; token: Token; tx_results: { status: string }[] }>(
    await update({ token_id: tokenId, title: "Heron at the weir", extra: '{"signed":true}', copies: 3 }),
    200,
  );
  expect(first.message).toBe("success");
  expect(first.tx_results.map(({ status }) => status)).toEqual(["success"]);
  expect(first.token.metadata).toMatchObject({
    title: "Heron at the weir #1",
    description: "At dusk",
    extra: '{"signed":true}',
    copies: 3,
  });
  const second = await bodyOf<{ token: Token }>(
    await update({ token_id: tokenId, title: null, description: "In the rain" }),
    200,
  );
  expect(second.token.metadata).toMatchObject({
    title: "Herons #1",
    description: "In the rain",
    extra: '{"signed":true}',
  });
  const args = { token_id: tokenId };
  const contract = integration.contractAccountId;
  // The answer has everything that the contract shows of a token, except its locks.
  const { locks, ...shown } = await view<{ locks: unknown }>(env.NEAR_RPC_URL, contract, "nft_token", args);
  expect(locks).toBeDefined();
  expect(second.token).toMatchObject(shown);
});

test("a picture of this service's gateway is used by its address", async () => {
  const other = collection.ipfs_result.files.find(({ name }) => name === "1.png")!;
  const { token } = await bodyOf<{ token: Token }>(
    await update({ token_id: tokenId, asset_file_url: `http://mintage.test/ipfs/${other.cid}` }),
    200,
  );
  expect(token.metadata.media).toBe(other.cid);
  expect((await api(new URL(token.media_url).pathname)).status).toBe(200);
});

test("a missing token is 404, another integration's too, an invalid token id 400, and nothing is sent", async () => {
  const second = await createCollection(integration);
  const before = await operationCount(integration.key);
  const { collection_id: id } = collection.near_collection;
  for (const token of [`${id}:99`, `${id + 1}:1`]) {
    expect(await bodyOf(await update({ token_id: token, title: "Other" }), 404), token).toMatchObject({
      code: "not_found",
    });
  }
  for (const token of ["1:01", "heron"]) {
    expect(await bodyOf(await update({ token_id: token, title: "Other" }), 400), token).toMatchObject({
      issues: [{ path: ["token_id"] }],
    });
  }
  expect(
    await bodyOf(await update({ token_id: tokenId, title: "x" }, second.collection_uuid), 404),
  ).toMatchObject({ code: "not_found" });
  expect(await operationCount(integration.key)).toBe(before);
});

test("an update without a change is refused, and an unknown field is named", async () => {
  expect(await bodyOf(await update({ token_id: tokenId }), 400)).toMatchObject({ code: "invalid_request" });
  expect(await bodyOf(await update({ token_id: tokenId, titel: "x" }), 400)).toMatchObject({
    code: "invalid_request",
    issues: [{ path: ["titel"] }],
  });
});

test("writes that first read the chain ask the database for nothing", async () => {
  const { send, trips } = watched(integration.integrationUuid);
  const write = async (method: string, path: string, json: object, status: number): Promise<void> => {
    const at = `/collection/${collection.collection_uuid}${path}`;
    trips.length = 0;
    const answer = await send(at, { key: integration.key, method, json });
    expect(trips, path).toEqual([]);
    await bodyOf(answer, status);
  };
  // The isolate learns where the collection is.
  await bodyOf(await update({ token_id: tokenId, title: "Known" }), 200);
  await write("PUT", "/nft-update", { token_id: tokenId, title: "Counted" }, 200);
  const drop = {
    issuer_public_key: newIssuer().getPublicKey().toString(),
    ...{ links: 1, quantity: 1, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  };
  await write("POST", "/drop", drop, 201);
  const [{ drop_id: id } = { drop_id: 0 }] = await bodyOf<{ drop_id: number }[]>(
    await api(`/collection/${collection.collection_uuid}/drop`, { key: integration.key }),
    200,
  );
  await write("PUT", `/drop/${id}`, { links: 2 }, 200);
});
