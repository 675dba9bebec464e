import { type ApiError, ConnectionError, errorFrom, errorOf, MintageError } from "./errors.ts";
import { type Attempt, DEFAULT_RETRY, mayRetry, pauseBefore, type RetryPolicy } from "./retry.ts";

/** How the service is reached. */
export interface TransportOptions {
  /** Address of the service without a path, such as `https://mint.example.com`. */
  readonly baseUrl: string;
  /** Value of the Authorization header. */
  readonly authorization: string;
  readonly retry?: Partial<RetryPolicy>;
  /** Longest wait for one answer, milliseconds. */
  readonly timeoutMs?: number;
  /** A replacement for the platform's fetch, as tests and runtimes without one need. */
  readonly fetch?: typeof globalThis.fetch;
  /** Told of every pause before a retry. */
  readonly onRetry?: (event: {
    readonly method: string;
    readonly path: string;
    readonly tried: number;
    readonly pauseMs: number;
    readonly reason: string;
  }) => void;
}

/** One call. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** From the base address, with its query. */
  readonly path: string;
  readonly json?: unknown;
  readonly form?: FormData;
  /** Chosen by the caller to span restarts of its own; otherwise made again for each write. */
  readonly idempotencyKey?: string;
  /** Never retried: the address takes no Idempotency-Key, so that a second request would act again. */
  readonly once?: boolean;
  /** Media type of the answer; default: JSON. */
  readonly accept?: string;
  /** Answer 202 at once where the chain is involved. */
  readonly respondAsync?: boolean;
  /** `quote_uuid` of a quote for this write, and yoctoNEAR that it may cost; of both the lower counts. */
  readonly quote?: string;
  readonly maxCost?: string | bigint;
  readonly signal?: AbortSignal;
  /** Told that the answer is that of an earlier request under the same Idempotency-Key. */
  readonly onReplayed?: () => void;
}

/** The synchronous wait of the service is 25 s and fetching URLs may take 120 s more. */
const DEFAULT_TIMEOUT = 180_000;

/** Sends requests, repeats the same bytes where that is safe, and turns error answers into errors. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #retry: RetryPolicy;
  readonly #base: string;
  #hasAnswered = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#base = new URL(options.baseUrl).href.replace(/\/$/, "");
  }

  /** A successful answer. @throws ApiError, ConnectionError, or the reason of an aborted signal */
  async send(call: Call): Promise<Response> {
    const request = await this.#request(call);
    for (let tried = 1; ; tried++) {
      const answer = await this.#attempt(call, request);
      this.#hasAnswered ||= answer instanceof Response;
      if (answer instanceof Response && answer.ok) {
        if (answer.headers.get("idempotency-replayed") === "true") call.onReplayed?.();
        return answer;
      }
      const error = answer instanceof Response ? await errorOf(answer) : answer;
      const attempt = error instanceof ConnectionError ? "no_answer" : attemptOf(error);
      const retryAfter = error instanceof ConnectionError ? null : error.retryAfter;
      const again = !call.once && mayRetry(attempt) && !this.#isNothingThere(error);
      const pauseMs = again ? pauseBefore(this.#retry, tried, retryAfter, Math.random()) : null;
      if (pauseMs === null) throw error;
      this.#options.onRetry?.({
        method: call.method,
        path: call.path,
        tried,
        pauseMs,
        reason: error.message,
      });
      await pause(pauseMs, call.signal);
    }
  }

  /** Whether nothing listens at the address, and never has: a service that restarts refuses connections only for a while. */
  #isNothingThere(error: Error): boolean {
    return !this.#hasAnswered && error instanceof ConnectionError && error.isRefused;
  }

  /** The JSON body of a successful answer. */
  async json<T>(call: Call): Promise<T> {
    return jsonOf<T>(await this.send(call));
  }

  /** What goes over the wire, encoded once: a form too, so that another try has the same bytes and boundary. */
  async #request(call: Call): Promise<{ url: string; init: RequestInit }> {
    const headers = new Headers({
      authorization: this.#options.authorization,
      accept: call.accept ?? "application/json",
    });
    if (call.method !== "GET") headers.set("idempotency-key", call.idempotencyKey ?? crypto.randomUUID());
    if (call.respondAsync) headers.set("prefer", "respond-async");
    if (call.quote !== undefined) headers.set("mintage-quote", call.quote);
    if (call.maxCost !== undefined) headers.set("mintage-max-cost", String(call.maxCost));
    let body: string | ArrayBuffer | undefined;
    if (call.json !== undefined) {
      headers.set("content-type", "application/json");
      body = JSON.stringify(call.json);
    } else if (call.form) {
      const encoded = new Response(call.form);
      headers.set("content-type", encoded.headers.get("content-type") ?? "");
      body = await encoded.arrayBuffer();
    }
    return { url: this.#base + call.path, init: { method: call.method, headers, body } };
  }

  async #attempt(
    call: Call,
    { url, init }: { url: string; init: RequestInit },
  ): Promise<Response | ConnectionError> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? DEFAULT_TIMEOUT);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    try {
      const response = await (this.#options.fetch ?? globalThis.fetch)(url, { ...init, signal });
      // An answer that breaks off is an attempt without an answer, so its body is read here.
      return new Response(response.status === 204 ? null : await response.arrayBuffer(), response);
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason;
      if (error instanceof MintageError) throw error;
      const { origin } = new URL(url);
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
      if (cause && "code" in cause && /^(ECONNREFUSED|ENOTFOUND)$/.test(String(cause.code))) {
        return new ConnectionError(`Nothing answers at ${origin}.`, { cause: error }, true);
      }
      return new ConnectionError(`${origin} can't be reached: ${cause?.message ?? String(error)}`, {
        cause: error,
      });
    }
  }
}

/** A list as the lines that it is sent in, each a JSON text, for a file. @throws as `send` */
export async function linesOf(
  transport: Transport,
  path: string,
  options: Pick<Call, "signal"> = {},
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await transport.send({ method: "GET", path, accept: "application/x-ndjson", ...options });
  if (body === null) throw new MintageError(`The answer to ${path} came without a body.`);
  return body;
}

/** The body of a successful answer. @throws ApiError `http_error` where it is a page of something else at this address */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw error instanceof SyntaxError ? errorFrom(response.status, "", response.headers) : error;
  }
}

const attemptOf = ({ status, code, operationUuid }: ApiError): Attempt => ({
  status,
  code: code === "http_error" ? null : code,
  operationUuid,
});

/** Waits, unless the signal ends it. Milliseconds. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

/** Path of the page after this one, from the Link header (RFC 8288), or null at the end. */
export function nextPage(headers: Headers): string | null {
  // A link begins with `<`, which nothing but a link's address may hold.
  for (const link of (headers.get("link") ?? "").split("<").slice(1)) {
    const [address = "", parameters = ""] = link.split(">", 2);
    const isNext = parameters.split(/[;,]/).some((parameter) => /^rel="?next"?$/.test(parameter.trim()));
    if (!isNext) continue;
    const url = new URL(address, "http://relative.invalid");
    return url.pathname + url.search;
  }
  return null;
}
