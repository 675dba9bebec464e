import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action } from "../../src/chain/actions.ts";
import { mintAsset, mintBatch } from "../../src/chain/contract/calls.ts";
import {
  type MintOrder,
  mintTogether,
  orderIn,
  shareNameOf,
  shareOut,
  shownTogether,
  tokensOf,
} from "../../src/chain/contract/shared-mints.ts";
import { MAX_MINTS } from "../../src/domain/mint-notes.ts";
import { isOver, MOVES } from "../../src/wallet/journal/machine.ts";
import { type Carried, partsOf } from "../../src/wallet/journal/parts.ts";
import { mostPayable, type QueuedIntent, together } from "../../src/wallet/journal/queue.ts";

/** Mints that share a transaction: what may, in which order, and whose tokens are whose. */

const NAMES = ["a.near:0", "a.near:1", "b.near:0"];

const queue = fc
  .array(
    fc.record({
      share: fc.constantFrom(null, ...NAMES),
      tokens: fc.integer({ min: 1, max: MAX_MINTS }),
    }),
    { maxLength: 80 },
  )
  .map((list): QueuedIntent[] =>
    list.map(({ share, tokens }, index) => ({
      id: index + 1,
      receiverId: share?.split(":")[0] ?? "c.near",
      method: "nft_batch_mint",
      total: 1n,
      share,
      tokens: share === null ? 0 : tokens,
    })),
  );

const placesOf = (intents: readonly QueuedIntent[]) => {
  const units = together(intents, MAX_MINTS);
  return new Map(units.flatMap(({ members }, place) => members.map(({ id }) => [id, place])));
};

describe("queued intents are grouped", () => {
  test("with each intent once, in queue order, by share name, and up to 25 tokens", () => {
    fc.assert(
      fc.property(queue, (intents) => {
        const units = together(intents, MAX_MINTS);
        const members = units.map((unit) => unit.members.map(({ id }) => intents[id - 1]!));
        const ids = members.flat().map(({ id }) => id);
        expect(ids.toSorted((a, b) => a - b)).toEqual(intents.map(({ id }) => id));
        expect(units.map(({ id }) => id)).toEqual(units.map(({ id }) => id).toSorted((a, b) => a - b));
        for (const [place, unit] of units.entries()) {
          const own = members[place]!;
          expect(own.map(({ id }) => id)).toEqual(own.map(({ id }) => id).toSorted((a, b) => a - b));
          expect(own[0]!.id).toBe(unit.id);
          expect(new Set(own.map(({ share, receiverId }) => `${share} ${receiverId}`)).size).toBe(1);
          if (own.length > 1) {
            expect(own[0]!.share).not.toBeNull();
            expect(own.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(MAX_MINTS);
          }
        }
      }),
    );
  });

  test("with no more transactions before an intent than it had intents before it, and in order within a collection", () => {
    fc.assert(
      fc.property(queue, (intents) => {
        const places = placesOf(intents);
        for (const [index, { id, share }] of intents.entries()) {
          expect(places.get(id)!).toBeLessThanOrEqual(index);
          for (const later of intents.slice(index + 1)) {
            if (share !== null && later.share === share) {
              expect(places.get(later.id)!).toBeGreaterThanOrEqual(places.get(id)!);
            }
          }
        }
      }),
    );
  });

  test("two consecutive transactions of a collection together have more tokens than fit into one", () => {
    fc.assert(
      fc.property(queue, (intents) => {
        const units = together(intents, MAX_MINTS);
        const sums = (name: string) =>
          units
            .filter(({ members }) => intents[members[0]!.id - 1]!.share === name)
            .map(({ members }) => members.reduce((sum, { tokens }) => sum + tokens, 0));
        for (const name of NAMES) {
          for (const [index, sum] of sums(name).slice(1).entries()) {
            expect(sums(name)[index]! + sum).toBeGreaterThan(MAX_MINTS);
          }
        }
      }),
    );
  });
});

test("a transaction carries as many as can be paid, and at least one", () => {
  const drawn = fc.record({
    each: fc.array(fc.bigInt({ min: 1n, max: 100n }), { minLength: 1, maxLength: 25 }),
    budget: fc.bigInt({ min: -10n, max: 2_000n }),
  });
  fc.assert(
    fc.property(drawn, ({ each, budget }) => {
      const total = (count: number) => each.slice(0, count).reduce((sum, cost) => sum + cost, 0n);
      const most = mostPayable(each.length, total, budget);
      expect(most).toBeGreaterThanOrEqual(1);
      if (most > 1) expect(total(most)).toBeLessThanOrEqual(budget);
      if (most < each.length) expect(total(most + 1)).toBeGreaterThan(budget);
    }),
  );
  expect(mostPayable(3, (count) => BigInt(count) * 10n, 30n)).toBe(3);
});

const account = fc.constantFrom("alice.near", "bob.near", "carol.near");
const order = fc
  .record({
    receivers: fc.array(account, { minLength: 1, maxLength: 5 }),
    quantity: fc.integer({ min: 1, max: 5 }),
  })
  .map((wanted): MintOrder => ({ ...wanted, collectionId: 7 }));

/** The asset that all orders of a call are for; none: they are drawn. */
const asset = fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined });

const argsOf = (action: Action) =>
  JSON.parse(new TextDecoder().decode((action as { args: Uint8Array }).args)) as {
    receiver_ids: string[];
    quantities?: number[];
    asset_index?: number;
  };

/** Receivers of the tokens of a call, in the order in which the contract mints them. */
const mintedFor = (action: Action): string[] => {
  const { receiver_ids, quantities } = argsOf(action);
  return receiver_ids.flatMap((receiver, index) => Array<string>(quantities?.[index] ?? 1).fill(receiver));
};

describe("a call for several orders", () => {
  test("mints for each order what its own call would, in order", () => {
    fc.assert(
      fc.property(fc.array(order, { minLength: 1, maxLength: 6 }), asset, (drawn, assetIndex) => {
        const orders = drawn.map((wanted) => (assetIndex === undefined ? wanted : { ...wanted, assetIndex }));
        const alone = orders.map(({ receivers, quantity }) =>
          assetIndex === undefined
            ? mintBatch(7, receivers, quantity, null)
            : mintAsset(7, assetIndex, { receivers, quantity, metadata: null }),
        );
        const together = mintTogether(orders);
        expect(mintedFor(together)).toEqual(alone.flatMap(mintedFor));
        expect(argsOf(together).asset_index).toBe(assetIndex);
        expect(alone.map((action) => orderIn([action]))).toEqual(orders);
        expect(new Set(orders.map((wanted) => shareNameOf("c.near", wanted))).size).toBe(1);
      }),
    );
  });

  test.each([
    ["two collections", { collectionId: 2 }],
    ["an asset beside what is drawn", { assetIndex: 0 }],
  ])("isn't possible for %s, which have different share names", (_what, other) => {
    const one = { collectionId: 1, receivers: ["alice.near"], quantity: 1 };
    expect(() => mintTogether([one, { ...one, ...other }])).toThrow("with the same share name");
    expect(shareNameOf("c.near", { ...one, ...other })).not.toBe(shareNameOf("c.near", one));
  });

  test.each<[string, readonly Action[]]>([
    ["metadata", [mintBatch(1, ["alice.near"], 1, { title: "Own" })]],
    [
      "metadata for a chosen asset",
      [mintAsset(1, 0, { receivers: ["alice.near"], quantity: 1, metadata: { title: "Own" } })],
    ],
    [
      "an impossible index of an asset",
      [mintAsset(1, -1, { receivers: ["alice.near"], quantity: 1, metadata: null })],
    ],
    ["more than 25 tokens", [mintBatch(1, ["alice.near"], 26, null)]],
    ["another call beside it", Array<Action>(2).fill(mintBatch(1, ["alice.near"], 1, null))],
    ["a transfer", [{ kind: "transfer", deposit: "1" }]],
    ["no arguments", [{ ...mintBatch(1, ["a.near"], 1, null), args: new Uint8Array() } as Action]],
    ["a deposit", [{ ...mintBatch(1, ["a.near"], 1, null), deposit: "1" } as Action]],
  ])("isn't possible for a transaction with %s", (_what, actions) => {
    expect(orderIn(actions)).toBeNull();
  });

  test("returns ids that are assigned in order, unless their number differs from the order", () => {
    const counts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(counts, fc.integer({ min: -1, max: 1 }), (tokens, off) => {
        const ordered = tokens.reduce((sum, count) => sum + count, 0);
        const ids = Array.from({ length: ordered + off }, (_, index) => `7:${index + 1}`);
        const shares = shareOut(new TextEncoder().encode(JSON.stringify(ids)), tokens);
        expect(shares === null).toBe(off !== 0);
        if (shares === null) return;
        const texts = shares.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as string[]);
        expect(texts.map((own) => own.length)).toEqual(tokens);
        expect(texts.flat()).toEqual(ids);
      }),
    );
  });
});

describe("tokens read for several orders at once", () => {
  const token = (id: string, media: string | null = "cid") => ({
    token_id: id,
    owner_id: "alice.near",
    metadata: {
      ...{ title: null, description: null, media, media_hash: null, copies: null, issued_at: null },
      ...{ expires_at: null, starts_at: null, updated_at: null, extra: null, reference: null },
      reference_hash: null,
    },
  });
  const drawn = fc.record({
    counts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
    flaw: fc.constantFrom("none", "burnt", "missing", "swapped", "young"),
    place: fc.nat(),
  });

  test("are assigned in order if all are complete", () => {
    fc.assert(
      fc.property(drawn, ({ counts, flaw, place }) => {
        const ids = Array.from({ length: counts.reduce((a, b) => a + b) }, (_, index) => `7:${index}`);
        const shown: (ReturnType<typeof token> | null)[] = ids.map((id) => token(id));
        const at = place % ids.length;
        if (flaw === "burnt") shown[at] = null;
        if (flaw === "missing") shown.splice(at, 1);
        if (flaw === "swapped") shown[at] = token("8:1");
        if (flaw === "young") shown[at] = token(ids[at]!, null);
        const orders = counts.map((tokens) => ({ tokens }));
        const shares = shownTogether(ids, shown, orders);
        expect(shares === null).toBe(flaw !== "none" && flaw !== "burnt");
        if (shares === null) return;
        expect(shares.map((own) => own.length)).toEqual(counts);
        expect(shares.flat()).toEqual(shown);
      }),
    );
  });
});

const RESULT = {
  transaction_hash: "hash",
  signer_id: "w.near",
  receiver_id: "c.near",
  nonce: "1",
  status: "failure",
  gas_burnt: "1",
  tokens_burnt: "1",
  block_hash: null,
  block_time: null,
  logs: [],
  failure_message: "E_SOLD_OUT: too many",
  explorer_url: null,
} as const;

const end = fc.record({
  from: fc.constantFrom("open" as const, "unknown" as const),
  move: fc.constantFrom("succeed" as const, "fail" as const, "refuse" as const, "give_up" as const),
  code: fc.constantFrom(null, "E_SOLD_OUT", "E_STORAGE_BALANCE", "E_STAFF_QUOTA"),
  isWhole: fc.boolean(),
  counts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 6 }),
});

describe("however a shared transaction ends", () => {
  const endOf = ({
    from,
    move,
    code,
    isWhole,
    counts,
  }: typeof end extends fc.Arbitrary<infer E> ? E : never) => {
    const carried = counts.map((tokens, index): Carried => ({ intentId: index + 1, tokens }));
    const ordered = counts.reduce((sum, count) => sum + count, isWhole ? 0 : 1);
    const ids = JSON.stringify(Array.from({ length: ordered }, (_, index) => `7:${index}`));
    const ending = {
      result: { ...RESULT, status: move === "succeed" ? ("success" as const) : ("failure" as const) },
      value: move === "succeed" ? new TextEncoder().encode(ids) : null,
      contractCode: move === "fail" ? code : null,
      height: 5,
    };
    return { carried, ending, parts: partsOf({ from, move, ending }, carried) };
  };

  test("each intent changes state at most once, as allowed, and succeeds only with its own tokens", () => {
    fc.assert(
      fc.property(end, (drawn) => {
        if (!MOVES[drawn.move].from.includes(drawn.from)) return;
        const { carried, parts } = endOf(drawn);
        expect(new Set(parts.map(({ intentId }) => intentId)).size).toBe(parts.length);
        for (const part of parts) {
          expect(MOVES[part.move].from).toContain(drawn.from);
          if (part.move !== "succeed") continue;
          expect(drawn.move).toBe("succeed");
          const own = JSON.parse(new TextDecoder().decode(part.ending.value!)) as string[];
          expect(own).toHaveLength(carried[part.intentId - 1]!.tokens);
        }
        // Only one of which nothing is known any more may be left as it is.
        if (parts.length < carried.length) expect([drawn.from, drawn.isWhole]).toEqual(["unknown", false]);
      }),
    );
  });

  test("no intent is sent again that may have had an effect or was reported as unknown", () => {
    fc.assert(
      fc.property(end, (drawn) => {
        if (!MOVES[drawn.move].from.includes(drawn.from)) return;
        const again = endOf(drawn).parts.filter((part) => !isOver(MOVES[part.move].to));
        if (again.length === 0) return;
        expect(drawn.from).toBe("open");
        expect(["fail", "refuse"]).toContain(drawn.move);
      }),
    );
  });

  test("only one fails for lack of storage, with the shared call's message, and the others wait for it", () => {
    const drawn = { from: "open", move: "fail", code: "E_STORAGE_BALANCE", isWhole: true, counts: [1, 2, 3] };
    const { parts, ending } = endOf(drawn as Parameters<typeof endOf>[0]);
    expect(parts).toEqual([
      { intentId: 1, move: "fail", ending },
      { intentId: 2, move: "lose", again: "behind" },
      { intentId: 3, move: "lose", again: "behind" },
    ]);
  });

  test.each(["open", "unknown"])(
    "all fail beyond the day's quota, so that each is retried with a full-access key, if it was %s",
    (from) => {
      const drawn = { from, move: "fail", code: "E_STAFF_QUOTA", isWhole: true, counts: [1, 2, 3] };
      const { parts, ending } = endOf(drawn as Parameters<typeof endOf>[0]);
      expect(parts).toEqual([1, 2, 3].map((intentId) => ({ intentId, move: "fail", ending })));
    },
  );

  test.each([
    ["for another reason", { move: "fail", code: "E_SOLD_OUT" }],
    ["because the chain rejects it", { move: "refuse", code: null }],
    ["rejected with the words of a lack of storage", { move: "refuse", code: "E_STORAGE_BALANCE" }],
  ] as const)("each is sent again alone if it fails %s", (_why, { move, code }) => {
    const ending = { result: RESULT, value: null, contractCode: code, height: 5 };
    const carried = [1, 2].map((intentId) => ({ intentId, tokens: 1 }));
    expect(partsOf({ from: "open", move, ending }, carried)).toEqual([
      { intentId: 1, move: "lose", again: "alone" },
      { intentId: 2, move: "lose", again: "alone" },
    ]);
  });

  test("all stay unknown, with the transaction and without tokens, if it returned others than were ordered", () => {
    const value = new TextEncoder().encode('["7:1"]');
    const ending = { result: RESULT, value, contractCode: null, height: 5 };
    const carried = [1, 2].map((intentId) => ({ intentId, tokens: 1 }));
    const unknown = { move: "give_up", ending: { ...ending, value: null } } as const;
    expect(partsOf({ from: "open", move: "succeed", ending }, carried)).toEqual([
      { intentId: 1, ...unknown },
      { intentId: 2, ...unknown },
    ]);
  });

  test("one that was unknown is refused with the proof's own words, and fails with or without a result", () => {
    const [from, carried] = ["unknown", [{ intentId: 1, tokens: 1 }]] as const;
    const ending = { result: RESULT, value: null, contractCode: "E_SOLD_OUT", height: 5 };
    expect(partsOf({ from, move: "refuse", ending }, carried)).toEqual([
      { intentId: 1, move: "refuse", ending },
    ]);
    const bare = { ...ending, result: null };
    expect(partsOf({ from, move: "fail", ending: bare }, carried)).toEqual([
      { intentId: 1, move: "fail", ending: bare },
    ]);
    const silent = { ...ending, result: { ...RESULT, failure_message: null } };
    const told = (end: typeof ending | typeof silent) =>
      partsOf({ from, move: "fail", ending: end }, carried).map((part) =>
        "ending" in part ? part.ending.result?.failure_message : null,
      );
    expect(told(silent)).toEqual([expect.stringContaining("(rejected by the chain)")]);
    expect(told(ending)).toEqual([expect.stringContaining("(E_SOLD_OUT: too many)")]);
  });

  test("the shared call's failure isn't attributed to any one intent after it was unknown", () => {
    const drawn = { from: "unknown", move: "fail", code: "E_SOLD_OUT", isWhole: true, counts: [1, 2] };
    const { parts } = endOf(drawn as Parameters<typeof endOf>[0]);
    for (const part of parts) {
      expect(part).toMatchObject({ move: "fail", ending: { contractCode: null } });
      expect("ending" in part && part.ending.result?.failure_message).toContain("had no effect");
    }
  });

  test("an order's tokens are its receivers times its quantity", () => {
    expect(tokensOf({ collectionId: 1, receivers: ["a.near", "b.near"], quantity: 3 })).toBe(6);
  });
});
