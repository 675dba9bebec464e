/**
 * Assigns transactions to keys and decides when the wallet adds keys; pure functions. A lane is an access key with its
 * own nonce sequence.
 */

import type { LaneView } from "../journal/lanes.ts";
import type { Waiting } from "../journal/queue.ts";

/**
 * Methods that function-call lanes may call: mints within the quota, and claims (docs/contract.md,
 * "Function-call keys"). Methods that move money, or change a holder's rights or who may mint, require one yocto, which such
 * a key can't attach.
 */
export const LANE_METHODS: readonly string[] = ["nft_batch_mint", "nft_claim"];

const maySign = (lane: LaneView, intent: Waiting): boolean =>
  lane.kind === "full_access" ||
  (intent.method !== null && lane.receiverId === intent.receiverId && lane.methods.includes(intent.method));

/** An intent assigned to a lane. */
export interface Assignment {
  readonly intentId: number;
  readonly laneId: string;
}

/**
 * Assigns queued intents, in order, to lanes with room. Function-call lanes come first; a full-access lane takes
 * intents that only it can sign before others.
 * @param depth maximum number of unconfirmed rows per lane
 */
export const assign = (
  waiting: readonly Waiting[],
  lanes: readonly LaneView[],
  depth: number,
): Assignment[] => {
  const room = new Map(
    lanes.filter((lane) => lane.state === "ready").map((lane) => [lane.id, depth - lane.onTheWay]),
  );
  const byPreference = [
    ...lanes.filter((lane) => lane.kind === "function_call"),
    ...lanes.filter((lane) => lane.kind === "full_access"),
  ];
  const assigned: Assignment[] = [];
  const give = (intent: Waiting, allowed: (lane: LaneView) => boolean): boolean => {
    const lane = byPreference.find(
      (lane) => (room.get(lane.id) ?? 0) > 0 && allowed(lane) && maySign(lane, intent),
    );
    if (!lane) return false;
    room.set(lane.id, room.get(lane.id)! - 1);
    assigned.push({ intentId: intent.id, laneId: lane.id });
    return true;
  };
  const left = waiting.filter((intent) => !give(intent, (lane) => needs(intent) === lane.kind));
  for (const intent of left) give(intent, () => true);
  return assigned;
};

/**
 * Holds back what can't be paid in addition to what is open: gas is purchased at a higher price than it is burnt at, so
 * a burst temporarily needs more than it costs. The order is kept: everything after the first held intent waits.
 * @param budget yoctoNEAR
 * @param idle nothing open could release money, so the first isn't held back
 */
export const payable = (
  assigned: readonly Assignment[],
  waiting: readonly Waiting[],
  budget: bigint,
  idle: boolean,
): Assignment[] => {
  const totals = new Map(waiting.map(({ id, total }) => [id, total]));
  const held = assigned.findIndex(({ intentId }, index) => {
    budget -= totals.get(intentId) ?? 0n;
    return budget < 0n && !(idle && index === 0);
  });
  return assigned.slice(0, held === -1 ? assigned.length : held);
};

const needs = (intent: Waiting): LaneView["kind"] =>
  intent.method === null ? "full_access" : "function_call";

/** Lanes to add: function-call keys for one contract, or full-access keys. */
export interface Addition {
  readonly kind: LaneView["kind"];
  readonly receiverId: string | null;
  readonly count: number;
}

/** Keys to add, and ids of lanes to retire for them. */
export interface Growth {
  readonly add: readonly Addition[];
  readonly retire: readonly string[];
}

/** There are few full-access lanes: they serve finalizations and deployments, and each key controls the account. */
export const MAX_FULL_LANES = 8;
const FEWEST_ADDED = 4;

/**
 * The keys to add for what is still queued after assignment: enough for all of it, in powers of two, so that a growing
 * load needs few transactions. Lanes being added count. At the limit, half of the idle lanes of contracts with nothing
 * queued are retired, so that no contract keeps all lanes.
 */
export const growth = (waiting: readonly Waiting[], lanes: readonly LaneView[], maxLanes: number): Growth => {
  const add: Addition[] = [];
  const retire: string[] = [];
  const receivers = new Map<string, number>();
  for (const { method, receiverId } of waiting) {
    if (method !== null) receivers.set(receiverId, (receivers.get(receiverId) ?? 0) + 1);
  }
  const full = waiting.filter(({ method }) => method === null).length;
  const idle = lanes.filter(
    ({ kind, state, open, receiverId }) =>
      kind === "function_call" && state === "ready" && open === 0 && !receivers.has(receiverId!),
  );
  const retirable = idle.slice(0, Math.ceil(idle.length / 2)).map(({ id }) => id);
  let spare = Math.max(maxLanes - lanes.length, 0);
  const plan = (kind: LaneView["kind"], receiverId: string | null, demand: number, most: number) => {
    const have = lanes.filter((lane) => lane.kind === kind && lane.receiverId === receiverId);
    if (have.some((lane) => lane.state === "adding")) return;
    const busy = have.reduce((sum, lane) => sum + lane.onTheWay, 0);
    const wanted = Math.min(Math.max(FEWEST_ADDED, powerOfTwo(demand + busy)), most) - have.length;
    while (spare < wanted && retirable.length > 0) {
      retire.push(retirable.shift()!);
      spare += 1;
    }
    const count = Math.min(wanted, spare);
    if (count <= 0) return;
    spare -= count;
    add.push({ kind, receiverId, count });
  };
  if (full > 0) plan("full_access", null, full, MAX_FULL_LANES);
  for (const [receiverId, demand] of receivers) plan("function_call", receiverId, demand, maxLanes);
  return { add, retire };
};

const powerOfTwo = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(count, 1)));

/** Retry-After of a full queue in seconds, by the lanes' throughput. */
export const retryAfter = (queued: number, lanes: number): number =>
  Math.min(Math.max(Math.ceil(queued / Math.max(lanes, 1)), 1), 60);
