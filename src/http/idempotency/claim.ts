import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { Claim, ServiceContext } from "../../context.ts";
import {
  type AnsweredKey,
  claimKey,
  findKey,
  freeKey,
  type KeptAnswer,
  type KeyRow,
  keepAnswer,
} from "../../db/queries/idempotency.ts";
import { isUnanswered } from "../../db/statements.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { keyInFlight, ServiceError } from "../../domain/errors.ts";
import { toHex, type Uuid } from "../../domain/ids.ts";
import { JSON_TYPE } from "../../domain/media-types.ts";
import { textKey } from "../../storage/large-texts.ts";
import { persistently } from "../../waiting.ts";
import type { AppEnv } from "../app-env.ts";
import { isStreamed } from "../json-body.ts";
import { type AnswerBody, type KeptBody, keepBody, openBody } from "./kept-bodies.ts";

const HOUR_MS = 60 * 60_000;
/** After how long a key without an answer frees itself. Milliseconds. */
const FREES_AFTER_MS = 5 * 60_000;

/** Tries of a database call for a key; where D1 doesn't answer, the first one has waited long enough. */
const ATTEMPTS = { tries: 4, firstPauseMs: 50, isLasting: isUnanswered };

/**
 * Answers that are not kept: the request had no effect and may succeed later, for instance once it can be paid (402).
 */
const FREEING = [400, 401, 402, 403, 413, 415, 429, 503];

/**
 * The same by their codes: the write may be sent again under its key with another quote, since headers are not part of what
 * a key stands for.
 */
const FREEING_CODES: readonly (string | null)[] = [
  "idempotency_key_in_flight",
  "quote_expired",
  "quote_mismatch",
];

/** Headers that belong to an answer wherever it is given. */
const KEPT_HEADERS = ["Content-Type", "Location"];

export const REPLAYED = "Idempotency-Replayed";

/** A request's claim on its Idempotency-Key, from taking the key to keeping the answer or freeing the key. */
export class KeyClaim implements Claim {
  readonly integrationId: Uuid;
  readonly key: string;
  readonly owner = crypto.getRandomValues(new Uint8Array(16));
  readonly #c: Context<AppEnv>;
  readonly #context: ServiceContext;
  /** What the key stood for already; null: the claim is held, or not taken yet. */
  #standing: KeyRow | null = null;
  /** Stands for a body that was read as it streamed in; absent: there is none, or it isn't known yet. */
  #confirmed: Uint8Array | undefined;
  /** The use case keeps the answer, in the batch that has the effect. */
  #isAnswered = false;
  /** Key of the object of R2 that the answer's body was put into for that; null: there is none. */
  #object: string | null = null;

  constructor(c: Context<AppEnv>, key: string) {
    this.#c = c;
    this.#context = c.get("context");
    this.integrationId = c.get("caller").integrationId;
    this.key = key;
  }

  /**
   * Claims the key. Null if it is this request's now, else what it stands for; `full` where the integration may
   * take no more of the database.
   * @throws ServiceError reused
   */
  async take(): Promise<KeyRow | "full" | null> {
    const { req } = this.#c;
    // What the fingerprint of a streamed body covers is known at its end.
    const fingerprint = isStreamed(this.#c)
      ? null
      : await this.#fingerprint(new Uint8Array(await req.arrayBuffer()));
    for (;;) {
      const claimed = await this.#tryToClaim(fingerprint);
      checkpoint("idempotency.claimed");
      if (claimed === "full") return "full";
      if (claimed === "taken") return null;
      const row = await findKey(this.#context.db, this.integrationId, this.key);
      if (!row) continue;
      if (fingerprint) requireSame(row, fingerprint);
      this.#standing = row;
      return row;
    }
  }

  /** A claim whose answer is lost may stand: it is repeated, and given back where the database goes on failing. */
  async #tryToClaim(fingerprint: Uint8Array | null): ReturnType<typeof claimKey> {
    const { db, now, settings } = this.#context;
    const { integrationId, key, owner } = this;
    const time = now().getTime();
    const claim = {
      ...{ integrationId, key, owner, fingerprint },
      now: new Date(time),
      expiresAt: new Date(time + settings.KEYS_KEPT_HOURS * HOUR_MS),
      freesBefore: new Date(time - FREES_AFTER_MS),
      freeing: FREEING,
    };
    try {
      return await persistently(ATTEMPTS, () => claimKey(db, claim));
    } catch (error) {
      await this.release(error);
      throw error;
    }
  }

  async confirm(digest: Uint8Array): Promise<void> {
    const fingerprint = await this.#fingerprint(digest);
    if (this.#standing !== null) {
      requireSame(this.#standing, fingerprint);
      throw new SameRequest();
    }
    this.#confirmed = fingerprint;
  }

  async keeps(status: number, body: AnswerBody, { isSecret = false } = {}): Promise<AnsweredKey> {
    this.#isAnswered = true;
    // That of an attempt before, which had no effect.
    this.#forgetObject();
    const kept = await keepBody(this.#context, this, body, isSecret);
    this.#object = kept.text === null ? null : textKey(kept.text);
    return this.#answered({ status, headers: body === null ? {} : { "Content-Type": JSON_TYPE } }, kept);
  }

  /** Deletes the object of an answer that no row refers to, behind the request. */
  #forgetObject(): void {
    const { env, log, waitUntil } = this.#context;
    if (this.#object === null) return;
    const failed = (error: unknown) => log("idempotency.object_left", { error });
    waitUntil(env.BUCKET.delete(this.#object).catch(failed));
    this.#object = null;
  }

  #answered(
    head: Pick<KeptAnswer, "status" | "headers">,
    { text: body, bytes: bodyBytes }: KeptBody,
  ): AnsweredKey {
    return { claim: this, answer: { ...head, body, bodyBytes, fingerprint: this.#confirmed } };
  }

  /**
   * Answers with what was kept for the key. A streamed form is read to its end and compared before that; nothing of it
   * is stored.
   * @throws ServiceError in flight, reused
   */
  async replay(standing: KeyRow, next: () => Promise<void>): Promise<Response | undefined> {
    if (standing.status === null) throw keyInFlight();
    if (!isStreamed(this.#c)) return this.#kept(standing);
    await next();
    if (this.#c.error instanceof SameRequest) this.#replaceAnswer(await this.#kept(standing));
    return undefined;
  }

  async #kept(key: KeyRow): Promise<Response> {
    this.#c.header(REPLAYED, "true");
    const text = key.body === null ? null : await openBody(this.#context, this, key.body);
    for (const [name, value] of Object.entries(key.headers ?? {})) this.#c.header(name, value);
    return this.#c.newResponse(text as ReadableStream | string | null, (key.status ?? 200) as StatusCode);
  }

  /** Keeps the request's answer, or frees the key where the request had no effect. */
  async finish(): Promise<void> {
    const { error, res } = this.#c;
    const { status } = res;
    checkpoint("idempotency.before_keep");
    if (this.#isAnswered && !error) return;
    // After any other error the effect may be there, and its row needs the object.
    if (error instanceof ServiceError) this.#forgetObject();
    const code = error instanceof ServiceError ? error.code : null;
    // A fault before anything was accepted leaves the key free; a claim that led to an operation can't be freed. What a
    // key stands for that another request has taken over isn't this one's to write.
    if (FREEING.includes(status) || status === 500 || FREEING_CODES.includes(code)) {
      return this.release(error);
    }
    if (this.#hasOperation()) return;
    try {
      const kept = await this.#keepBody();
      const headers = Object.fromEntries(
        KEPT_HEADERS.flatMap((name) => {
          const value = res.headers.get(name);
          return value === null ? [] : [[name, value] as const];
        }),
      );
      const { db } = this.#context;
      await db.batch(keepAnswer(db, this.#answered({ status, headers }, kept)));
    } catch (failure) {
      // The effect is written, so the caller gets the answer. The key stays in flight, which refuses repetitions.
      this.#context.log("idempotency.not_kept", { error: failure });
    }
    checkpoint("idempotency.kept");
  }

  /**
   * Frees the key, so that the same request may be sent again after the answer. If the database fails, this is tried
   * again after the answer; if that fails too, the key frees itself five minutes after its claim.
   * @param error that ended the request: where D1 didn't answer, the answer isn't kept waiting for it again
   */
  async release(error: unknown): Promise<void> {
    const { db, log, waitUntil } = this.#context;
    const free = () => freeKey(db, this);
    const failed = (failure: unknown) => log("idempotency.not_freed", { error: failure });
    const freeBehind = () => waitUntil(persistently(ATTEMPTS, free).catch(failed));
    if (isUnanswered(error)) freeBehind();
    else await free().catch(freeBehind);
  }

  /** Whether the request led to an operation, which answers for the key. */
  #hasOperation(): boolean {
    const { error, res } = this.#c;
    if (error instanceof ServiceError) return error.details.operationUuid !== undefined;
    return res.headers.has("X-Operation-Uuid");
  }

  /** How the body of an answer that has been made is kept, which is then given from what is kept. */
  async #keepBody(): Promise<KeptBody> {
    const { status, headers, body } = this.#c.res;
    const kept = await keepBody(this.#context, this, body, this.#c.get("hasSecret") ?? false);
    if (kept.text === null) return kept;
    this.#replaceAnswer(new Response(await openBody(this.#context, this, kept.text), { status, headers }));
    return kept;
  }

  /** Without the first assignment hono adds the headers of the answer that is replaced. */
  #replaceAnswer(answer: Response): void {
    this.#c.res = undefined;
    this.#c.res = answer;
  }

  /** SHA-256 over method, path, query and what stands for the body. */
  async #fingerprint(body: Uint8Array): Promise<Uint8Array> {
    const { method, url: address } = this.#c.req;
    const url = new URL(address);
    const head = new TextEncoder().encode(`${method} ${url.pathname}${url.search}\n`);
    const bytes = new Uint8Array(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  }
}

/** Ends a streamed request that was carried out before, once that is certain. */
class SameRequest extends ServiceError {
  constructor() {
    super("idempotency_key_in_flight", "This request was carried out before.");
  }
}

const requireSame = ({ fingerprint }: KeyRow, seen: Uint8Array): void => {
  if (fingerprint !== null && toHex(fingerprint) === toHex(seen)) return;
  // A streamed request whose body was never read to its end can't be compared; it is not taken for the same one.
  throw new ServiceError(
    "idempotency_key_reused",
    "Use a new Idempotency-Key: this one was used for another request.",
  );
};
