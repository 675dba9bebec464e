import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { finalAnswer, firstPasses, killAt, observeCheckpoints } from "../support/operations.ts";
import {
  type Intent,
  intent,
  journalRows,
  mintAsset,
  mintBatch,
  type Override,
  signedRecord,
  type TransactionRecord,
  walletOf,
} from "../support/own-wallets.ts";
import { drain } from "../support/payments.ts";
import { unsigned as unsignedBy } from "../support/shared-mints.ts";
import { ENOUGH, eventually, until } from "../support/waiting.ts";
import { endObject } from "../support/wallets.ts";

/** Mints that wait together and share a transaction. */

let shop: TestIntegration;
let uuid: string;
let collection: Finalized;
let receivers: string[];

beforeAll(async () => {
  shop = await createIntegration("Shared");
  uuid = shop.integrationUuid;
  collection = await createCollection(shop, { copies: [2_000] });
  receivers = await createReceivers(4);
});

afterEach(async () => {
  observeCheckpoints(null);
  vi.restoreAllMocks();
  await setFaults();
});

const wallet = () => walletOf(uuid);

const mintOf = (
  to: readonly string[],
  quantity = 1,
  { near_collection } = collection,
  metadata: Override | null = null,
): Intent =>
  intent([mintBatch(near_collection.collection_id, to, quantity, metadata)], shop.contractAccountId);

const unsigned = <T>(work: () => Promise<T>): Promise<T> => unsignedBy(shop.integrationUuid, work);

/** Hands intents over so that they wait together, then lets the wallet sign. */
const waitTogether = async (intents: readonly Intent[]): Promise<void> => {
  await unsigned(async () => {
    for (const wanted of intents) expect(await wallet().submit(wanted)).toEqual({ status: "accepted" });
  });
  await wallet().reconcile();
};

const settled = async (intents: readonly Intent[]): Promise<TransactionRecord[]> =>
  (await Promise.all(intents.map(({ operationUuid }) => wallet().recordsAtEnd(operationUuid, ENOUGH)))).map(
    ([record]) => record!,
  );

const idsOf = ({ value }: TransactionRecord): string[] =>
  JSON.parse(new TextDecoder().decode(value!)) as string[];

const hashesOf = (records: readonly TransactionRecord[]) =>
  new Set(records.map(({ result }) => result!.transaction_hash));

const ownerOf = async (token: string): Promise<string> =>
  (
    await view<{ owner_id: string }>(env.NEAR_RPC_URL, shop.contractAccountId, "nft_token", {
      token_id: token,
    })
  ).owner_id;

const minted = (of = collection) => mintedOnChain(shop, of);

/** What shared transactions carry that isn't over; what is over has its result there. */
const carried = () =>
  journalRows(
    uuid,
    "SELECT carried.* FROM carried JOIN intents ON intents.id = intent WHERE state NOT IN ('succeeded', 'failed')",
  );
const statesOf = (records: readonly TransactionRecord[]) => records.map(({ state }) => state);

describe("mints queued together", () => {
  test("share one transaction, and each gets its own tokens", async () => {
    const [alice, bob, carol] = receivers as [string, string, string];
    const wanted: readonly [readonly string[], number][] = [
      [[alice], 1],
      [[bob, carol], 2],
      [[carol], 3],
      [[alice], 1],
    ];
    const intents = wanted.map(([to, quantity]) => mintOf(to, quantity));
    await waitTogether(intents);
    const records = await settled(intents);
    expect(statesOf(records)).toEqual(Array(4).fill("succeeded"));
    expect(hashesOf(records).size).toBe(1);
    const ids = records.map(idsOf);
    expect(new Set(ids.flat()).size).toBe(9);
    for (const [index, [to, quantity]] of wanted.entries()) {
      const owners = await Promise.all(ids[index]!.map(ownerOf));
      expect(owners).toEqual(to.flatMap((receiver) => Array<string>(quantity).fill(receiver)));
    }
    expect(await carried()).toEqual([]);
    const status = await wallet().status();
    expect(status).toMatchObject({ queued: 0, stuck: [] });
  });

  test("of one asset share one transaction, separate from other assets and from drawn mints", async () => {
    const own = await createCollection(shop, { copies: [20, 20, 20] });
    const of = (assetIndex: number, quantity = 1) =>
      intent(
        [
          mintAsset(own.near_collection.collection_id, assetIndex, {
            ...{ receivers: [receivers[0]!], quantity, metadata: null },
          }),
        ],
        shop.contractAccountId,
      );
    const drawn = () => mintOf([receivers[1]!], 1, own);
    const intents = [of(0), drawn(), of(1), of(0, 2), drawn(), of(1)];
    await waitTogether(intents);
    const records = await settled(intents);
    expect(statesOf(records)).toEqual(Array(6).fill("succeeded"));
    const hashes = records.map(({ result }) => result!.transaction_hash);
    expect(new Set(hashes).size).toBe(3);
    for (const [one, other] of [
      [0, 3],
      [1, 4],
      [2, 5],
    ] as const)
      expect(hashes[one]).toBe(hashes[other]);
    const mediaOf = async (token: string) => {
      const args = { token_id: token };
      type Shown = { readonly metadata: { readonly media: string } };
      return (await view<Shown>(env.NEAR_RPC_URL, shop.contractAccountId, "nft_token", args)).metadata.media;
    };
    const media = await Promise.all(records.map((record) => Promise.all(idsOf(record).map(mediaOf))));
    expect(media.map((each) => each.length)).toEqual([1, 1, 1, 2, 1, 1]);
    expect(new Set([...media[0]!, ...media[3]!]).size).toBe(1);
    expect(new Set([...media[2]!, ...media[5]!]).size).toBe(1);
    expect(media[0]).not.toEqual(media[2]);
  });

  test("share transactions of up to 25 tokens, and an unshared one is signed unchanged", async () => {
    const intents = Array.from({ length: 30 }, () => mintOf([receivers[0]!]));
    await waitTogether(intents);
    const records = await settled(intents);
    expect(hashesOf(records).size).toBe(2);
    expect(new Set(records.flatMap(idsOf)).size).toBe(30);
    const before = await journalRows(uuid, "SELECT id FROM intents WHERE step = 'shared'");
    const lone = mintOf([receivers[0]!]);
    await waitTogether([lone]);
    expect(await settled([lone])).toMatchObject([{ state: "succeeded" }]);
    expect(await journalRows(uuid, "SELECT id FROM intents WHERE step = 'shared'")).toEqual(before);
  });

  test("share only within their collection, and not with their own metadata", async () => {
    const other = await createCollection(shop, { copies: [50] });
    const [alice] = receivers as [string];
    const intents = [
      mintOf([alice]),
      mintOf([alice], 1, other),
      mintOf([alice], 1, collection, { title: "Own" }),
      mintOf([alice]),
      mintOf([alice], 1, other),
    ];
    await waitTogether(intents);
    const records = await settled(intents);
    expect(statesOf(records)).toEqual(Array(5).fill("succeeded"));
    const [first, second, third, fourth, fifth] = records.map(({ result }) => result!.transaction_hash);
    expect([fourth, fifth]).toEqual([first, second]);
    expect(hashesOf(records).size).toBe(3);
    expect(third).not.toBe(first);
    for (const [index, record] of records.entries()) {
      const { collection_id } = (index === 1 || index === 4 ? other : collection).near_collection;
      expect(idsOf(record)).toEqual([expect.stringMatching(new RegExp(`^${collection_id}:`))]);
    }
  });
});

test("mints can't be withdrawn while their shared transaction is open", async () => {
  const intents = [mintOf([receivers[0]!]), mintOf([receivers[1]!])];
  await setFaults({ kind: "request_lost", methods: ["send_tx"] });
  await waitTogether(intents);
  await eventually(async () => expect(await carried()).toHaveLength(2));
  for (const { operationUuid } of intents) {
    expect(await wallet().withdraw(operationUuid, 1)).toBe(false);
    expect(await wallet().landing(operationUuid)).toMatchObject({ isOver: false });
  }
  await setFaults();
  expect(statesOf(await settled(intents))).toEqual(["succeeded", "succeeded"]);
});

test("a wallet that can't pay the gas of all at once sends as many as it can, then the rest", async () => {
  const small = await createIntegration("Small purse");
  const { near_collection } = await createCollection(small, { copies: [100] });
  const own = walletOf(small.integrationUuid);
  await until(async () => (await own.status()).open === 0);
  // A call for 24 needs 0.044 NEAR for a while, one for 18 needs 0.038; what waits needs 0.002 each.
  await drain(small.integrationUuid, 40n * 10n ** 21n);
  const intents = Array.from({ length: 8 }, () =>
    intent([mintBatch(near_collection.collection_id, [receivers[0]!], 3, null)], small.contractAccountId),
  );
  await unsignedBy(small.integrationUuid, async () => {
    for (const wanted of intents) expect(await own.submit(wanted)).toEqual({ status: "accepted" });
  });
  await setFaults();
  await own.reconcile();
  const records = await Promise.all(
    intents.map(({ operationUuid }) => own.recordsAtEnd(operationUuid, ENOUGH)),
  );
  expect(records.map(([record]) => record!.state)).toEqual(Array(8).fill("succeeded"));
  const sent = hashesOf(records.map(([record]) => record!)).size;
  expect(sent).toBeGreaterThan(1);
  expect(sent).toBeLessThan(8);
  // No node refused any of them for lack of funds, which is how one that is dead ends.
  const ended = await journalRows(small.integrationUuid, "SELECT DISTINCT state FROM signed");
  expect(ended).toEqual([{ state: "landed" }]);
});

describe("a burst of requests", () => {
  /** A mint's last answer. A slow machine may refuse one before anything is sent: it is sent again, as a caller would. */
  const mintedTo = async (receiver: string) => {
    for (;;) {
      const answer = await api(`/collection/${collection.collection_uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [receiver] },
      });
      const uuid = answer.headers.get("x-operation-uuid")!;
      const final = await finalAnswer<{
        tokens: { token_id: string; owner_id: string }[];
        tx_results: { transaction_hash: string }[];
      }>(shop.key, answer);
      if (final.status !== 503) return { uuid, ...final };
      expect(final.body).toMatchObject({ outcome: "not_submitted", retryable: true });
    }
  };

  test("takes fewer transactions than mints, and each caller gets its own tokens", async () => {
    const before = await minted();
    const count = 40;
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const receiver = receivers[index % receivers.length]!;
        const { uuid, status, body } = await mintedTo(receiver);
        expect({ status, body }).toMatchObject({ status: 201, body: { tokens: [{ owner_id: receiver }] } });
        return { uuid, token: body.tokens[0]!.token_id, hash: body.tx_results[0]!.transaction_hash };
      }),
    );
    expect(new Set(answers.map(({ token }) => token)).size).toBe(count);
    const hashes = new Set(answers.map(({ hash }) => hash));
    expect(hashes.size).toBeLessThan(count / 2);
    expect((await minted()) - before).toBe(count);
    // Each operation shows the transaction; the list of all shows it once.
    for (const { uuid, hash } of answers) {
      const operation = await bodyOf<{ transactions: { transaction_hash: string }[] }>(
        await api(`/operation/${uuid}`, { key: shop.key }),
        200,
      );
      expect(operation.transactions.map(({ transaction_hash }) => transaction_hash)).toEqual([hash]);
    }
    const listed = await bodyOf<{ transaction_hash: string }[]>(
      await api("/transaction?limit=100", { key: shop.key }),
      200,
    );
    const shown = listed.map(({ transaction_hash }) => transaction_hash);
    expect(new Set(shown).size).toBe(shown.length);
    for (const hash of hashes) expect(shown).toContain(hash);
  });
});

const POINTS = [
  "wallet.before_sign",
  "wallet.signed",
  "wallet.committed",
  "wallet.before_send",
  "wallet.sent",
  "wallet.asked",
  "wallet.before_end",
  "wallet.ended",
];

describe("mints that share a transaction have one effect each when the object is killed at", () => {
  test.each(POINTS)("%s", async (point) => {
    const before = await minted();
    const intents = [mintOf([receivers[0]!]), mintOf([receivers[1]!], 2), mintOf([receivers[2]!])];
    const kills = await unsigned(async () => {
      for (const wanted of intents) await wallet().submit(wanted);
      return killAt(point, firstPasses(2));
    });
    const records = await settled(intents);
    expect(kills.count).toBeGreaterThan(0);
    expect(statesOf(records)).toEqual(Array(3).fill("succeeded"));
    const ids = records.map(idsOf);
    expect(ids.map((own) => own.length)).toEqual([1, 2, 1]);
    expect(new Set(ids.flat()).size).toBe(4);
    expect(await Promise.all(ids.map(([first]) => ownerOf(first!)))).toEqual(receivers.slice(0, 3));
    expect((await minted()) - before).toBe(4);
    expect(await carried()).toEqual([]);
  });
});

describe("a shared transaction that fails on the chain has no effect, and each mint is sent on its own", () => {
  test("so that an impossible mint fails alone with its own reason", async () => {
    const before = await minted();
    const intents = [mintOf([receivers[0]!]), mintOf(["Not An Account"]), mintOf([receivers[1]!])];
    await waitTogether(intents);
    const records = await settled(intents);
    expect(statesOf(records)).toEqual(["succeeded", "failed", "succeeded"]);
    expect(records[1]!.contractCode).toBe("E_INVALID_ARGUMENT");
    expect(hashesOf(records).size).toBe(3);
    expect((await minted()) - before).toBe(2);
    expect(await carried()).toEqual([]);
  });

  test("so that all copies left are minted", async () => {
    const small = await createCollection(shop, { copies: [3] });
    const intents = Array.from({ length: 5 }, () => mintOf([receivers[0]!], 1, small));
    await waitTogether(intents);
    const records = await settled(intents);
    expect(statesOf(records).toSorted()).toEqual([...Array(2).fill("failed"), ...Array(3).fill("succeeded")]);
    expect(await minted(small)).toBe(3);
  });
});

describe("mints of a contract that can't pay for their storage", () => {
  test("need one top-up", async () => {
    const withdraw = intent(
      [
        {
          kind: "function_call",
          method: "withdraw",
          args: new TextEncoder().encode("{}"),
          gas: "30000000000000",
          deposit: "1",
        },
      ],
      shop.contractAccountId,
    );
    await wallet().submit(withdraw);
    expect(await wallet().recordsAtEnd(withdraw.operationUuid, ENOUGH)).toMatchObject([
      { state: "succeeded" },
    ]);
    // What the collection has been promised already is used up. An object that has only begun doesn't see it coming.
    for (const quantity of [24, 5, 1]) {
      for (let state = "succeeded"; state === "succeeded"; ) {
        const last = mintOf([receivers[0]!], quantity);
        await wallet().submit(last);
        const [record] = await wallet().recordsAtEnd(last.operationUuid, ENOUGH);
        state = record!.state;
        if (state === "failed") expect(record!.contractCode).toBe("E_STORAGE_BALANCE");
        await endObject(uuid);
      }
    }
    const before = await minted();
    const topUps = () => journalRows(uuid, "SELECT state FROM intents WHERE step LIKE 'topup:%'");
    expect(await topUps()).toEqual([]);
    const answers = await unsigned(async () => {
      const sent = Array.from({ length: 6 }, (_, index) =>
        api(`/collection/${collection.collection_uuid}/mint`, {
          key: shop.key,
          json: { receiver_addresses: [receivers[index % 4]!] },
        }),
      );
      await eventually(async () => expect((await wallet().status()).queued).toBe(6));
      return sent;
    });
    await wallet().reconcile();
    for (const answer of await Promise.all(answers)) {
      expect(await finalAnswer(shop.key, answer)).toMatchObject({ status: 201 });
    }
    expect(await topUps()).toEqual([{ state: "succeeded" }]);
    expect((await minted()) - before).toBe(6);
  });
});

/** The service's node has forgotten what became of transactions, and the blocks that would tell. */
const FORGETFUL = [
  { kind: "unknown_transaction", node: "/" },
  { kind: "lag", methods: ["EXPERIMENTAL_changes"], blocks: 10_000_000, node: "/" },
];

describe("an unprovable shared transaction", () => {
  const givenUp = (intents: readonly Intent[]) =>
    until(async () => {
      await runInDurableObject(env.WALLET.getByName(uuid), (_, { storage: { sql } }) => {
        sql.exec("UPDATE signed SET ask_at = 0 WHERE state = 'open'");
      });
      await wallet().reconcile();
      const [record] = await wallet().transactions(intents[0]!.operationUuid);
      return record?.state === "unknown";
    });

  test("keeps all its mints unknown until one proof, including the rest when one is settled", async () => {
    const intents = [mintOf([receivers[0]!]), mintOf([receivers[1]!], 2), mintOf([receivers[2]!])];
    await setFaults(...FORGETFUL);
    await waitTogether(intents);
    await givenUp(intents);
    expect(statesOf(await settled(intents))).toEqual(Array(3).fill("unknown"));
    const [first] = intents;
    // Its key has used the nonce, so that nothing of it can land any more.
    await eventually(async () =>
      expect(await wallet().landing(first!.operationUuid)).toMatchObject({ isOver: true }),
    );
    expect(await wallet().withdraw(first!.operationUuid, 1, true, ["unknown"])).toBe(true);
    await wallet().acknowledge(first!.operationUuid);
    const stuck = (await wallet().stuck(0, 100))!.map(({ record }) => record.operationUuid);
    expect(stuck).toEqual(intents.slice(1).map(({ operationUuid }) => operationUuid));
    await setFaults();
    await endObject(shop.integrationUuid);
    await wallet().reconcile();
    const records = await settled(intents);
    expect(statesOf(records)).toEqual(Array(3).fill("succeeded"));
    expect(records.map(idsOf).map((own) => own.length)).toEqual([1, 2, 1]);
    expect(await carried()).toEqual([]);
  });
});

test("a shared transaction raced by a no-op is signed again and has one effect", async () => {
  const before = await minted();
  const intents = [mintOf([receivers[0]!]), mintOf([receivers[1]!])];
  // No node ever takes the first transaction.
  await setFaults({ kind: "per_hash", methods: ["send_tx"], count: 1 });
  await waitTogether(intents);
  const open = await signedRecord(wallet(), intents[0]!.operationUuid);
  expect(open).toMatchObject({ state: "open", result: { status: "pending" } });
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() + 121_000);
  const records = await settled(intents);
  expect(statesOf(records)).toEqual(["succeeded", "succeeded"]);
  expect(hashesOf(records).size).toBe(1);
  expect(records[0]!.result!.transaction_hash).not.toBe(open.result.transaction_hash);
  expect((await minted()) - before).toBe(2);
  const raced = "SELECT 1 FROM signed WHERE noop_hash IS NOT NULL";
  expect(await journalRows(uuid, raced)).toHaveLength(1);
  // What the object knows by the later clock would keep it waiting for minutes by the present one.
  vi.restoreAllMocks();
  await endObject(uuid);
});
