/**
 * What goes wrong in a fault run, and when: pure functions of the seed and a logical moment. Moments are counted in
 * operations, never in milliseconds, so that the same seed has the same faults befall the same requests.
 */
import { chanceOf, type FaultRule, type Moment } from "../../devchain/index.ts";
import { MARKER, ordinalOf } from "./marker.ts";

/** Nodes that the service prefers; the archive is sound, but for a transaction that no node can read. */
export const NODES = ["/a", "/b"] as const;
export const ARCHIVE = "/archive";

/** A fault of the nodes; its times are those of the run's clock, in milliseconds. */
type Storm = readonly FaultRule[];

const onNodes = (rule: FaultRule): FaultRule[] => NODES.map((node) => ({ ...rule, node }));

/** Every kind of weather: the faults of the chain's nodes that may befall requests, and how likely each. */
const STORMS: readonly Storm[] = [
  onNodes({ kind: "request_lost", probability: 0.15 }),
  onNodes({ kind: "reply_lost", probability: 0.15 }),
  onNodes({ kind: "timeout", probability: 0.1, ms: 300, accepted: true, methods: ["send_tx"] }),
  onNodes({ kind: "timeout", probability: 0.1, ms: 300, methods: ["tx", "query"] }),
  onNodes({ kind: "duplicate", probability: 0.2 }),
  onNodes({ kind: "delay", probability: 0.9, ms: 50, max_ms: 300 }),
  onNodes({ kind: "delay", probability: 0.1, ms: 2_000 }),
  onNodes({ kind: "reorder", probability: 0.3, blocks: 5 }),
  onNodes({ kind: "lag", probability: 0.2, blocks: 12 }),
  [{ kind: "lag", node: "/b", blocks: 40 }],
  [{ kind: "down", node: "/a", probability: 0.3 }],
  onNodes({ kind: "rate_limit", probability: 0.15 }),
  onNodes({ kind: "rate_limit", probability: 0.1, retry_after: "1" }),
  onNodes({ kind: "garbage", probability: 0.1 }),
  onNodes({ kind: "expired", probability: 0.15, accepted: true }),
  onNodes({ kind: "expired", probability: 0.15 }),
  onNodes({ kind: "unknown_transaction", probability: 0.25 }),
  onNodes({ kind: "forget", probability: 0.9, blocks: 1 }),
  onNodes({ kind: "orphan", probability: 0.15 }),
  onNodes({ kind: "orphan", probability: 0.15, blocks: 2, heights: "next" }),
  [...NODES, ARCHIVE].map((node) => ({ kind: "per_hash", node, probability: 0.3 })),
];

/** Storms that rage at once. */
const AT_ONCE = 3;

/** The storms in an order of their own for each time round, so that each of them comes. */
const deckOf = (storms: readonly Storm[], seed: number, round: number): readonly Storm[] =>
  storms
    .map((storm, index) => [chanceOf(seed, "deck", round, index), storm] as const)
    .sort(([left], [right]) => left - right)
    .map(([, storm]) => storm);

/** The faults of the `number`-th storm, with times in the machine's milliseconds. */
const stormAt = (
  seed: number,
  number: number,
  rate: number,
  without: readonly string[] = [],
): FaultRule[] => {
  const storms = STORMS.filter(([rule]) => !without.includes(rule!.kind));
  return Array.from({ length: Math.min(AT_ONCE, storms.length) }, (_, index) => {
    const place = number * AT_ONCE + index;
    return deckOf(storms, seed, Math.floor(place / storms.length))[place % storms.length]!;
  })
    .flat()
    .map((rule) => ({
      ...rule,
      ...(rule.ms !== undefined && { ms: rule.ms / rate }),
      ...(rule.max_ms !== undefined && { max_ms: rule.max_ms / rate }),
    }));
};

/** The weather of a run. It knows how many operations were begun, and goes by that where a request is about none. */
export class Weather {
  readonly seed: number;
  readonly #rate: number;
  /** Operations that share a storm. */
  readonly #length: number;
  readonly #without: readonly string[];
  readonly #storms = new Map<number, FaultRule[]>();
  /** Operations begun so far. */
  begun = 0;
  /** Nothing goes wrong while it is calm. */
  calm = true;
  /** Requests about operations that came in a storm. */
  readonly met: Moment[] = [];

  constructor(seed: number, length: number, rate: number, without: readonly string[] = []) {
    this.seed = seed;
    this.#without = without;
    this.#length = length;
    this.#rate = rate;
  }

  /** The faults that may befall a request. */
  rulesAt(moment: Moment): readonly FaultRule[] {
    if (this.calm) return [];
    const { subject } = moment;
    const isAboutOne = MARKER.test(subject);
    if (isAboutOne) this.met.push(moment);
    const ordinal = isAboutOne ? ordinalOf(subject) : this.begun;
    const number = Math.floor(ordinal / this.#length);
    const known = this.#storms.get(number);
    if (known) return known;
    const storm = stormAt(this.seed, number, this.#rate, this.#without);
    this.#storms.set(number, storm);
    return storm;
  }
}

/** What happens beside the storms, once so many operations were begun. */
export type Misfortune =
  /** The runtime is killed without a warning. */
  | "runtime_killed"
  /** D1 stands still, then fails all calls; some of their writes are committed. */
  | "d1_hang"
  /** A node stands still, and goes on. */
  | "freeze"
  | "thaw"
  /** The newest blocks are dropped, whatever is in them. */
  | "orphan"
  /** An access key of a wallet is deleted from outside. */
  | "key_deleted"
  /** A ledger's object is lost, and brought back. */
  | "object_lost"
  /** A ledger's object is copied, and set back to the copy. */
  | "object_copied"
  | "object_rollback"
  /** The platform's object is set back while it deploys contracts. */
  | "platform_rollback"
  /** A ledger's, as D1 begins to stand still. */
  | "object_rollback_in_hang"
  /** The database is copied, to be set back to. */
  | "snapshot";

export interface Event {
  /** Operations begun before it. */
  readonly at: number;
  readonly kind: Misfortune;
  /** From 0 up to 1: which wallet, key or node. */
  readonly choice: number;
}

/** How often misfortunes come, in operations; and the operations up to which a run's first part goes. */
export interface Course {
  readonly operations: number;
  readonly firstPart: number;
  readonly runtimeKillEvery: number;
  readonly freezeEvery: number;
  readonly freezeFor: number;
  readonly orphanEvery: number;
  readonly deleteKeyEvery: number;
  /** Kinds that are left out, to find out which one it takes. */
  readonly without: readonly string[];
}

/** All misfortunes of a run in their order. */
export const eventsOf = (seed: number, course: Course): Event[] => {
  const { operations, firstPart } = course;
  const events: Event[] = [];
  const add = (kind: Misfortune, at: number, choice = chanceOf(seed, kind, "choice", at)) => {
    if (at > 0 && at < operations) events.push({ at: Math.round(at), kind, choice });
  };
  const every = (kind: Misfortune, operationsBetween: number) => {
    for (let at = operationsBetween * (0.5 + chanceOf(seed, kind)); at < operations; at += operationsBetween)
      add(kind, at);
  };
  every("runtime_killed", course.runtimeKillEvery);
  every("orphan", course.orphanEvery);
  every("key_deleted", course.deleteKeyEvery);
  for (let at = course.freezeEvery / 2; at < operations; at += course.freezeEvery) {
    const choice = chanceOf(seed, "freeze", at);
    add("freeze", at, choice);
    add("thaw", at + course.freezeFor, choice);
  }
  // Ledgers and the database are never lost both: nobody could know what only they had.
  const [first, second] = ["first", "second"].map((part) => chanceOf(seed, "object_rollback", part));
  const later = (share: number) => firstPart + (operations - firstPart) * share;
  add("object_lost", firstPart * 0.1);
  add("object_copied", firstPart * 0.2, first);
  add("object_rollback", firstPart * 0.35, first);
  add("snapshot", firstPart * 0.55);
  add("d1_hang", firstPart * 0.7);
  add("object_lost", later(0.1));
  add("object_copied", later(0.25), second);
  add("object_rollback_in_hang", later(0.55), second);
  add("platform_rollback", later(0.8));
  return events
    .filter(({ kind }) => !course.without.includes(kind))
    .sort((left, right) => left.at - right.at);
};
