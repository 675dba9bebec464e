import type { Settings } from "../env.ts";
import { type CallOutcome, countCall } from "./call-counts.ts";
import { Endpoints, type Preference, type Sighting } from "./endpoints.ts";
import { ChainUnavailableError, isNodeCause, NodesLagError, RpcError } from "./errors.ts";

/** A Worker may have six connections waiting for an answer at once (Workers limits, "simultaneous open connections"). */
export const MAX_CONNECTIONS = 6;

/** A call that found no free connection for so long is given up. Milliseconds. */
export const LONGEST_QUEUE_MS = 30_000;

/** The connections of one request or object: six at once, the others wait their turn, in order. */
export class Connections {
  #free = MAX_CONNECTIONS;
  readonly #waiting = new Set<() => void>();

  /**
   * Does work on a connection. The work's own time limit starts when it has one.
   * @throws ChainUnavailableError when none became free in time
   */
  async use<T>(work: () => Promise<T>): Promise<T> {
    await this.#admit();
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #admit(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(admit);
        reject(new ChainUnavailableError(null, 5, "Too many calls are waiting for the chain's nodes"));
      }, LONGEST_QUEUE_MS);
      this.#waiting.add(admit);
    });
  }

  /** Hands the connection to who has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** The endpoint takes no requests for a while (HTTP 429, or 503 with Retry-After). */
class RefusedError extends Error {
  /** Milliseconds, as its Retry-After says; null: it didn't say. */
  readonly pause: number | null;

  constructor(status: number, pause: number | null) {
    super(`HTTP ${status}`);
    this.name = "RefusedError";
    this.pause = pause;
  }
}

/**
 * One JSON-RPC request over HTTP.
 * @throws RpcError what the node answered, by its typed cause; RefusedError; Error: no answer of a node
 */
const post = async <T>(url: string, method: string, params: unknown, timeoutMs: number): Promise<T> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "mintage", method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const pause = retryAfter(response.headers.get("retry-after"), Date.now());
  if (response.status === 429 || (response.status === 503 && pause !== null)) {
    await response.body?.cancel();
    throw new RefusedError(response.status, pause);
  }
  const body = await readAnswer<T>(response);
  if (body.error) throw rpcError(body.error);
  if (body.result === undefined) throw new Error(`HTTP ${response.status} without a result`);
  return body.result;
};

/** A Retry-After header in milliseconds from now: seconds, or an HTTP date (RFC 9110, 10.2.3); null if it is neither. */
const retryAfter = (header: string | null, now: number): number | null => {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Anything but a date with a name of a day or month would be a number to Date.parse.
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(time - now, 0);
};

interface RpcAnswer<T> {
  readonly result?: T;
  readonly error?: {
    readonly name?: string;
    readonly cause?: { readonly name?: string; readonly info?: unknown };
    readonly code?: number;
    readonly data?: unknown;
  };
}

/** A node's typed error comes with a JSON body whatever its status; everything else is the endpoint failing. */
const readAnswer = async <T>(response: Response): Promise<RpcAnswer<T>> => {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as RpcAnswer<T>;
    if (typeof body === "object" && body !== null && (response.ok || body.error?.cause?.name)) return body;
  } catch {
    // Not JSON: a proxy's error page. The status below says all that is known.
  }
  throw new Error(`HTTP ${response.status}`);
};

const rpcError = (error: NonNullable<RpcAnswer<unknown>["error"]>): Error => {
  const name = error.cause?.name;
  return name ? new RpcError(name, error.cause?.info, error.data) : new Error(error.name ?? "untyped error");
};

/** How one call is to be made. */
export interface CallOptions {
  /** Endpoint to prefer: a lane keeps to one while rows of it are open. */
  readonly endpoint?: string | null;
  /** Endpoint to ask last, for a second opinion. */
  readonly avoid?: string | null;
  /** Ask the archival endpoints only. */
  readonly archival?: boolean;
  /** Milliseconds from when the call has a connection; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * The block that an answer, or the detail of a typed error, speaks of; null if it speaks of none. An answer of a
   * block that is behind what is known to be final is as good as none, and the next endpoint is asked.
   */
  readonly blockOf?: (answer: unknown) => Sighting | null;
  /** Height that the block has to have reached at least: what happened there is seen. */
  readonly atLeast?: number;
}

/** A block as nodes show it, in what tells how fresh it is. */
export interface HeaderView {
  readonly header: { readonly height: number; readonly timestamp_nanosec: string };
}

/** The last final block that an answer of `block` shows. */
export const finalBlockOf = (answer: unknown): Sighting | null => {
  const header = (answer as Partial<HeaderView> | null | undefined)?.header;
  if (!header) return null;
  const time = Number(BigInt(header.timestamp_nanosec) / 1_000_000n);
  return { height: header.height, time, isFinal: true };
};

const CALL_MS = 10_000;
/** A look at an endpoint's final block beside a call. It must not hold the call up for long. Milliseconds. */
const LOOK_MS = 3_000;

/** For whom a connection is. */
interface Manner {
  /** Is waited for before each call, and may refuse it by what it throws. */
  readonly admit?: () => Promise<void>;
  /**
   * Calls that take too long say nothing of their endpoint: others chose what they ask, and it may be much. Otherwise the
   * endpoint is left for a while, by all.
   */
  readonly sparing?: boolean;
}

interface Question {
  readonly method: string;
  readonly params: unknown;
}

const FINAL_BLOCK: Question = { method: "block", params: { finality: "final" } };

/** What came of asking one endpoint. */
type Reply<T> =
  | { readonly answer: T }
  /** A typed error about what was asked. */
  | { readonly refusal: RpcError }
  | { readonly failure: unknown };

/**
 * JSON-RPC over several endpoints, of which only those are believed that keep up with the chain (docs/transactions.md,
 * "Nodes"). Make one for each request or object: the queue of its six connections belongs to the context that waits in
 * it. What is known of the endpoints is the isolate's.
 */
export class ChainRpc {
  readonly endpoints: readonly string[];
  readonly archival: readonly string[];
  readonly #nodes: Endpoints;
  readonly #archive: Endpoints;
  readonly #now: () => number;
  readonly #admit: () => Promise<void>;
  readonly #sparing: boolean;
  readonly #connections = new Connections();
  /** Looks under way, by endpoint. */
  readonly #looks = new Map<string, Promise<void>>();

  /**
   * @param endpoints in order of preference
   * @param archival endpoints that keep all history
   */
  constructor(
    endpoints: readonly string[],
    archival: readonly string[] = [],
    now: () => number = () => Date.now(),
    { admit = async () => undefined, sparing = false }: Manner = {},
  ) {
    this.endpoints = endpoints;
    this.archival = archival;
    this.#now = now;
    this.#admit = admit;
    this.#sparing = sparing;
    this.#nodes = new Endpoints(endpoints, now);
    this.#archive = new Endpoints(archival, now);
  }

  /**
   * Calls a method. Endpoints that don't answer, that are out of step or behind, are left for a while and the next one
   * is asked. One that has said when to come again is not asked before.
   * @throws RpcError what a node answered, by its typed cause
   * @throws ChainUnavailableError when no endpoint gave an answer; NodesLagError when none that is recent enough
   */
  async call<T>(method: string, params: unknown, options: CallOptions = {}): Promise<T> {
    await this.#admit();
    const nodes = options.archival ? this.#archive : this.#nodes;
    let last: unknown = null;
    let lags = false;
    for (const url of nodes.order(options)) {
      if (nodes.refusesFor(url) > 0) continue;
      const reply = await this.#believed<T>(nodes, url, { method, params }, options);
      if (reply === "behind") lags = true;
      else if ("failure" in reply) last = reply.failure;
      else if ("refusal" in reply) throw reply.refusal;
      else return reply.answer;
    }
    if (lags) throw new NodesLagError();
    throw nodes.urls.every((url) => nodes.refusesFor(url) > 0)
      ? allRefuse(nodes)
      : new ChainUnavailableError(last);
  }

  /** The endpoints in the order in which a call asks them. */
  order(preference: Preference = {}): string[] {
    return this.#nodes.order(preference);
  }

  /** Asks one endpoint, and believes it unless it turns out to be behind. */
  async #believed<T>(
    nodes: Endpoints,
    url: string,
    question: Question,
    { blockOf = () => null, atLeast = 0, archival = false, timeoutMs = CALL_MS }: CallOptions,
  ): Promise<Reply<T> | "behind"> {
    if (archival) return this.#ask<T>(nodes, url, question, timeoutMs);
    const { floor } = nodes;
    const looksItself = blockOf === finalBlockOf;
    const look = !looksItself && nodes.wantsLook(url) ? this.#look(nodes, url) : null;
    const reply = await this.#ask<T>(nodes, url, question, timeoutMs);
    if ("failure" in reply) return reply;
    const block = blockOf("answer" in reply ? reply.answer : reply.refusal.info);
    let keepsUp = block === null || nodes.saw(url, block, floor);
    await look;
    if (block !== null && nodes.isOld(url, block)) await this.#compare(nodes, url, block);
    if (nodes.isBehind(url)) keepsUp = block !== null && keepsUp && block.height >= nodes.floor;
    if (keepsUp && (block === null || block.height >= atLeast)) return reply;
    countCall(url, "behind", this.#now());
    return "behind";
  }

  async #ask<T>(nodes: Endpoints, url: string, question: Question, timeoutMs: number): Promise<Reply<T>> {
    const { method, params } = question;
    const count = (outcome: CallOutcome) => countCall(url, outcome, this.#now());
    try {
      const answer = await this.#connections.use(() => post<T>(url, method, params, timeoutMs));
      nodes.answered(url);
      count("answered");
      return { answer };
    } catch (error) {
      if (error instanceof ChainUnavailableError) throw error;
      if (error instanceof RpcError && !isNodeCause(error.causeName)) {
        nodes.answered(url);
        count("answered");
        return { refusal: error };
      }
      if (error instanceof RefusedError) nodes.refused(url, error.pause);
      else if (error instanceof RpcError && error.causeName === "INTERNAL_ERROR") nodes.erred(url);
      else if (!this.#sparing || !isTimeout(error)) nodes.failed(url);
      count(error instanceof RefusedError ? "refused" : "failed");
      return { failure: error };
    }
  }

  /** Looks at an endpoint's final block, once for all calls that want it. Never rejects. */
  #look(nodes: Endpoints, url: string): Promise<void> {
    const known = this.#looks.get(url);
    if (known) return known;
    const look = async () => {
      const block = await this.#finalBlock(nodes, url);
      if (block !== null && nodes.isOld(url, block)) await this.#compare(nodes, url, block);
    };
    const looking = look().finally(() => this.#looks.delete(url));
    this.#looks.set(url, looking);
    return looking;
  }

  /** A final block is old: the chain stands still, or the endpoint does. The others tell which. */
  async #compare(nodes: Endpoints, url: string, block: Sighting): Promise<void> {
    const others = nodes.urls.filter((other) => other !== url && nodes.wantsLook(other));
    await Promise.all(others.map((other) => this.#finalBlock(nodes, other)));
    nodes.saw(url, block, nodes.floor);
  }

  async #finalBlock(nodes: Endpoints, url: string): Promise<Sighting | null> {
    const { floor } = nodes;
    try {
      const reply = await this.#ask<HeaderView>(nodes, url, FINAL_BLOCK, LOOK_MS);
      const block = "answer" in reply ? finalBlockOf(reply.answer) : null;
      if (block) nodes.saw(url, block, floor);
      return block;
    } catch (error) {
      // No connection became free: the call that wanted the look says so itself.
      if (error instanceof ChainUnavailableError) return null;
      throw error;
    } finally {
      nodes.looked(url);
    }
  }
}

/** Whether a call took longer than its time (`AbortSignal.timeout`). */
const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

const allRefuse = (nodes: Endpoints): ChainUnavailableError => {
  const soonest = Math.min(...nodes.urls.map((url) => nodes.refusesFor(url)));
  const seconds = Number.isFinite(soonest) ? Math.max(Math.ceil(soonest / 1_000), 1) : undefined;
  return new ChainUnavailableError(null, seconds, "The chain's nodes accept no more requests for now");
};

/** A connection to the chain by the settings. One for each request or object. */
export const connect = (settings: Endpointed): ChainRpc =>
  new ChainRpc(settings.NEAR_RPC_URL, settings.NEAR_ARCHIVAL_RPC_URL ?? []);

/** As `connect`, for what a request asks: each call is counted against whoever sends it. */
export const connectFor = ({ settings, admitCall }: Asker): ChainRpc =>
  new ChainRpc(settings.NEAR_RPC_URL, settings.NEAR_ARCHIVAL_RPC_URL ?? [], Date.now, { admit: admitCall });

type Endpointed = Pick<Settings, "NEAR_RPC_URL" | "NEAR_ARCHIVAL_RPC_URL">;

/** A request's context, as far as calls of nodes are concerned. */
interface Asker {
  readonly settings: Endpointed;
  readonly admitCall: () => Promise<void>;
}
