import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createCollection, createHalfSold, type Finalized, mintedOnChain } from "../support/collections.ts";
import {
  background,
  firstPass,
  killedAt,
  OPERATION_POINTS,
  observeCheckpoints,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { pay, sendFrom } from "../support/payments.ts";

let integration: TestIntegration;
let collection: Finalized;
let alice: string;
let bob: string;

interface Token {
  readonly token_id: string;
  readonly owner_id: string;
  readonly collection_uuid: string;
  readonly media_url: string;
  readonly metadata: {
    readonly title: string;
    readonly description: string | null;
    readonly media: string;
    readonly media_hash: string;
    readonly copies: number;
    readonly extra: string | null;
  };
}
interface Minted {
  readonly message: string;
  readonly tokens: readonly Token[];
  readonly tx_results: readonly { readonly status: string; readonly transaction_hash: string }[];
}
interface Failed {
  readonly code: string;
  readonly message: string;
  readonly outcome: string;
  readonly operation_uuid: string;
}

beforeAll(async () => {
  integration = await createIntegration();
  // For the storage of long metadata, too.
  await pay("platform", integration.walletAccountId, 10n ** 25n);
  collection = await createCollection(integration, { copies: [50, 50, 50] });
  [alice, bob] = (await createReceivers(2)) as [string, string];
});
afterEach(() => observeCheckpoints(null));

const mint = (json: unknown, headers: Record<string, string> = {}, uuid = collection.collection_uuid) =>
  api(`/collection/${uuid}/mint`, { key: integration.key, json, headers });

const supply = () => mintedOnChain(integration, collection);

describe("a mint", () => {
  test("goes to several receivers in their order, each token with its own picture", async () => {
    const copies = [50, 50, 50];
    const own = await createCollection(integration, { copies, subtitle: "No. $TOKEN_NUM of $TOTAL_NUM" });
    const { collection_uuid: uuid } = own;
    const body = await bodyOf<Minted>(
      await mint({ receiver_addresses: [alice, bob], quantity_per_receiver: 2 }, {}, uuid),
      201,
    );
    expect(body.message).toBe("success");
    expect(body.tokens.map(({ owner_id }) => owner_id)).toEqual([alice, alice, bob, bob]);
    expect(body.tx_results.map(({ status }) => status)).toEqual(["success"]);
    const first = body.tokens[0]!;
    expect(first.token_id).toBe(`${own.near_collection.collection_id}:1`);
    expect(first.collection_uuid).toBe(uuid);
    expect(first.metadata.title).toBe("Herons No. 1 of 150");
    const args = { token_id: first.token_id };
    const contract = integration.contractAccountId;
    // The answer has everything that the contract shows of a token, except its locks.
    const { locks, ...shown } = await view<{ locks: unknown }>(env.NEAR_RPC_URL, contract, "nft_token", args);
    expect(locks).toBeDefined();
    expect(first).toMatchObject(shown);
    const file = await api(new URL(first.media_url).pathname);
    const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    expect(Buffer.from(digest).toString("base64")).toBe(first.metadata.media_hash);
    const read = await api(`/collection/${uuid}`, { key: integration.key });
    expect(await bodyOf(read, 200)).toMatchObject({ minted: 4 });
  });

  test("has one copy for one receiver by default", async () => {
    const { tokens } = await bodyOf<Minted>(await mint({ receiver_addresses: [alice] }), 201);
    expect(tokens).toHaveLength(1);
  });

  test("may have its own metadata", async () => {
    const metadata = {
      title: "Signed print",
      subtitle: "for $TOKEN_NUM friends",
      description: "By hand",
      extra: '{"edition":"first"}',
      copies: 7,
    };
    const { tokens } = await bodyOf<Minted>(await mint({ receiver_addresses: [bob], metadata }), 201);
    const number = tokens[0]!.token_id.split(":")[1];
    expect(tokens[0]!.metadata).toMatchObject({
      title: `Signed print for ${number} friends`,
      description: "By hand",
      extra: '{"edition":"first"}',
      copies: 7,
    });
    expect(tokens[0]!.metadata.media).not.toBeNull();
  });

  test("may have 25 tokens; with 26 it is refused and nothing is sent", async () => {
    const before = await supply();
    const refused = await mint({ receiver_addresses: [alice, bob], quantity_per_receiver: 13 });
    expect(await bodyOf<Failed>(refused, 400)).toMatchObject({ code: "mint_limit_exceeded" });
    expect(await supply()).toBe(before);
    const { tokens } = await bodyOf<Minted>(
      await mint({ receiver_addresses: [alice], quantity_per_receiver: 25 }),
      201,
    );
    expect(tokens).toHaveLength(25);
    expect(new Set(tokens.map(({ token_id }) => token_id)).size).toBe(25);
  });

  test("to accounts that nobody can sign for is refused with all their names, and so is its quote", async () => {
    const json = { receiver_addresses: [alice, "system", integration.contractAccountId, "a.system"] };
    const path = `/collection/${collection.collection_uuid}/mint`;
    const quote = { method: "POST", path, body: json };
    const refusals = [
      { answer: await mint(json), fields: [] },
      { answer: await api("/quote", { key: integration.key, json: quote }), fields: ["body"] },
    ];
    for (const { answer, fields } of refusals) {
      expect(await bodyOf(answer, 400)).toMatchObject({
        code: "invalid_request",
        issues: [1, 2, 3].map((index) => ({ path: [...fields, "receiver_addresses", index] })),
      });
    }
  });

  test("of more copies than are left is refused before anything is sent", async () => {
    const { collection_uuid: uuid } = await createCollection(integration, { copies: [3] });
    const refuse = async (quantity_per_receiver: number, left: number) => {
      const answer = await mint({ receiver_addresses: [alice], quantity_per_receiver }, {}, uuid);
      expect(answer.headers.get("x-operation-uuid")).toBeNull();
      const body = await bodyOf<Failed>(answer, 409);
      expect(body).toMatchObject({ code: "sold_out", outcome: "not_submitted", retryable: false });
      expect(body.message).toContain(`at most ${left} copies left`);
    };
    await refuse(4, 3);
    await bodyOf(await mint({ receiver_addresses: [alice], quantity_per_receiver: 2 }, {}, uuid), 201);
    await refuse(2, 1);
    await bodyOf(await mint({ receiver_addresses: [alice] }, {}, uuid), 201);
    await refuse(1, 0);
  });

  test("that is refused adds no file to its collection, and one that is accepted does", async () => {
    const { collection_uuid: uuid } = await createCollection(integration, { copies: [1] });
    const { cid } = collection.ipfs_result.files[0]!;
    const metadata = { asset_file_url: `http://mintage.test/ipfs/${cid}` };
    const kept = async () => {
      // Inside: no request shows which files a collection keeps.
      const row = await env.DB.prepare(
        `SELECT count(*) AS count FROM collection_blobs JOIN blobs USING (sha256)
         WHERE collection_id = ? AND media_type = 'image/png'`,
      )
        .bind(Buffer.from(uuid.replaceAll("-", ""), "hex"))
        .first<{ count: number }>();
      return row!.count;
    };
    const refused = await mint({ receiver_addresses: [alice], quantity_per_receiver: 2, metadata }, {}, uuid);
    expect(await bodyOf<Failed>(refused, 409)).toMatchObject({ code: "sold_out" });
    expect(await kept()).toBe(0);
    await bodyOf(await mint({ receiver_addresses: [alice], metadata }, {}, uuid), 201);
    expect(await kept()).toBe(1);
  });

  test("of copies that were sold in the meantime fails on the chain, and mints none", async () => {
    const { collection_uuid: uuid } = await createHalfSold(integration);
    const answer = await mint({ receiver_addresses: [alice], quantity_per_receiver: 2 }, {}, uuid);
    const body = await bodyOf<Failed>(answer, 409);
    expect(body).toMatchObject({ code: "sold_out", outcome: "failed_on_chain", retryable: false });
    const operation = await operationOver<Failed>(integration.key, body.operation_uuid);
    expect(operation).toMatchObject({
      state: "failed",
      transactions: [{ status: "failure" }],
      answer: { status: 409, body: { code: "sold_out", message: body.message } },
    });
    const rest = await mint({ receiver_addresses: [alice] }, {}, uuid);
    expect((await bodyOf<Minted>(rest, 201)).tokens).toHaveLength(1);
  });

  test("tops up the contract if it can't pay for storage, and mints once", async () => {
    const before = await supply();
    // Two NEAR pay for 200 kB, and these tokens need more.
    const metadata = { extra: JSON.stringify({ story: "heron ".repeat(2_000) }) };
    const answer = await mint({ receiver_addresses: [alice], quantity_per_receiver: 25, metadata });
    const uuid = answer.headers.get("x-operation-uuid")!;
    const body = await bodyOf<Minted>(answer, 201);
    expect(body.tokens).toHaveLength(25);
    expect(body.tx_results.map(({ status }) => status)).toEqual(["success"]);
    const operation = await readOperation<Minted>(integration.key, uuid);
    expect(operation.transactions.map(({ status }) => status)).toEqual(["failure", "success", "success"]);
    expect(operation.answer).toEqual({ status: 201, body });
    expect(await supply()).toBe(before + 25);
  });

  test("beyond the daily quota of function-call keys is sent again with a full-access key, alone and with others", async () => {
    const shop = await createIntegration();
    const large = await createCollection(shop, { copies: [2_000] });
    const { collection_id } = large.near_collection;
    const order = JSON.stringify({ collection_id, receiver_ids: [alice], quantities: [100] });
    const call = { kind: "function_call", method: "nft_batch_mint", deposit: "0" } as const;
    const args = new TextEncoder().encode(order);
    const five = Array.from({ length: 5 }, () => ({ ...call, args, gas: `${55n * 10n ** 12n}` }));
    for (let sent = 0; sent < 2; sent++) await sendFrom(shop.integrationUuid, shop.contractAccountId, five);
    const uuid = large.collection_uuid;
    const mintFor = (receiver_addresses: string[]) =>
      api(`/collection/${uuid}/mint`, { key: shop.key, json: { receiver_addresses } });
    const first = await mintFor([alice, bob]);
    const body = await bodyOf<Minted>(first, 201);
    expect(body.tokens.map(({ token_id }) => token_id)).toEqual(
      [1_001, 1_002].map((n) => `${collection_id}:${n}`),
    );
    const operation = await readOperation<Minted>(shop.key, first.headers.get("x-operation-uuid")!);
    expect(operation.transactions.map(({ status }) => status)).toEqual(["failure", "success"]);
    const more = Array.from({ length: 6 }, () => mintFor([bob]));
    for (const answer of await Promise.all(more)) {
      const later = await readOperation<Minted>(shop.key, answer.headers.get("x-operation-uuid")!);
      await bodyOf<Minted>(answer, 201);
      expect(later.transactions.map(({ status }) => status)).toEqual(["failure", "success"]);
    }
  });

  test("of a missing collection is refused with 404, and with a read key with 403", async () => {
    const missing = await mint({ receiver_addresses: [alice] }, {}, crypto.randomUUID());
    expect(await bodyOf<Failed>(missing, 404)).toMatchObject({ code: "not_found" });
    const read = await api(`/collection/${collection.collection_uuid}/mint`, {
      key: integration.readKey,
      json: { receiver_addresses: [alice] },
    });
    expect(await bodyOf<Failed>(read, 403)).toMatchObject({ code: "scope_missing" });
  });
});

describe("a mint that is interrupted", () => {
  test.each(OPERATION_POINTS)("at %s is carried out once", async (point) => {
    const before = await supply();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const send = () => mint({ receiver_addresses: [alice, bob] }, headers);
    await (await killedAt(point, send, firstPass)).body?.cancel();
    await background.reconcile(60_000);
    const again = await send();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const body = await bodyOf<Minted>(again, 201);
    expect(body.tokens.map(({ owner_id }) => owner_id)).toEqual([alice, bob]);
    expect(await supply()).toBe(before + 2);
  });
});

test("many simultaneous mints are carried out once each", async () => {
  const before = await supply();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => mint({ receiver_addresses: [index % 2 ? alice : bob] })),
  );
  const bodies = await Promise.all(answers.map((answer) => bodyOf<Minted>(answer, 201)));
  const ids = bodies.flatMap(({ tokens }) => tokens.map(({ token_id }) => token_id));
  expect(new Set(ids).size).toBe(20);
  expect(await supply()).toBe(before + 20);
});
