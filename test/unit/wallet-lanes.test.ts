import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LaneView } from "../../src/wallet/journal/lanes.ts";
import { turnFor, type Waiting } from "../../src/wallet/journal/queue.ts";
import {
  assign,
  growth,
  LANE_METHODS,
  MAX_FULL_LANES,
  payable,
  retryAfter,
} from "../../src/wallet/lanes/lanes.ts";

const RECEIVERS = ["a.near", "b.near", "c.near"];

const lane = (id: number): fc.Arbitrary<LaneView> =>
  fc
    .record({
      full: fc.boolean(),
      receiver: fc.constantFrom(...RECEIVERS),
      state: fc.constantFrom("adding" as const, "ready" as const),
      onTheWay: fc.nat(2),
      included: fc.nat(2),
    })
    .map(({ full, receiver, state, onTheWay, included }) => ({
      id: `lane${id}`,
      kind: full ? "full_access" : "function_call",
      receiverId: full ? null : receiver,
      methods: full ? [] : LANE_METHODS,
      state,
      onTheWay,
      open: onTheWay + included,
    }));
const lanes = fc.nat(12).chain((count) => fc.tuple(...Array.from({ length: count }, (_, id) => lane(id))));
const waiting = fc
  .array(
    fc.record({
      receiverId: fc.constantFrom(...RECEIVERS),
      method: fc.constantFrom(null, "nft_batch_mint", "nft_update", "withdraw"),
      total: fc.bigInt({ min: 1n, max: 100n }),
    }),
    { maxLength: 40 },
  )
  .map((list): Waiting[] => list.map((intent, id) => ({ ...intent, id })));

const maySign = (lane: LaneView, intent: Waiting) =>
  lane.kind === "full_access" ||
  (lane.receiverId === intent.receiverId && intent.method !== null && lane.methods.includes(intent.method));

describe("intents are assigned to lanes", () => {
  test("once each, only to lanes that may sign them, and never beyond a lane's depth", () => {
    fc.assert(
      fc.property(waiting, lanes, fc.integer({ min: 1, max: 3 }), (intents, all, depth) => {
        const given = assign(intents, all, depth);
        expect(new Set(given.map(({ intentId }) => intentId)).size).toBe(given.length);
        for (const { intentId, laneId } of given) {
          const chosen = all.find(({ id }) => id === laneId)!;
          expect(chosen.state).toBe("ready");
          expect(maySign(chosen, intents[intentId]!)).toBe(true);
        }
        for (const { id, onTheWay } of all) {
          const added = given.filter(({ laneId }) => laneId === id).length;
          if (added > 0) expect(onTheWay + added).toBeLessThanOrEqual(depth);
        }
      }),
    );
  });

  test("as long as a lane with room may sign a queued one", () => {
    fc.assert(
      fc.property(waiting, lanes, fc.integer({ min: 1, max: 3 }), (intents, all, depth) => {
        const given = assign(intents, all, depth);
        const taken = new Set(given.map(({ intentId }) => intentId));
        const idle = all.filter(({ id, state, onTheWay }) => {
          const added = given.filter(({ laneId }) => laneId === id).length;
          return state === "ready" && onTheWay + added < depth;
        });
        for (const intent of intents.filter(({ id }) => !taken.has(id))) {
          expect(idle.some((free) => maySign(free, intent))).toBe(false);
        }
      }),
    );
  });

  test("in their order, among those that the same lanes can sign", () => {
    fc.assert(
      fc.property(waiting, lanes, (intents, all) => {
        const taken = new Set(assign(intents, all, 1).map(({ intentId }) => intentId));
        const alike = (a: Waiting, b: Waiting) => a.receiverId === b.receiverId && a.method === b.method;
        for (const intent of intents.filter(({ id }) => taken.has(id))) {
          for (const earlier of intents.filter((other) => other.id < intent.id && alike(other, intent))) {
            expect(taken.has(earlier.id)).toBe(true);
          }
        }
      }),
    );
  });
});

describe("a key is chosen", () => {
  const key = (id: string, over: Partial<LaneView> = {}): LaneView => ({
    ...{ id, kind: "function_call", receiverId: "a.near", methods: LANE_METHODS },
    ...{ state: "ready", onTheWay: 0, open: 0 },
    ...over,
  });
  const full = key("full", { kind: "full_access", receiverId: null, methods: [] });
  const intent = (id: number, method: string | null, receiverId = "a.near"): Waiting => ({
    ...{ id, method, receiverId },
    total: 1n,
  });

  test("of the contract for mints and claims, so that one with full access stays free for what only it may sign", () => {
    const waiting = [intent(1, "nft_batch_mint"), intent(2, "nft_claim"), intent(3, null)];
    const lanes = [full, key("one"), key("two")];
    expect(assign(waiting, lanes, 1)).toEqual([
      { intentId: 1, laneId: "one" },
      { intentId: 2, laneId: "two" },
      { intentId: 3, laneId: "full" },
    ]);
  });

  test("with full access for mints only where nothing else waits for it", () => {
    const waiting = [intent(1, "nft_batch_mint"), intent(2, null)];
    expect(assign(waiting, [full], 1)).toEqual([{ intentId: 2, laneId: "full" }]);
    expect(assign(waiting.slice(0, 1), [full], 1)).toEqual([{ intentId: 1, laneId: "full" }]);
  });

  test("that calls no other method, and no method with a deposit", () => {
    expect(
      assign([intent(1, "withdraw"), intent(2, null), intent(3, "nft_claim", "b.near")], [key("one")], 1),
    ).toEqual([]);
  });

  test("for what the wallet can pay to the last yoctoNEAR", () => {
    const given = [{ intentId: 1, laneId: "one" }];
    expect(payable(given, [intent(1, null)], 1n, false)).toEqual(given);
    expect(payable(given, [intent(1, null)], 0n, false)).toEqual([]);
  });

  test("and others are added: at least four, in powers of two, for what waits and what is on its way", () => {
    const mints = (count: number) => Array.from({ length: count }, (_, id) => intent(id, "nft_claim"));
    const added = (count: number, lanes: readonly LaneView[], most = 64) =>
      growth(mints(count), lanes, most).add;
    const plan = (count: number) => [{ kind: "function_call", receiverId: "a.near", count }];
    expect(added(1, [full])).toEqual(plan(4));
    expect(added(5, [full])).toEqual(plan(8));
    // Three are on their way by two keys.
    expect(added(6, [key("one", { onTheWay: 1 }), key("two", { onTheWay: 2 })])).toEqual(plan(14));
    expect(added(5, [key("one", { state: "adding" })])).toEqual([]);
    expect(added(5, [full], 3)).toEqual(plan(2));
    expect(growth([intent(1, null), intent(2, null)], [full], 64).add).toEqual([
      { kind: "full_access", receiverId: null, count: 3 },
    ]);
  });

  test("and as few idle ones of other contracts are retired as are needed, at most half", () => {
    const others = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"].map((id) =>
      key(id, { receiverId: "b.near" }),
    );
    const { add, retire } = growth([intent(1, "nft_claim")], others, 10);
    expect(add).toEqual([{ kind: "function_call", receiverId: "a.near", count: 4 }]);
    expect(retire).toEqual(["1", "2", "3", "4"]);
  });
});

describe("lanes grow", () => {
  test("within the limit, and not while keys of the same kind are being added", () => {
    fc.assert(
      fc.property(waiting, lanes, fc.integer({ min: 1, max: 64 }), (intents, all, most) => {
        const { add, retire } = growth(intents, all, most);
        const added = add.reduce((sum, { count }) => sum + count, 0);
        if (added > 0)
          expect(all.length - retire.length + added).toBeLessThanOrEqual(Math.max(most, all.length));
        for (const plan of add) {
          expect(plan.count).toBeGreaterThan(0);
          const same = all.filter(
            ({ kind, receiverId }) => kind === plan.kind && receiverId === plan.receiverId,
          );
          expect(same.every(({ state }) => state === "ready")).toBe(true);
          if (plan.kind === "full_access") {
            expect(same.length + plan.count).toBeLessThanOrEqual(MAX_FULL_LANES);
          }
        }
      }),
    );
  });

  test("by retiring only idle lanes, never ones that are needed or have open rows", () => {
    fc.assert(
      fc.property(waiting, lanes, fc.integer({ min: 1, max: 16 }), (intents, all, most) => {
        for (const id of growth(intents, all, most).retire) {
          const lane = all.find((one) => one.id === id)!;
          expect(lane).toMatchObject({ kind: "function_call", state: "ready", open: 0 });
          expect(
            intents.some((intent) => intent.method !== null && intent.receiverId === lane.receiverId),
          ).toBe(false);
        }
      }),
    );
  });

  const main: LaneView = {
    id: "main",
    kind: "full_access",
    receiverId: null,
    methods: [],
    state: "ready",
    onTheWay: 1,
    open: 1,
  };
  const mints = Array.from({ length: 100 }, (_, id) => ({
    id,
    receiverId: "a.near",
    method: "nft_batch_mint",
    total: 1n,
  }));

  test("to the maximum for a hundred queued mints, and not at all for none", () => {
    const add = [{ kind: "function_call", receiverId: "a.near", count: 63 }];
    expect(growth(mints, [main], 64)).toEqual({ add, retire: [] });
    expect(growth([], [main], 64)).toEqual({ add: [], retire: [] });
  });

  test("for a second contract up to half if the first has all lanes", () => {
    const taken = Array.from({ length: 63 }, (_, id): LaneView => {
      const lane = { kind: "function_call" as const, receiverId: "b.near", methods: LANE_METHODS };
      return { id: `${id}`, ...lane, state: "ready", onTheWay: 0, open: 0 };
    });
    const { add, retire } = growth(mints, [main, ...taken], 64);
    expect(add).toEqual([{ kind: "function_call", receiverId: "a.near", count: 32 }]);
    expect(retire).toHaveLength(32);
  });
});

describe("what the wallet can pay", () => {
  const scene = fc.record({
    intents: waiting,
    budget: fc.bigInt({ min: -500n, max: 2_000n }),
    idle: fc.boolean(),
  });

  test("is signed in order, within the budget, and as much as fits", () => {
    fc.assert(
      fc.property(scene, ({ intents, budget, idle }) => {
        const assigned = intents.map(({ id }) => ({ intentId: id, laneId: `lane${id}` }));
        const given = payable(assigned, intents, budget, idle);
        expect(given).toEqual(assigned.slice(0, given.length));
        const sum = (count: number) => intents.slice(0, count).reduce((all, { total }) => all + total, 0n);
        const isAlone = idle && given.length === 1;
        if (given.length > 0 && !isAlone) expect(sum(given.length)).toBeLessThanOrEqual(budget);
        if (given.length < intents.length) expect(sum(given.length + 1)).toBeGreaterThan(budget);
        if (idle && intents.length > 0) expect(given.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe("turns of callers", () => {
  test("alternate, whatever each of them has queued", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 60 }), (callers) => {
        const last = new Map<string, number>();
        const queue = callers.map((caller, id) => {
          const turn = turnFor(0, last.get(caller) ?? null);
          last.set(caller, turn);
          return { caller, id, turn };
        });
        const served = queue.toSorted((a, b) => a.turn - b.turn || a.id - b.id);
        const counts = new Map<string, number>();
        served.forEach(({ caller }, position) => {
          counts.set(caller, (counts.get(caller) ?? 0) + 1);
          const left = new Set(served.slice(position + 1).map((entry) => entry.caller));
          for (const other of left) {
            expect(counts.get(caller)! - (counts.get(other) ?? 0)).toBeLessThanOrEqual(1);
          }
        });
      }),
    );
  });

  test("come next for a new caller, not after everything queued", () => {
    expect(turnFor(40, null)).toBe(41);
    expect(turnFor(40, 90)).toBe(91);
  });

  test("come after the one being served for a caller served long ago", () => {
    expect(turnFor(40, 7)).toBe(41);
  });
});

test("a full queue has a Retry-After of at most a minute", () => {
  expect(retryAfter(121, 4)).toBe(31);
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(64), (queued, count) => {
      expect(retryAfter(queued, count)).toBeGreaterThanOrEqual(1);
      expect(retryAfter(queued, count)).toBeLessThanOrEqual(60);
    }),
  );
});
