import type { Context, MiddlewareHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { keepStream, openText } from "../db/large-texts.ts";
import {
  claimKey,
  findKey,
  freeKey,
  type KeyRow,
  keepAnswer,
  setFingerprint,
} from "../db/queries/idempotency.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { ServiceError } from "../domain/errors.ts";
import { type Failure, failureError } from "../domain/failures.ts";
import { newUuid, toHex } from "../domain/ids.ts";
import type { AppEnv } from "./app-env.ts";

/** Answers are kept this long, and a key with nothing behind it frees itself after this. Milliseconds. */
const KEPT_MS = 25 * 60 * 60_000;
const FREES_AFTER_MS = 5 * 60_000;

const MAX_KEY_LENGTH = 255;

/** Answers that are not kept: the request had no effect, and the same one may have one later. */
const FREEING = [400, 401, 403, 413, 415, 429, 503];

/** Headers that belong to an answer wherever it is given. */
const KEPT_HEADERS = ["Content-Type", "Location", "X-Operation-Uuid"];

const REPLAYED = "Idempotency-Replayed";

/** Bodies that are read as they stream in: what their fingerprint covers is known at their end. */
const STREAMED = /\/asset-bulk$/;

/**
 * Carries out a write once for its Idempotency-Key, which is the integration's own. The first request claims the key;
 * the same request again is given the answer of the first, or told to wait while there is none yet. A write that
 * became an operation is answered from the operation, which was tied to the key when it was accepted.
 */
export const idempotency: MiddlewareHandler<AppEnv> = async (c, next) => {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined || c.req.method === "GET" || c.req.method === "HEAD") return next();
  const length = Array.from(key).length;
  if (length < 1 || length > MAX_KEY_LENGTH) throw badKey();
  const claim = new KeyClaim(c, key);
  const standing = await claim.take();
  if (standing !== null) return claim.replay(standing, next);
  const caller = c.get("caller");
  c.set("caller", { ...caller, idempotencyKey: key });
  await next();
  await claim.settle();
};

/** A request's dealings with its key. */
class KeyClaim {
  readonly #c: Context<AppEnv>;
  readonly #key: string;
  readonly #streamed: boolean;
  #fingerprint: Uint8Array | null = null;

  constructor(c: Context<AppEnv>, key: string) {
    this.#c = c;
    this.#key = key;
    this.#streamed = STREAMED.test(c.req.path);
  }

  /** Claims the key. Null where it is this request's now, else what it stands for. @throws ServiceError reused */
  async take(): Promise<KeyRow | null> {
    const { db, now } = this.#c.get("context");
    const { integrationId } = this.#c.get("caller");
    if (!this.#streamed) {
      this.#fingerprint = await fingerprint(this.#c, new Uint8Array(await this.#c.req.arrayBuffer()));
    }
    for (;;) {
      const time = now();
      const claimed = await claimKey(db, {
        integrationId,
        key: this.#key,
        fingerprint: this.#fingerprint,
        now: time,
        expiresAt: new Date(time.getTime() + KEPT_MS),
        freesBefore: new Date(time.getTime() - FREES_AFTER_MS),
        freeing: FREEING,
      });
      checkpoint("idempotency.claimed");
      if (claimed) {
        if (this.#streamed) this.#c.set("bodyRead", (digest) => this.#note(digest));
        return null;
      }
      const row = await findKey(db, integrationId, this.#key);
      if (!row) continue;
      if (this.#fingerprint) requireSame(row, this.#fingerprint);
      return row;
    }
  }

  async #note(digest: Uint8Array): Promise<void> {
    const { db } = this.#c.get("context");
    const { integrationId } = this.#c.get("caller");
    await setFingerprint(db, integrationId, this.#key, await fingerprint(this.#c, digest));
  }

  /** Answers with what the key stands for. @throws ServiceError in flight, reused, or the failure that was answered */
  async replay(row: KeyRow, next: () => Promise<void>): Promise<Response | undefined> {
    const { key, operation } = row;
    const isOver = key.status !== null || (operation !== null && operation.answerBody !== null);
    if (!isOver) throw inFlight(operation?.id);
    if (this.#streamed) return this.#replayStreamed(row, next);
    return this.#answer(row);
  }

  /** The form is read to its end and compared before it is answered; nothing of it is stored. */
  async #replayStreamed(row: KeyRow, next: () => Promise<void>): Promise<Response | undefined> {
    const same = new SameRequest();
    this.#c.set("bodyRead", async (digest) => {
      requireSame(row, await fingerprint(this.#c, digest));
      throw same;
    });
    await next();
    if (this.#c.error !== same) return undefined;
    const answer = await this.#answer(row);
    this.#c.res = undefined;
    this.#c.res = answer;
    return undefined;
  }

  async #answer({ key, operation }: KeyRow): Promise<Response> {
    const { env } = this.#c;
    this.#c.header(REPLAYED, "true");
    if (key.status !== null) {
      const text = key.body === null ? null : await openText(env.BUCKET, key.body);
      return this.#response(text, key.status, key.headers ?? {});
    }
    if (operation === null || operation.answerBody === null) throw inFlight(operation?.id);
    if (operation.state !== "succeeded") {
      throw failureError(JSON.parse(operation.answerBody) as Failure, operation.id);
    }
    const text = await openText(env.BUCKET, operation.answerBody);
    return this.#response(text, operation.answerStatus ?? 200, {
      "Content-Type": "application/json",
      "X-Operation-Uuid": operation.id,
    });
  }

  #response(
    body: string | ReadableStream<Uint8Array> | null,
    status: number,
    headers: Record<string, string>,
  ) {
    for (const [name, value] of Object.entries(headers)) this.#c.header(name, value);
    return this.#c.newResponse(body as ReadableStream | string | null, status as StatusCode);
  }

  /** Keeps the request's answer, or frees the key where the request had no effect. */
  async settle(): Promise<void> {
    const { db } = this.#c.get("context");
    const { integrationId } = this.#c.get("caller");
    const { res, error } = this.#c;
    const { status } = res;
    checkpoint("idempotency.before_keep");
    // Another request has taken the key up after it freed itself: the answer is that one's to keep.
    if (error instanceof ServiceError && error.code === "idempotency_key_in_flight") return;
    if (this.#c.get("answerKept")) return;
    // A fault before anything was accepted leaves the key free; freeKey refuses where an operation was.
    if (FREEING.includes(status) || status === 500) return freeKey(db, integrationId, this.#key);
    // An operation that is over keeps its answer itself.
    if (status !== 202 && this.#operationIsOver()) return;
    const kept = await this.#keepBody();
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => {
        const value = this.#c.res.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      }),
    );
    try {
      await keepAnswer(db, integrationId, this.#key, { status, headers, body: kept });
    } catch (error) {
      // What was done is done: the caller hears of it. The key stays in flight, and with it the request refused.
      this.#c.get("context").log("idempotency.not_kept", { error: String(error) });
    }
    checkpoint("idempotency.kept");
  }

  #operationIsOver(): boolean {
    const { error, res } = this.#c;
    if (error instanceof ServiceError) return error.details.operationUuid !== undefined;
    return res.headers.has("X-Operation-Uuid");
  }

  /** Has the body kept, and the answer go on with what was kept. */
  async #keepBody(): Promise<string | null> {
    const { res, env } = this.#c;
    if (res.body === null) return null;
    const { integrationId } = this.#c.get("caller");
    const name = `${integrationId}/${newUuid()}`;
    const kept = await keepStream(env.BUCKET, name, res.body);
    const answer = new Response(await openText(env.BUCKET, kept), {
      status: res.status,
      headers: res.headers,
    });
    this.#c.res = undefined;
    this.#c.res = answer;
    return kept;
  }
}

/** Ends a streamed request that was carried out before, once that is certain. */
class SameRequest extends ServiceError {
  constructor() {
    super("idempotency_key_in_flight", "This request was carried out before.");
  }
}

/** SHA-256 over method, path, query and what stands for the body. */
const fingerprint = async (c: Context<AppEnv>, body: Uint8Array): Promise<Uint8Array> => {
  const url = new URL(c.req.url);
  const head = new TextEncoder().encode(`${c.req.method} ${url.pathname}${url.search}\n`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
};

const requireSame = ({ key }: KeyRow, seen: Uint8Array): void => {
  if (key.fingerprint !== null && toHex(key.fingerprint) === toHex(seen)) return;
  // A streamed request whose body was never read to its end can't be compared; it is not taken for the same one.
  throw new ServiceError(
    "idempotency_key_reused",
    "Use a new Idempotency-Key: this one was used for another request.",
  );
};

const inFlight = (operationUuid?: string): ServiceError =>
  new ServiceError(
    "idempotency_key_in_flight",
    "A request with this Idempotency-Key is being worked on. Wait and send the same request again.",
    { retryable: true, retryAfter: 2, ...(operationUuid && { operationUuid }) },
  );

const badKey = (): ServiceError => {
  const message = `Send an Idempotency-Key of 1 to ${MAX_KEY_LENGTH} characters.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: ["Idempotency-Key"], message }] });
};
