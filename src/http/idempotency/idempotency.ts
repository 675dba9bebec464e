// http/idempotency/: carries a write out once for its Idempotency-Key.

import type { Context, MiddlewareHandler } from "hono";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { AppEnv } from "../app-env.ts";
import { KeyClaim, REPLAYED } from "./claim.ts";

const MAX_KEY_LENGTH = 255;

/** What the use cases say of a key. */
export interface KeyAnswers {
  /** Answers from the operation that a key leads to. */
  readonly operation: (c: Context<AppEnv>, id: Uuid) => Promise<Response>;
  /** Why an integration's keys may take no more of the database. */
  readonly full: (c: Context<AppEnv>) => Promise<ServiceError>;
}

/**
 * Carries out a write once for its Idempotency-Key, which belongs to the integration. The first request claims the
 * key; the same request again gets the first one's answer, or is told to wait. A write that became an operation is
 * answered from the operation, which was tied to the key at its acceptance: no answer is kept for it here, so a
 * replay tells its current state.
 */
export const idempotency =
  (answers: KeyAnswers): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const key = c.req.header("Idempotency-Key");
    if (key === undefined || c.req.method === "GET" || c.req.method === "HEAD") return next();
    const length = Array.from(key).length;
    if (length < 1 || length > MAX_KEY_LENGTH) throw badKey();
    const claim = new KeyClaim(c, key);
    const standing = await claim.take();
    // Deletions need no claim when the database is full: deleting twice does no harm.
    if (standing === "full" && c.req.method === "DELETE") return next();
    if (standing === "full") throw await answers.full(c);
    if (standing?.operationId) {
      c.header(REPLAYED, "true");
      return answers.operation(c, standing.operationId);
    }
    c.set("caller", { ...c.get("caller"), claim });
    if (standing !== null) return claim.replay(standing, next);
    await next();
    await claim.finish();
  };

const badKey = (): ServiceError => {
  const message = `Send an Idempotency-Key of 1 to ${MAX_KEY_LENGTH} characters.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: ["Idempotency-Key"], message }] });
};
