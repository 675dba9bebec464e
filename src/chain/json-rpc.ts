import { RpcError } from "./errors.ts";

/** The endpoint takes no requests for a while (HTTP 429, or 503 with Retry-After). */
export class RefusedError extends Error {
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
export const post = async <T>(
  url: string,
  method: string,
  params: unknown,
  timeoutMs: number,
): Promise<T> => {
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
