import type { ServiceContext } from "../context.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { bodiesInTransit, shareOf } from "../isolate-memory.ts";
import { nextPiece } from "./body-pieces.ts";

/** Most bytes of a JSON body. */
export const MAX_JSON_BYTES = 1_048_576;

/** What a body of unknown size is read into at first. It doubles. */
const FIRST_BYTES = 65_536;

/** How long a body waits, unread, until others are in, and how often it looks. Milliseconds. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 20;
/** Seconds after which some of the others are likely to be in. */
const RETRY_AFTER = 5;

/** The message for a body above its limit. */
export const tooLarge = () =>
  new ServiceError("payload_too_large", `Send a body of at most ${MAX_JSON_BYTES} bytes.`);

/** Whose body it is, and the most bytes that it has as far as its header tells. */
interface Declared {
  readonly owner: string;
  readonly declared: number;
}

/**
 * Reads a body whole. As long as its client takes to send it, it has a share of the isolate's memory, which others may
 * hold: then it waits, unread. Otherwise it doesn't wait at all.
 * @throws ServiceError rate_limited if there is no memory within 5 s, payload_too_large, invalid_json where it ends early
 * or nothing comes for a minute
 */
export const readBody = async (
  { now }: ServiceContext,
  stream: ReadableStream<Uint8Array>,
  { owner, declared }: Declared,
): Promise<Uint8Array<ArrayBuffer>> => {
  const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now };
  const share = await shareOf(bodiesInTransit, { bytes: declared, owner, ...patience });
  if (share === null) throw tooMany();
  const reader = stream.getReader();
  try {
    return await readAll(reader, Math.min(declared, FIRST_BYTES), share.moved);
  } catch (error) {
    // Cancelling a stream that has failed already fails with the same error.
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    share.ended();
  }
};

/** Copies what comes, so that a body that comes byte by byte takes no more memory than its bytes. */
const readAll = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  expected: number,
  moved: () => void,
): Promise<Uint8Array<ArrayBuffer>> => {
  let memory = new Uint8Array(expected);
  let size = 0;
  for (;;) {
    const { value, done } = await nextPiece(reader.read(), { code: "invalid_json", name: "body" });
    if (done) return memory.slice(0, size);
    moved();
    if (size + value.length > MAX_JSON_BYTES) throw tooLarge();
    if (size + value.length > memory.length) {
      const larger = new Uint8Array(Math.max(size + value.length, 2 * memory.length));
      larger.set(memory.subarray(0, size));
      memory = larger;
    }
    memory.set(value, size);
    size += value.length;
  }
};

const tooMany = (): ServiceError =>
  new ServiceError(
    "rate_limited",
    `Too many large bodies come in at once. Nothing of this one was read. Wait ${duration(RETRY_AFTER)}, and send fewer at a time.`,
    { retryable: true, retryAfter: RETRY_AFTER },
  );
