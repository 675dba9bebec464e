/**
 * Faults on request: what goes wrong between a client and a network, at chosen requests and reproducibly. Rules are
 * set by `devchain_faults`, or given when the chain starts; each injected fault is counted and can be listed.
 */
import type { Chain } from "../blocks/chain.ts";
import { chanceOf } from "./chance.ts";
import { parseError } from "./errors.ts";
import type { Frozen, Params } from "./reference.ts";

const FAULT_KINDS = [
  /** The connection breaks before the request is read. */
  "request_lost",
  /** The request is carried out, then the connection breaks. */
  "reply_lost",
  /** After `ms`, a node's TIMEOUT_ERROR; carried out before if `accepted`. */
  "timeout",
  /** The request is carried out twice. */
  "duplicate",
  /** The request waits for `ms`, or for some time from `ms` to `max_ms`. */
  "delay",
  /** A sent transaction is accepted and held back until the next one of its key is in a block, or for `blocks`. */
  "reorder",
  /** The answer is that of a node `blocks` behind. */
  "lag",
  /** The connection breaks at once, until the rule is cleared: nobody is there. */
  "down",
  /** The request is taken and never answered, nor carried out. */
  "hang",
  /** HTTP 429, with `retry_after` as its header where it is given. */
  "rate_limit",
  /** HTTP 200 with something that is no JSON. */
  "garbage",
  /** `send_tx` answers Expired; the transaction gets in all the same if `accepted`. */
  "expired",
  /** `tx` answers UNKNOWN_TRANSACTION. */
  "unknown_transaction",
  /** As `unknown_transaction`, for what was included `blocks` or more blocks ago. */
  "forget",
  /** The transaction is taken, and the block that it gets into is dropped: with one more after it if `blocks` is 2. */
  "orphan",
  /** The node stands still from the moment the rule was set: it answers as it did then, and forwards nothing. */
  "freeze",
  /** `error` (INTERNAL_ERROR) answers whatever asks about one transaction: `hash`, or each of the first `count`. */
  "per_hash",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** When a kind applies if its rule names no methods. */
const SENDING = ["send_tx", "broadcast_tx_async", "broadcast_tx_commit"];
const ASKING = ["tx", "EXPERIMENTAL_tx_status"];
const DEFAULT_METHODS: Partial<Record<FaultKind, string[]>> = {
  reorder: SENDING,
  expired: SENDING,
  unknown_transaction: ASKING,
  forget: ASKING,
  orphan: SENDING,
  per_hash: ASKING,
};

export interface FaultRule {
  kind: FaultKind;
  /** Methods it applies to; absent: all, or those that the kind is about. */
  methods?: string[];
  /** Path of the URL that it applies to, such as `/b`; absent: any. Paths stand for different nodes of one network. */
  node?: string;
  /** From 0 to 1; absent: always. */
  probability?: number;
  /** How many times it may happen; absent: without end. */
  count?: number;
  /** Requests to let pass first. */
  skip?: number;
  ms?: number;
  /** Longest wait of `delay`. */
  max_ms?: number;
  blocks?: number;
  accepted?: boolean;
  /** Value of the Retry-After header: seconds, or an HTTP date. */
  retry_after?: string;
  /** Head at which a frozen node stands; absent: that of the moment when the rule was set. */
  height?: number;
  /** Which heights the blocks get that follow dropped ones: `same` (absent) or `next`. */
  heights?: "same" | "next";
  /** The transaction of `per_hash`. */
  hash?: string;
  /** Name of the cause that `per_hash` answers with. */
  error?: string;
}

/** What a request is, for chance: the same moment of another run has the same. */
export interface Moment {
  readonly method: string;
  /** Path of the URL. */
  readonly node: string;
  /** What it is about: what `subject` finds in the arguments of its transaction's calls, or the calls' names. */
  readonly subject: string;
  /** How many requests of this method were about it at this node before. */
  readonly nth: number;
}

/** A fault that was injected. */
export interface InjectedFault extends Moment {
  readonly kind: FaultKind;
}

/** A request as faults see it. */
export interface Request {
  readonly method: string;
  readonly node: string;
  readonly subject: string;
  /** The transaction that it carries or asks about. */
  readonly hash?: string | undefined;
}

/** Injected faults that are listed at most. */
const MOST_LISTED = 1_000_000;

function number(rule: Params, name: string, maximum = Number.MAX_SAFE_INTEGER): void {
  const value = rule[name];
  if (value !== undefined && (typeof value !== "number" || !(value >= 0 && value <= maximum)))
    throw parseError(`${name}: give a number from 0 to ${maximum}`);
}

function parseRule(given: unknown): FaultRule {
  const rule = (given ?? {}) as Params;
  if (!FAULT_KINDS.includes(rule.kind as FaultKind))
    throw parseError(`kind: give one of ${FAULT_KINDS.join(", ")}, not '${String(rule.kind)}'`);
  if (rule.methods !== undefined && !Array.isArray(rule.methods))
    throw parseError("methods: give a list of names");
  for (const name of ["count", "skip", "ms", "max_ms", "blocks", "height"]) number(rule, name);
  if (rule.heights !== undefined && rule.heights !== "same" && rule.heights !== "next")
    throw parseError("heights: give same or next");
  if (rule.retry_after !== undefined && typeof rule.retry_after !== "string")
    throw parseError("retry_after: give the header's value as a string");
  number(rule, "probability", 1);
  return { ...rule } as unknown as FaultRule;
}

/** What is remembered of a rule while it stands. */
interface Memory {
  /** Where its node froze. */
  frozen?: Frozen;
  /** Transactions that were asked about, and whether they are answered with an error. */
  readonly hashes: Map<string, boolean>;
}

export class Faults {
  #rules: FaultRule[] = [];
  #memory = new WeakMap<FaultRule, Memory>();
  #seed = 1;
  #subject: RegExp | null = null;
  /** Requests so far, by method, node and subject. */
  #seen = new Map<string, number>();
  /** Transactions that `per_hash` has met, by the hash and by what they are about. */
  #named = new Map<string, string>();
  #namedOf = new Map<string, number>();
  readonly #injected = new Map<string, number>();
  readonly #list: InjectedFault[] = [];
  readonly #chain: Chain;
  readonly #more: ((moment: Moment) => readonly FaultRule[]) | undefined;

  /** @param more rules beside those that are set, for each request by its moment */
  constructor(chain: Chain, more?: (moment: Moment) => readonly FaultRule[]) {
    this.#chain = chain;
    this.#more = more;
  }

  /**
   * `{set: rules}` replaces all rules, `{add: rules}` adds, `{clear: true}` removes; `seed` begins chance again, and
   * `subject` is a regular expression that finds in a call's arguments what the transaction is about.
   */
  configure(params: Params): unknown {
    const list = (value: unknown) => (Array.isArray(value) ? value : [value]).map(parseRule);
    const added =
      params.set !== undefined ? list(params.set) : params.add !== undefined ? list(params.add) : [];
    if (params.subject !== undefined) this.#subject = new RegExp(String(params.subject));
    if (params.seed !== undefined) {
      number(params, "seed");
      this.#seed = params.seed as number;
      this.#seen = new Map();
      this.#named = new Map();
      this.#namedOf = new Map();
    }
    if (params.clear === true || params.set !== undefined) this.#rules = [];
    if (params.reset_statistics === true) {
      this.#injected.clear();
      this.#list.length = 0;
    }
    for (const rule of added) if (rule.kind === "freeze") this.#freeze(rule);
    this.#rules.push(...added);
    return { ...this.describe(), ...(params.schedule === true && { schedule: this.#list }) };
  }

  describe(): { rules: FaultRule[]; injected: Record<string, number> } {
    return { rules: this.#rules, injected: Object.fromEntries(this.#injected) };
  }

  /** Finds what a transaction is about in the arguments of its calls; undefined if nothing was given to look for. */
  subjectIn(args: string): string | undefined {
    return this.#subject === null ? undefined : this.#subject.exec(args)?.[0];
  }

  /** The faults that befall a request, at most one of a kind; counted as injected. */
  strike(request: Request): Map<FaultKind, FaultRule> {
    const { method, node, subject } = request;
    const name = `${method} ${node} ${subject}`;
    const nth = this.#seen.get(name) ?? 0;
    this.#seen.set(name, nth + 1);
    const moment: Moment = { method, node, subject, nth };
    const struck = new Map<FaultKind, FaultRule>();
    for (const rule of [...this.#rules, ...(this.#more?.(moment) ?? [])]) {
      if (struck.has(rule.kind) || !this.#befalls(rule, request, moment)) continue;
      struck.set(rule.kind, rule);
      // `forget` counts when it changes an answer, not when it looks.
      if (rule.kind !== "forget") this.#note(rule.kind, moment);
    }
    return struck;
  }

  #befalls(rule: FaultRule, request: Request, moment: Moment): boolean {
    const methods = rule.methods ?? DEFAULT_METHODS[rule.kind];
    if (methods && !methods.includes(moment.method)) return false;
    if (rule.node !== undefined && rule.node !== moment.node) return false;
    if (rule.kind === "per_hash") return this.#isPoisoned(rule, request);
    if (rule.count === 0) return false;
    if (rule.skip) {
      rule.skip -= 1;
      return false;
    }
    if (rule.probability !== undefined && this.#chance(rule, moment) >= rule.probability) return false;
    if (rule.count !== undefined) rule.count -= 1;
    return true;
  }

  #chance({ kind, accepted = false }: FaultRule, { method, node, subject, nth }: Moment): number {
    return chanceOf(this.#seed, kind, String(accepted), method, node, subject, nth);
  }

  /** Decided once for each transaction. */
  #isPoisoned(rule: FaultRule, { hash, subject }: Request): boolean {
    if (hash === undefined) return false;
    if (rule.hash !== undefined) return rule.hash === hash;
    const { hashes } = this.#memoryOf(rule);
    const known = hashes.get(hash);
    if (known !== undefined) return known;
    const { probability = 1, count = Number.POSITIVE_INFINITY } = rule;
    const isPoisoned =
      count > 0 && chanceOf(this.#seed, "per_hash", this.#nameOf(hash, subject)) < probability;
    if (isPoisoned && rule.count !== undefined) rule.count -= 1;
    hashes.set(hash, isPoisoned);
    return isPoisoned;
  }

  /** Names a transaction for random draws: its place among those with the same subject. Its hash differs in each run. */
  #nameOf(hash: string, subject: string): string {
    const known = this.#named.get(hash);
    if (known !== undefined) return known;
    const before = this.#namedOf.get(subject) ?? 0;
    this.#namedOf.set(subject, before + 1);
    const name = `${subject} ${before}`;
    this.#named.set(hash, name);
    return name;
  }

  #memoryOf(rule: FaultRule): Memory {
    const known = this.#memory.get(rule);
    if (known) return known;
    const memory: Memory = { hashes: new Map() };
    this.#memory.set(rule, memory);
    return memory;
  }

  #freeze(rule: FaultRule): void {
    const { head, finalHeight, store } = this.#chain;
    const height = rule.height ?? head.height;
    const known = rule.height === undefined ? finalHeight : store.heightAtOrBelow(Math.max(0, height - 2));
    this.#memoryOf(rule).frozen = { height, finalHeight: Math.min(known, finalHeight), pool: new Set() };
  }

  /** Where the node of a `freeze` stands. */
  frozenBy(rule: FaultRule): Frozen {
    const memory = this.#memoryOf(rule);
    if (!memory.frozen) this.#freeze(rule);
    return memory.frozen!;
  }

  /** Milliseconds of a `delay`: the same at the same moment. */
  delayOf(rule: FaultRule, { method, node, subject }: Request): number {
    const { ms = 1000, max_ms: most = ms } = rule;
    const nth = this.#seen.get(`${method} ${node} ${subject}`) ?? 0;
    return ms + chanceOf(this.#seed, "delay ms", method, node, subject, nth) * Math.max(0, most - ms);
  }

  /** Counts a fault that struck without a rule, or whose effect shows later. */
  count(kind: FaultKind | "delete_key" | "jump", method: string): void {
    const name = `${kind}:${method}`;
    this.#injected.set(name, (this.#injected.get(name) ?? 0) + 1);
  }

  #note(kind: FaultKind, moment: Moment): void {
    this.count(kind, moment.method);
    if (this.#list.length < MOST_LISTED) this.#list.push({ kind, ...moment });
  }
}
