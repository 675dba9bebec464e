import type { Settings } from "../env.ts";
import { type CallOutcome, countCall } from "./call-counts.ts";
import { Endpoints, type Preference, type SeenBlock } from "./endpoints.ts";
import { ChainUnavailableError, isNodeCause, NodesLagError, RpcError } from "./errors.ts";

/** Connections that a Worker can have waiting for a response (Workers limits, "simultaneous open connections"). */
export const MAX_CONNECTIONS = 6;

/** Timeout for getting a free connection, milliseconds. */
export const LONGEST_QUEUE_MS = 30_000;

/** The connections of one request or object: six at once; further calls queue in order. */
export class Connections {
  #free = MAX_CONNECTIONS;
  readonly #waiting = new Set<() => void>();

  /** Runs work with a connection. @throws ChainUnavailableError when none became free in time */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free += 1;
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        this.#waiting.delete(admit);
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
}

/** The endpoint rejected the request with a rate limit (HTTP 429, or 503 with Retry-After). */
class RefusedError extends Error {
  /** Milliseconds from Retry-After; null if absent. */
  readonly pause: number | null;

  constructor(status: number, pause: number | null) {
    super(`HTTP ${status}`);
    this.name = "RefusedError";
    this.pause = pause;
  }
}

/** Sends one JSON-RPC request. @throws RpcError a node's typed error; RefusedError; Error for any other failure */
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

/** A Retry-After header (RFC 9110, 10.2.3) in milliseconds; null if it is neither seconds nor an HTTP date. */
const retryAfter = (header: string | null, now: number): number | null => {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Date.parse would accept a bare number; a date has the name of a day or month.
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

/** Reads the response body. A node's typed error has JSON whatever its status; anything else is an endpoint's failure. */
const readAnswer = async <T>(response: Response): Promise<RpcAnswer<T>> => {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as RpcAnswer<T>;
    if (typeof body === "object" && body !== null && (response.ok || body.error?.cause?.name)) return body;
  } catch {
    // Not JSON, such as a proxy's error page: the status is all there is to report.
  }
  throw new Error(`HTTP ${response.status}`);
};

const rpcError = (error: NonNullable<RpcAnswer<unknown>["error"]>): Error => {
  const name = error.cause?.name;
  return name ? new RpcError(name, error.cause?.info, error.data) : new Error(error.name ?? "untyped error");
};

export interface CallOptions {
  /** Endpoint to prefer: a lane keeps to one while it has open rows. */
  readonly endpoint?: string | null;
  /** Endpoint to try last, for a second opinion. */
  readonly avoid?: string | null;
  readonly archival?: boolean;
  /** Milliseconds once the call has a connection; 10,000 by default. */
  readonly timeoutMs?: number;
  /** The block of a response or of a typed error's details, if any. One behind known final state is discarded. */
  readonly blockOf?: (answer: unknown) => SeenBlock | null;
  readonly atLeast?: number;
}

/** A block as nodes return it; only the fields that show how recent it is. */
export interface HeaderView {
  readonly header: { readonly height: number; readonly timestamp_nanosec: string };
}

/** The final block in a response to `block`. */
export const finalBlockOf = (answer: unknown): SeenBlock | null => {
  const header = (answer as Partial<HeaderView> | null | undefined)?.header;
  if (!header) return null;
  const time = Number(BigInt(header.timestamp_nanosec) / 1_000_000n);
  return { height: header.height, time, isFinal: true };
};

const CALL_MS = 10_000;
/** Timeout for checking an endpoint's final block during a call, which it shouldn't delay. Milliseconds. */
const LOOK_MS = 3_000;

interface ConnectionOptions {
  /** Shared with other clients of the same object; absent: its own. */
  readonly connections?: Pick<Connections, "use">;
  /** Awaited before each call; rejects the call by throwing. */
  readonly admit?: () => Promise<void>;
  /** Don't count timeouts as failures of the endpoint: callers choose what is read, and it may be large. */
  readonly ignoreTimeouts?: boolean;
}

interface RpcCall {
  readonly method: string;
  readonly params: unknown;
}

const FINAL_BLOCK: RpcCall = { method: "block", params: { finality: "final" } };

type Reply<T> =
  | { readonly answer: T }
  /** A typed error that concerns the request. */
  | { readonly refusal: RpcError }
  | { readonly failure: unknown };

/**
 * JSON-RPC over several endpoints; only those that keep up are trusted (docs/transactions.md, "Nodes"). One per request
 * or object, whose queue of connections it has; health is shared by the isolate.
 */
export class ChainRpc {
  readonly endpoints: readonly string[];
  readonly archival: readonly string[];
  readonly #nodes: Endpoints;
  readonly #archive: Endpoints;
  readonly #now: () => number;
  readonly #admit: () => Promise<void>;
  readonly #sparing: boolean;
  readonly #connections: Pick<Connections, "use">;
  /** Checks of final blocks in progress, by endpoint. */
  readonly #looks = new Map<string, Promise<void>>();

  /** @param endpoints in order of preference @param archival endpoints with the full history */
  constructor(
    endpoints: readonly string[],
    archival: readonly string[] = [],
    now: () => number = () => Date.now(),
    {
      admit = async () => undefined,
      ignoreTimeouts = false,
      connections = new Connections(),
    }: ConnectionOptions = {},
  ) {
    this.#connections = connections;
    this.endpoints = endpoints;
    this.archival = archival;
    this.#now = now;
    this.#admit = admit;
    this.#sparing = ignoreTimeouts;
    this.#nodes = new Endpoints(endpoints, now);
    this.#archive = new Endpoints(archival, now);
  }

  /**
   * Calls a method. Endpoints that fail, lag or refuse are skipped for a while. @throws RpcError a node's typed error
   * @throws ChainUnavailableError when no endpoint responded; NodesLagError when none was recent enough
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

  /** The endpoints in the order in which a call tries them. */
  order(preference: Preference = {}): string[] {
    return this.#nodes.order(preference);
  }

  /** Calls one endpoint, and discards the response if the endpoint is behind. */
  async #believed<T>(
    nodes: Endpoints,
    url: string,
    question: RpcCall,
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

  async #ask<T>(nodes: Endpoints, url: string, question: RpcCall, timeoutMs: number): Promise<Reply<T>> {
    const { method, params } = question;
    const count = (outcome: CallOutcome) => countCall(url, outcome, this.#now());
    try {
      const answer = await this.#connections.use(() => post<T>(url, method, params, timeoutMs));
      nodes.answered(url);
      count("answered");
      return { answer };
    } catch (error) {
      if (error instanceof ChainUnavailableError) throw error;
      // Of a transaction a timeout says something; another node may still answer a query.
      const isSlowQuery =
        method === "query" && error instanceof RpcError && error.causeName === "TIMEOUT_ERROR";
      if (error instanceof RpcError && !isNodeCause(error.causeName) && !isSlowQuery) {
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

  /** Checks an endpoint's final block, once for all calls that need it. Never rejects. */
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

  /** A final block is old: either the chain has stopped or the endpoint has. The other endpoints show which. */
  async #compare(nodes: Endpoints, url: string, block: SeenBlock): Promise<void> {
    const others = nodes.urls.filter((other) => other !== url && nodes.wantsLook(other));
    await Promise.all(others.map((other) => this.#finalBlock(nodes, other)));
    nodes.saw(url, block, nodes.floor);
  }

  async #finalBlock(nodes: Endpoints, url: string): Promise<SeenBlock | null> {
    const { floor } = nodes;
    try {
      const reply = await this.#ask<HeaderView>(nodes, url, FINAL_BLOCK, LOOK_MS);
      const block = "answer" in reply ? finalBlockOf(reply.answer) : null;
      if (block) nodes.saw(url, block, floor);
      return block;
    } catch (error) {
      // No connection became free: the call that needed the check reports that itself.
      if (error instanceof ChainUnavailableError) return null;
      throw error;
    } finally {
      nodes.looked(url);
    }
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

const allRefuse = (nodes: Endpoints): ChainUnavailableError => {
  const soonest = Math.min(...nodes.urls.map((url) => nodes.refusesFor(url)));
  const seconds = Number.isFinite(soonest) ? Math.max(Math.ceil(soonest / 1_000), 1) : undefined;
  return new ChainUnavailableError(null, seconds, "The chain's nodes accept no more requests for now");
};

type Endpointed = Pick<Settings, "NEAR_RPC_URL" | "NEAR_ARCHIVAL_RPC_URL">;

/** Creates a connection to the chain from the settings; one per request or object. */
export const connect = (settings: Endpointed, options?: ConnectionOptions): ChainRpc =>
  new ChainRpc(settings.NEAR_RPC_URL, settings.NEAR_ARCHIVAL_RPC_URL ?? [], undefined, options);

/**
 * Like `connect`, for the work of a context: each call counts against a request's client, and an object's drives share its
 * connections.
 */
export const connectFor = ({
  settings,
  admitCall: admit,
  connections,
}: {
  readonly settings: Endpointed;
  readonly admitCall: () => Promise<void>;
  readonly connections?: Pick<Connections, "use">;
}): ChainRpc => connect(settings, { admit, ...(connections && { connections }) });
