import type { Context } from "hono";
import { ServiceError } from "../../domain/errors.ts";
import { MemoryBudget } from "../../domain/memory-budget.ts";
import { CAR_MEMORY } from "../../files/gateway/contents.ts";
import { filesInTransit, shareOf } from "../../files/isolate-memory.ts";
import { addressOf } from "../../http/address-limit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { streamOf } from "../../http/generated-stream.ts";

/** How long a client may take nothing of a CAR. Milliseconds. */
const PATIENCE_MS = 30_000;
/** How long a CAR waits until others are over, and how often it looks. Milliseconds. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
/** CARs that an isolate sends at once, and those of one address. */
const MOST_AT_ONCE = 6;
const MOST_OF_ADDRESS = 3;
/** Seconds after which another CAR is likely to be over. */
const RETRY_AFTER = 5;

/** An isolate's memory for CARs. A share outlives the client that takes nothing, so that its CAR is over first. */
const memory = new MemoryBudget(
  {
    bytes: MOST_AT_ONCE * CAR_MEMORY,
    bytesOfOwner: MOST_OF_ADDRESS * CAR_MEMORY,
    lapsesAfterMs: 2 * PATIENCE_MS,
  },
  filesInTransit,
);

/**
 * The body of a CAR of several blocks, which holds some of them in memory while its client takes it.
 * @throws ServiceError rate_limited where this isolate goes on sending as many as it has memory for
 */
export async function carBody(
  c: Context<AppEnv>,
  pieces: AsyncGenerator<Uint8Array, void, void>,
): Promise<ReadableStream<Uint8Array>> {
  const { now } = c.get("context");
  const patience = { patienceMs: WAIT_MS, everyMs: LOOK_EVERY_MS, now };
  const share = await shareOf(memory, { bytes: CAR_MEMORY, owner: addressOf(c), ...patience });
  if (share === null) {
    throw new ServiceError(
      "rate_limited",
      `Too many CARs are sent at once. Finish others first, or wait ${RETRY_AFTER} seconds.`,
      { retryAfter: RETRY_AFTER },
    );
  }
  return streamOf(pieces, { patienceMs: PATIENCE_MS, ...share });
}
