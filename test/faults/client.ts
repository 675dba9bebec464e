/** A caller as callers should be: it keeps its Idempotency-Key and asks until it is told how the request ended. */
import { SUBJECT_HEADER } from "./marker.ts";
import type { FaultyService } from "./service.ts";

/** What a request ended as. */
export interface Answer {
  /** `gave_up`: not told in time. `settled`: the operator has said that it had its effect. */
  readonly kind: "success" | "failure" | "unknown" | "settled" | "gave_up";
  readonly status: number;
  readonly body: unknown;
}

/** An answer as it came, for the timeline of an operation. */
export interface Told {
  /** By the run's clock, milliseconds since 1970. */
  readonly at: number;
  readonly request: string;
  /** 0 where the connection broke. */
  readonly status: number;
  readonly requestId: string | null;
  readonly operation: string | null;
  readonly code: string | null;
}

interface ErrorBody {
  readonly outcome?: string;
  readonly retryable?: boolean;
  readonly code?: string;
  readonly operation_uuid?: string;
}

interface OperationBody {
  readonly state: "pending" | "succeeded" | "failed" | "unknown";
  readonly answer: { readonly status: number; readonly body: unknown } | null;
}

/** What became of a request whose ledger may have forgotten it. */
export interface Standing {
  /** How often it was sent, and how many of these are under way. */
  sent: number;
  underWay: number;
  /** Its ledger has forgotten its key: it isn't sent until the chain was looked at. */
  isHeld: boolean;
  /** What the chain has shown then; null: it may be sent. */
  ruling: Answer | null;
}

/** A write, and where what is told about it is noted. */
export interface Write {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: unknown;
  readonly key: string | null;
  /** How long it is asked about, milliseconds of the machine. */
  readonly patience: number;
  readonly subject?: string;
  readonly told?: Told[];
  readonly standing?: Standing;
}

const REQUEST_TIMEOUT_MS = 15_000;
const PAUSE_MS = 120;
/** Pause between looks at an operation: one that asks more often loads the service more than it learns. Milliseconds. */
const LOOK_MS = 400;

/** Statuses that say: not now. The same request may be sent again with the same key. */
export const PASSING = [429, 500, 503];

/** One integration's key and how it sends requests. */
export class Caller {
  readonly #service: FaultyService;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(service: FaultyService, authorization: string) {
    this.#service = service;
    this.#headers = { authorization };
  }

  /** Sends a write until it has a definite answer, or patience is over. */
  async write(write: Write): Promise<Answer> {
    const until = Date.now() + write.patience;
    let last: Answer = { kind: "gave_up", status: 0, body: null };
    do {
      if (write.standing?.ruling) return write.standing.ruling;
      const answer = write.standing?.isHeld ? null : await this.once(write, until);
      if (answer !== null) {
        if (answer.kind !== "gave_up") return answer;
        last = answer;
      }
      await pause(PAUSE_MS);
    } while (Date.now() < until);
    return last;
  }

  /** Sends a write once, and follows the operation that it became. Null if nothing was heard. */
  async once(write: Write, until: number): Promise<Answer | null> {
    const { method, path, body, key, standing } = write;
    if (standing) {
      standing.sent += 1;
      standing.underWay += 1;
    }
    const response = await this.#send(method, path, body, { key, subject: write.subject });
    const text = (await response?.text().catch(() => null)) ?? null;
    if (standing) standing.underWay -= 1;
    const read = text === null ? null : parse(text);
    this.#note(write, response, read);
    return response === null || text === null ? null : this.#read(response, read, write, until);
  }

  #note(write: Write, response: Response | null, body: unknown): void {
    const { code, operation_uuid: named } = (body ?? {}) as ErrorBody;
    const operation = named ?? response?.headers.get("x-operation-uuid") ?? null;
    write.told?.push({
      at: this.#service.now(),
      request: `${write.method} ${write.path}`,
      status: response?.status ?? 0,
      requestId: response?.headers.get("x-request-id") ?? null,
      operation: operation ?? response?.headers.get("location")?.split("/").at(-1) ?? null,
      code: code ?? null,
    });
  }

  /** A read, until it is answered. @throws Error when it is refused, or `patience` is over */
  async read<T>(path: string, patience = 30_000): Promise<T> {
    const until = Date.now() + patience;
    while (Date.now() < until) {
      const response = await this.#send("GET", path, undefined, { key: null });
      const text = await response?.text().catch(() => null);
      if (response?.ok && text) return JSON.parse(text) as T;
      if (response && !response.ok && response.status < 500 && response.status !== 429)
        throw new Error(`${path}: ${response.status} ${text}`);
      await pause(PAUSE_MS);
    }
    throw new Error(`${path} was not answered`);
  }

  async #send(
    method: string,
    path: string,
    body: unknown,
    { key, subject }: { readonly key: string | null; readonly subject?: string | undefined },
  ): Promise<Response | null> {
    const form = body instanceof FormData;
    const address = path.startsWith("/api/") || path.startsWith("/admin/") ? path : `/api/v1${path}`;
    return fetch(this.#service.url + address, {
      method,
      headers: {
        ...this.#headers,
        ...(key !== null && { "idempotency-key": key }),
        ...(subject !== undefined && { [SUBJECT_HEADER]: subject }),
        ...(body !== undefined && !form && { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : form ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => null);
  }

  /** What an answer says about the request; null or `gave_up` where it has to be asked again. */
  async #read(response: Response, body: unknown, write: Write, until: number): Promise<Answer | null> {
    const { status } = response;
    if (status === 202) {
      const ended = await this.#follow(response.headers.get("location") ?? "", write, until);
      return ended ?? { kind: "gave_up", status, body };
    }
    if (status < 300) return { kind: "success", status, body };
    return judged(status, body);
  }

  async #follow(location: string, write: Write, until: number): Promise<Answer | null> {
    while (Date.now() < until) {
      const operation = await this.read<OperationBody>(location, 2_000).catch(() => null);
      if (operation?.answer && operation.state !== "pending") {
        const { status, body } = operation.answer;
        const { code = null } = (body ?? {}) as ErrorBody;
        const request = `GET ${location}`;
        const at = this.#service.now();
        write.told?.push({
          at,
          request,
          status,
          requestId: null,
          operation: location.split("/").at(-1)!,
          code,
        });
        return operation.state === "succeeded" ? { kind: "success", status, body } : judged(status, body);
      }
      if (operation?.state === "unknown") return { kind: "unknown", status: 0, body: operation };
      await pause(LOOK_MS);
    }
    return null;
  }
}

/** What an error says about the request. */
const judged = (status: number, body: unknown): Answer => {
  const error = (body ?? {}) as ErrorBody;
  // A finalization that is sent without a key, again after it took effect, is told of the collection.
  if (error.code === "draft_finalized") return { kind: "success", status, body };
  if (error.outcome === "final") return { kind: "settled", status, body };
  if (error.outcome === "unknown" && !error.retryable) return { kind: "unknown", status, body };
  const passing = PASSING.includes(status) || error.code === "idempotency_key_in_flight";
  if (passing || error.code === "conflict") return { kind: "gave_up", status, body };
  return { kind: "failure", status, body };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Waits. Milliseconds of the machine. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
