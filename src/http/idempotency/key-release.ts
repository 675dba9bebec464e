import type { ServiceContext } from "../../context.ts";
import { freeKey, type OwnedKey } from "../../db/queries/idempotency.ts";

/** Tries of a database call for a key, and the pause before the second, which doubles. */
const TRIES = 4;
const FIRST_PAUSE_MS = 50;

/** Makes a call that may be made again until it succeeds, a few times. @throws what the last one threw */
export const persistently = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === TRIES) throw error;
      await new Promise<void>((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
    }
  }
};

/**
 * Frees a key, so that the same request may be sent again after the answer. If the database fails, this is tried
 * again after the answer; if that fails too, the key frees itself five minutes after its claim.
 */
export const release = async ({ db, log, waitUntil }: ServiceContext, claim: OwnedKey): Promise<void> => {
  const free = () => freeKey(db, claim);
  const failed = (error: unknown) => log("idempotency.not_freed", { error });
  await free().catch(() => waitUntil(persistently(free).catch(failed)));
};
