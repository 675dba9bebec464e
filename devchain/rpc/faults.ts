/**
 * Faults on request: what goes wrong between a client and a network, at chosen requests and reproducibly. Rules are set
 * by `devchain_faults`; each injected fault is counted.
 */
import { parseError } from "./errors.ts";
import type { Params } from "./reference.ts";

export const FAULT_KINDS = [
  /** The connection breaks before the request is read. */
  "request_lost",
  /** The request is carried out, then the connection breaks. */
  "reply_lost",
  /** After `ms`, a node's TIMEOUT_ERROR; carried out before if `accepted`. */
  "timeout",
  /** The request is carried out twice. */
  "duplicate",
  /** The request waits for `ms`. */
  "delay",
  /** A sent transaction is accepted and held back until the next one of its key is in a block, or for `blocks`. */
  "reorder",
  /** The answer is that of a node `blocks` behind. */
  "lag",
  /** The node goes on answering as at the head that it had when the rule first met a request, or at `height`. */
  "freeze",
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
  blocks?: number;
  accepted?: boolean;
  /** Head at which a frozen node stands; absent: where it is met first, and from then on kept here. */
  height?: number;
  /** Value of the Retry-After header: seconds, or an HTTP date. */
  retry_after?: string;
}

/** Repeatable random numbers from 0 to 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
  for (const name of ["count", "skip", "ms", "blocks", "height"]) number(rule, name);
  number(rule, "probability", 1);
  if (rule.retry_after !== undefined && typeof rule.retry_after !== "string")
    throw parseError("retry_after: give the header's value as a string");
  return { ...rule } as unknown as FaultRule;
}

export class Faults {
  #rules: FaultRule[] = [];
  #random = seededRandom(1);
  readonly #injected = new Map<string, number>();

  /** `{set: rules}` replaces all rules, `{add: rules}` adds, `{clear: true}` removes; `seed` restarts the dice. */
  configure(params: Params): unknown {
    const list = (value: unknown) => (Array.isArray(value) ? value : [value]).map(parseRule);
    const added =
      params.set !== undefined ? list(params.set) : params.add !== undefined ? list(params.add) : [];
    if (params.seed !== undefined) {
      number(params, "seed");
      this.#random = seededRandom(params.seed as number);
    }
    if (params.clear === true || params.set !== undefined) this.#rules = [];
    if (params.reset_statistics === true) this.#injected.clear();
    this.#rules.push(...added);
    return this.describe();
  }

  describe(): { rules: FaultRule[]; injected: Record<string, number> } {
    return { rules: this.#rules, injected: Object.fromEntries(this.#injected) };
  }

  /** The faults that befall a request, at most one of a kind; counted as injected. */
  strike(method: string, node: string): Map<FaultKind, FaultRule> {
    const struck = new Map<FaultKind, FaultRule>();
    for (const rule of this.#rules) {
      if (struck.has(rule.kind)) continue;
      const methods = rule.methods ?? DEFAULT_METHODS[rule.kind];
      if (methods && !methods.includes(method)) continue;
      if (rule.node !== undefined && rule.node !== node) continue;
      if (rule.count === 0) continue;
      if (rule.skip) {
        rule.skip -= 1;
        continue;
      }
      if (rule.probability !== undefined && this.#random() >= rule.probability) continue;
      if (rule.count !== undefined) rule.count -= 1;
      struck.set(rule.kind, rule);
      // `forget` counts when it changes an answer, not when it looks.
      if (rule.kind !== "forget") this.count(rule.kind, method);
    }
    return struck;
  }

  count(kind: FaultKind, method: string): void {
    const name = `${kind}:${method}`;
    this.#injected.set(name, (this.#injected.get(name) ?? 0) + 1);
  }
}
