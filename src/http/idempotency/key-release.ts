import type { ServiceContext } from "../../context.ts";
import { freeKey, type OwnedKey } from "../../db/queries/idempotency.ts";

/** How often a call of the database is made for a key, and the pause before the second time, which doubles. */
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
 * Frees a key, so that the same request may be sent again as soon as it is answered. Where the database fails that is
 * tried again behind the answer, which doesn't depend on it; and failing that, the key frees itself five minutes after
 * it was claimed.
 */
export const release = async ({ db, log, waitUntil }: ServiceContext, claim: OwnedKey): Promise<void> => {
  const free = () => freeKey(db, claim);
  const failed = (error: unknown) => log("idempotency.not_freed", { error });
  await free().catch(() => waitUntil(persistently(free).catch(failed)));
};
