import { ChainUnavailableError } from "../chain/errors.ts";
import { type CallOptions, ChainRpc } from "../chain/rpc.ts";
import type { ServiceContext } from "../context.ts";
import { rateLimited } from "../domain/errors.ts";
import { pollUntil } from "../waiting.ts";

/** Maximum of concurrent calls in an isolate, and of one address. */
const MOST_AT_ONCE = 4;
const MOST_OF_ADDRESS = 2;

/** How long a call waits for its turn, and how often it looks. Milliseconds. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 20;
/** Seconds after which some of the others are likely to be answered. */
const RETRY_AFTER = 5;

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A call that is under way. Who is joined to it looks for its outcome: it is another request that makes it. */
interface Call {
  readonly network: string;
  outcome: Outcome | null;
  /** Milliseconds until it counts no longer: its request may be gone. */
  readonly until: number;
}

const COUNTED_FOR_MS = 30_000;

/** The calls under way, by all that their answers depend on. What was answered is kept by location (src/api/public/brief-reads.ts). */
const calls = new Map<string, Call>();

/** Begins a call where it is its turn: there are neither too many in all nor too many of the network. */
const begin = (name: string, network: string, now: number): Call | null => {
  // Nothing else removes a call whose request was ended.
  for (const [other, { until }] of calls) if (until <= now) calls.delete(other);
  const ofNetwork = [...calls.values()].filter((call) => call.network === network);
  if (calls.size >= MOST_AT_ONCE || ofNetwork.length >= MOST_OF_ADDRESS) return null;
  const call: Call = { network, outcome: null, until: now + COUNTED_FOR_MS };
  calls.set(name, call);
  return call;
};

/**
 * The nodes, for anybody without a key: few calls at a time, so that operations find them free, and none that says of a
 * node that it is slow. Equal calls are one, from when it is its turn.
 */
class PublicRpc extends ChainRpc {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    const { NEAR_RPC_URL, NEAR_ARCHIVAL_RPC_URL } = context.settings;
    super(NEAR_RPC_URL, NEAR_ARCHIVAL_RPC_URL ?? [], Date.now, { ignoreTimeouts: true });
    this.#context = context;
  }

  /** @throws as ChainRpc; ServiceError rate_limited where it isn't this call's turn within 20 s */
  override async call<T>(method: string, params: unknown, options: CallOptions = {}): Promise<T> {
    const { now, network = "" } = this.#context;
    const time = () => now().getTime();
    const name = JSON.stringify([this.endpoints, method, params, options.atLeast ?? 0]);
    const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now };
    const turn = await pollUntil(patience, () => {
      const other = calls.get(name);
      if (other && time() < other.until) return { call: other, isJoined: true };
      const call = begin(name, network, time());
      return call && { call, isJoined: false };
    });
    if (turn === null) throw rateLimited("Too many reads of pages wait for the chain's nodes.", RETRY_AFTER);
    const { call, isJoined } = turn;
    if (isJoined) return joined<T>(call, now);
    const answer = super.call<T>(method, params, options);
    const ended = (outcome: Outcome) => {
      call.outcome = outcome;
      if (calls.get(name) === call) calls.delete(name);
    };
    this.#context.waitUntil(
      answer.then(
        (value) => ended({ value }),
        (error: unknown) => ended({ error }),
      ),
    );
    return answer;
  }
}

const joined = async <T>(call: Call, now: () => Date): Promise<T> => {
  const patience = { patienceMs: call.until - now().getTime(), everyMs: LOOK_EVERY_MS, now };
  const outcome = await pollUntil(patience, () => call.outcome);
  if (outcome === null) throw new ChainUnavailableError(null);
  if ("error" in outcome) throw outcome.error;
  return outcome.value as T;
};

/** The nodes, for what a request without a key asks. */
export const connectPublic = (context: ServiceContext): ChainRpc => new PublicRpc(context);
