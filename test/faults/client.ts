/** A caller as callers should be: it keeps its Idempotency-Key and asks until it is told how the request ended. */
import type { FaultyService } from "./service.ts";

/** What a request ended as. */
export interface Answer {
  /** `gave_up`: not told in time. */
  readonly kind: "success" | "failure" | "unknown" | "gave_up";
  readonly status: number;
  readonly body: unknown;
}

interface ErrorBody {
  readonly outcome?: string;
  readonly code?: string;
}

interface OperationBody {
  readonly state: "pending" | "succeeded" | "failed" | "unknown";
  readonly answer: { readonly status: number; readonly body: unknown } | null;
}

const REQUEST_TIMEOUT_MS = 30_000;
const PAUSE_MS = 300;

/** One integration's key and how it sends requests. */
export class Caller {
  readonly #service: FaultyService;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(service: FaultyService, authorization: string) {
    this.#service = service;
    this.#headers = { authorization };
  }

  /** Sends a write until it has a definite answer, or `patience` is over. Milliseconds. */
  async write(request: {
    readonly method: "POST" | "PUT";
    readonly path: string;
    readonly body?: unknown;
    readonly key: string | null;
    readonly patience: number;
  }): Promise<Answer> {
    const until = Date.now() + request.patience;
    let last: Answer = { kind: "gave_up", status: 0, body: null };
    while (Date.now() < until) {
      const response = await this.#send(request.method, request.path, request.body, request.key);
      const answer = response === null ? null : await this.#read(response, until);
      if (answer !== null) {
        if (answer.kind !== "gave_up") return answer;
        last = answer;
      }
      await pause(PAUSE_MS);
    }
    return last;
  }

  /** A read, until it is answered. @throws Error when it is refused, or `patience` is over */
  async read<T>(path: string, patience = 60_000): Promise<T> {
    const until = Date.now() + patience;
    while (Date.now() < until) {
      const response = await this.#send("GET", path, undefined, null);
      const text = await response?.text().catch(() => null);
      if (response?.ok && text) return JSON.parse(text) as T;
      if (response && response.status < 500 && response.status !== 429)
        throw new Error(`${path}: ${response.status} ${text}`);
      await pause(PAUSE_MS);
    }
    throw new Error(`${path} was not answered`);
  }

  async #send(method: string, path: string, body: unknown, key: string | null): Promise<Response | null> {
    const form = body instanceof FormData;
    const address = path.startsWith("/api/") || path.startsWith("/admin/") ? path : `/api/v1${path}`;
    return fetch(this.#service.url + address, {
      method,
      headers: {
        ...this.#headers,
        ...(key !== null && { "idempotency-key": key }),
        ...(body !== undefined && !form && { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : form ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => null);
  }

  /** What an answer says about the request; null or `gave_up` where it has to be asked again. */
  async #read(response: Response, until: number): Promise<Answer | null> {
    const text = await response.text().catch(() => null);
    if (text === null) return null;
    const { status } = response;
    const body = parse(text);
    if (status === 202) return this.#follow(response.headers.get("location") ?? "", until);
    if (status < 300) return { kind: "success", status, body };
    const error = body as ErrorBody | null;
    // A finalization that is sent without a key, again after it took effect, is told of the collection.
    if (error?.code === "draft_finalized") return { kind: "success", status, body };
    const passing = status === 429 || status === 503 || status === 500;
    if (passing || error?.code === "idempotency_key_in_flight" || error?.code === "conflict") {
      return { kind: "gave_up", status, body };
    }
    return { kind: error?.outcome === "unknown" ? "unknown" : "failure", status, body };
  }

  async #follow(location: string, until: number): Promise<Answer | null> {
    while (Date.now() < until) {
      const operation = await this.read<OperationBody>(location).catch(() => null);
      if (operation && operation.state !== "pending" && operation.answer) {
        const kinds = { succeeded: "success", failed: "failure", unknown: "unknown" } as const;
        return { kind: kinds[operation.state], ...operation.answer };
      }
      if (operation?.state === "unknown") return { kind: "unknown", status: 0, body: operation };
      await pause(PAUSE_MS);
    }
    return null;
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Waits. Milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
