import type { Context, MiddlewareHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { keepStream, openText } from "../../db/large-texts.ts";
import {
  claimKey,
  findKey,
  type KeyRow,
  keepAnswer,
  type OwnedKey,
  setFingerprint,
} from "../../db/queries/idempotency.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { keyInFlight, ServiceError } from "../../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../../domain/ids.ts";
import { noRoom } from "../../integrations/quota.ts";
import type { AppEnv } from "../app-env.ts";
import { persistently, release } from "./key-release.ts";

/** How long answers are kept, and after how long a key without one frees itself. Milliseconds. */
const KEPT_MS = 25 * 60 * 60_000;
const FREES_AFTER_MS = 5 * 60_000;

const MAX_KEY_LENGTH = 255;

/**
 * Answers that are not kept: the request had no effect and may succeed later, for instance once it can be paid (402).
 */
const FREEING = [400, 401, 402, 403, 413, 415, 429, 503];

/** Headers that belong to an answer wherever it is given. */
const KEPT_HEADERS = ["Content-Type", "Location"];

const REPLAYED = "Idempotency-Replayed";

/** Bodies that are read as they stream in: what their fingerprint covers is known at their end. */
const STREAMED = /\/asset-bulk$/;

/** Answers from the operation that a key leads to. */
export type ReplayOperation = (c: Context<AppEnv>, id: Uuid) => Promise<Response>;

/**
 * Carries out a write once for its Idempotency-Key, which belongs to the integration. The first request claims the
 * key; the same request again gets the first one's answer, or is told to wait. A write that became an operation is
 * answered from the operation, which was tied to the key at its acceptance: no answer is kept for it here, so a
 * replay tells its current state.
 */
export const idempotency =
  (replayOperation: ReplayOperation): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const key = c.req.header("Idempotency-Key");
    if (key === undefined || c.req.method === "GET" || c.req.method === "HEAD") return next();
    const length = Array.from(key).length;
    if (length < 1 || length > MAX_KEY_LENGTH) throw badKey();
    const caller = c.get("caller");
    const owner = crypto.getRandomValues(new Uint8Array(16));
    const claim = new KeyClaim(c, { integrationId: caller.integrationId, key, owner });
    const standing = await claim.take();
    // Deletions need no claim when the database is full: deleting twice does no harm.
    if (standing === "full" && c.req.method === "DELETE") return next();
    if (standing === "full") throw await noRoom(c.get("context"), caller.integrationId);
    if (standing?.operation) {
      c.header(REPLAYED, "true");
      return replayOperation(c, standing.operation.id);
    }
    if (standing !== null) return claim.replay(standing, next);
    c.set("caller", { ...caller, claim: { key, owner } });
    await next();
    await claim.settle();
  };

/** A request's claim on its key. */
class KeyClaim {
  readonly #c: Context<AppEnv>;
  readonly #claim: OwnedKey;
  readonly #streamed: boolean;
  #fingerprint: Uint8Array | null = null;

  constructor(c: Context<AppEnv>, claim: OwnedKey) {
    this.#c = c;
    this.#claim = claim;
    this.#streamed = STREAMED.test(c.req.path);
  }

  /**
   * Claims the key. Null if it is this request's now, else what it stands for; `full` where the integration may
   * take no more of the database.
   * @throws ServiceError reused
   */
  async take(): Promise<KeyRow | "full" | null> {
    const { db } = this.#c.get("context");
    if (!this.#streamed) {
      this.#fingerprint = await fingerprint(this.#c, new Uint8Array(await this.#c.req.arrayBuffer()));
    }
    for (;;) {
      const claimed = await this.#tryToClaim();
      checkpoint("idempotency.claimed");
      if (claimed === "full") return "full";
      if (claimed === "taken") {
        if (this.#streamed) this.#c.set("bodyRead", (digest) => this.#note(digest));
        return null;
      }
      const row = await findKey(db, this.#claim.integrationId, this.#claim.key);
      if (!row) continue;
      if (this.#fingerprint) requireSame(row, this.#fingerprint);
      return row;
    }
  }

  /** A claim whose answer is lost may stand: it is repeated, and given back where the database goes on failing. */
  async #tryToClaim(): Promise<Awaited<ReturnType<typeof claimKey>>> {
    const { db, now } = this.#c.get("context");
    const time = now().getTime();
    const claim = {
      ...this.#claim,
      fingerprint: this.#fingerprint,
      now: new Date(time),
      expiresAt: new Date(time + KEPT_MS),
      freesBefore: new Date(time - FREES_AFTER_MS),
      freeing: FREEING,
    };
    try {
      return await persistently(() => claimKey(db, claim));
    } catch (error) {
      await release(this.#c.get("context"), this.#claim);
      throw error;
    }
  }

  async #note(digest: Uint8Array): Promise<void> {
    const { db } = this.#c.get("context");
    const isHeld = await setFingerprint(db, this.#claim, await fingerprint(this.#c, digest));
    if (!isHeld) throw keyInFlight();
  }

  /** Answers with what was kept for the key. @throws ServiceError in flight, reused */
  async replay(row: KeyRow, next: () => Promise<void>): Promise<Response | undefined> {
    if (row.key.status === null) throw keyInFlight();
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

  async #answer({ key }: KeyRow): Promise<Response> {
    this.#c.header(REPLAYED, "true");
    const text = key.body === null ? null : await openText(this.#c.env.BUCKET, key.body);
    for (const [name, value] of Object.entries(key.headers ?? {})) this.#c.header(name, value);
    return this.#c.newResponse(text as ReadableStream | string | null, (key.status ?? 200) as StatusCode);
  }

  /** Keeps the request's answer, or frees the key where the request had no effect. */
  async settle(): Promise<void> {
    const context = this.#c.get("context");
    const { status } = this.#c.res;
    checkpoint("idempotency.before_keep");
    if (this.#c.get("answerKept")) return;
    // A fault before anything was accepted leaves the key free; a claim that led to an operation can't be freed.
    if (FREEING.includes(status) || status === 500 || this.#isInFlight()) {
      return release(context, this.#claim);
    }
    if (this.#hasOperation()) return;
    try {
      const body = await this.#keepBody();
      const headers = Object.fromEntries(
        KEPT_HEADERS.flatMap((name) => {
          const value = this.#c.res.headers.get(name);
          return value === null ? [] : [[name, value] as const];
        }),
      );
      await context.db.batch(keepAnswer(context.db, this.#claim, { status, headers, body }));
    } catch (error) {
      // The effect is written, so the caller gets the answer. The key stays in flight, which refuses repetitions.
      context.log("idempotency.not_kept", { error });
    }
    checkpoint("idempotency.kept");
  }

  /** Whether another request has taken the key over; what it stands for now isn't this request's to write. */
  #isInFlight(): boolean {
    const { error } = this.#c;
    return error instanceof ServiceError && error.code === "idempotency_key_in_flight";
  }

  /** Whether the request led to an operation, which answers for the key. */
  #hasOperation(): boolean {
    const { error, res } = this.#c;
    if (error instanceof ServiceError) return error.details.operationUuid !== undefined;
    return res.headers.has("X-Operation-Uuid");
  }

  /** Has the body kept, and the answer go on with what was kept. */
  async #keepBody(): Promise<string | null> {
    const { res, env } = this.#c;
    if (res.body === null) return null;
    const name = `${this.#claim.integrationId}/${newUuid()}`;
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

const badKey = (): ServiceError => {
  const message = `Send an Idempotency-Key of 1 to ${MAX_KEY_LENGTH} characters.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: ["Idempotency-Key"], message }] });
};
