import type { ServiceContext } from "../context.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { MemoryBudget } from "../domain/memory-budget.ts";
import { filesInTransit, type MemoryShare, shareOf } from "../isolate-memory.ts";

/** The most that a form needs: the window, six buffers, and what is kept of 20,000 files (docs/measurements.md). */
const HELD = 16 * 1_048_576;

/** Forms that an isolate takes in at once, and those of one integration. */
const MOST_AT_ONCE = 5;
const MOST_OF_INTEGRATION = 3;

/** Forms are renewed with every piece; what takes longest without one is the batch of D1. Milliseconds. */
const LAPSES_AFTER_MS = 180_000;

const memory = new MemoryBudget(
  { bytes: MOST_AT_ONCE * HELD, bytesOfOwner: MOST_OF_INTEGRATION * HELD, lapsesAfterMs: LAPSES_AFTER_MS },
  filesInTransit,
);

/** How long a form waits, unread, until others are in, and how often it looks. Milliseconds. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** Seconds after which some of the others are likely to be in. */
const RETRY_AFTER = 5;

/**
 * Memory for one form, from before its first byte is read to the last one of its answer.
 * @throws ServiceError rate_limited if there is none within 20 s
 */
export async function formMemory({ now }: ServiceContext, integrationId: Uuid): Promise<MemoryShare> {
  const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now };
  const share = await shareOf(memory, { bytes: HELD, owner: integrationId, ...patience });
  if (share === null) throw tooMany();
  return share;
}

const tooMany = (): ServiceError =>
  new ServiceError(
    "rate_limited",
    `Too many forms with files come in at once. Nothing was stored. Wait ${duration(RETRY_AFTER)}, and send at most ${MOST_OF_INTEGRATION} at a time.`,
    { retryable: true, retryAfter: RETRY_AFTER },
  );
