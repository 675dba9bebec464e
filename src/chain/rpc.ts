import type { Settings } from "../env.ts";
import { ChainUnavailableError, isNodeCause, NodesLagError, RpcError } from "./errors.ts";

/** How one call is to be made. */
export interface CallOptions {
  /** Endpoint to prefer: a lane keeps to one while rows of it are open. */
  readonly endpoint?: string | null;
  /** Ask the archival endpoints only. */
  readonly archival?: boolean;
  /** Milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * Whether an answer, or the detail of a typed error, is recent enough. A node that lags is as good as none, and the
   * next one is asked.
   */
  readonly isCurrent?: (answer: unknown) => boolean;
}

interface Health {
  failures: number;
  /** Left alone until then, milliseconds since the epoch. */
  restsUntil: number;
}

/** Plain data that an isolate's connections share: which endpoint failed, and until when it is left. */
const healthOf = new Map<string, Health>();

/** A Worker may have six connections waiting for an answer at once (Workers limits, "simultaneous open connections"). */
export const MAX_CONNECTIONS = 6;

const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

/**
 * JSON-RPC over several endpoints. Make one for each request or object: the queue of its six connections belongs to
 * the context that waits in it.
 */
export class ChainRpc {
  readonly endpoints: readonly string[];
  readonly archival: readonly string[];
  readonly #now: () => number;
  #free = MAX_CONNECTIONS;
  readonly #waiting: (() => void)[] = [];

  /** @param endpoints in order of preference @param archival endpoints that keep all history */
  constructor(
    endpoints: readonly string[],
    archival: readonly string[] = [],
    now: () => number = () => Date.now(),
  ) {
    this.endpoints = endpoints;
    this.archival = archival;
    this.#now = now;
  }

  /**
   * Calls a method. Endpoints that don't answer, or answer that they are out of step, are left for a while and the
   * next one is asked.
   * @throws RpcError what a node answered, by its typed cause
   * @throws ChainUnavailableError when no endpoint gave an answer; NodesLagError when none that is recent enough
   */
  async call<T>(method: string, params: unknown, options: CallOptions = {}): Promise<T> {
    await this.#admit();
    try {
      const { isCurrent = () => true } = options;
      let last: unknown = null;
      let lags = false;
      for (const url of this.order(options)) {
        try {
          const answer = await this.#post<T>(url, method, params, options.timeoutMs ?? 10_000);
          healthOf.delete(url);
          if (isCurrent(answer)) return answer;
          lags = true;
        } catch (error) {
          if (error instanceof RpcError && !isNodeCause(error.causeName)) {
            healthOf.delete(url);
            if (isCurrent(error.info)) throw error;
            lags = true;
            continue;
          }
          last = error;
          this.#rest(url);
        }
      }
      throw lags ? new NodesLagError() : new ChainUnavailableError(last);
    } finally {
      this.#release();
    }
  }

  /** The endpoints in the order in which a call asks them: the preferred one, the healthy, those at rest. */
  order(options: CallOptions = {}): string[] {
    const urls = options.archival ? this.archival : this.endpoints;
    const now = this.#now();
    const rank = (url: string) => {
      const resting = (healthOf.get(url)?.restsUntil ?? 0) > now;
      return (resting ? 2 : 0) + (url === options.endpoint ? 0 : 1);
    };
    return [...urls].sort((a, b) => rank(a) - rank(b));
  }

  #rest(url: string): void {
    const failures = (healthOf.get(url)?.failures ?? 0) + 1;
    const rest = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
    healthOf.set(url, { failures, restsUntil: this.#now() + rest });
  }

  async #admit(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  async #post<T>(url: string, method: string, params: unknown, timeoutMs: number): Promise<T> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: "mintage", method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await readAnswer<T>(response);
    if (body.error) throw rpcError(body.error);
    if (body.result === undefined) throw new Error(`HTTP ${response.status} without a result`);
    return body.result;
  }
}

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

/** A connection to the chain by the settings. One for each request or object. */
export const connect = (settings: Pick<Settings, "NEAR_RPC_URL" | "NEAR_ARCHIVAL_RPC_URL">): ChainRpc =>
  new ChainRpc(settings.NEAR_RPC_URL, settings.NEAR_ARCHIVAL_RPC_URL ?? []);
