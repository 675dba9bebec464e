import type { ServiceContext } from "../context.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { bodiesInTransit, shareOf } from "../isolate-memory.ts";
import { within } from "../waiting.ts";
import { type BodyName, endedEarly, nextPiece } from "./body-pieces.ts";

/** Most bytes of a JSON body. */
export const MAX_JSON_BYTES = 1_048_576;

const BODY: BodyName = { code: "invalid_json", name: "body" };

/** What a body of unknown size is read into at first. It doubles. */
const FIRST_BYTES = 65_536;

/** Most bytes of a body that waits for no large one. It has to declare them. */
const SMALL_BYTES = 65_536;

/** Most bytes of a body that needs no key: a claim has 600. */
export const MAX_PUBLIC_BYTES = 4_096;

/** Longest time for a whole body, however steadily it comes; for one that needs no key. Milliseconds. */
const WHOLE_MS = 120_000;
const PUBLIC_WHOLE_MS = 5_000;

/** How long a body waits, unread, until others are in, and how often it looks. Milliseconds. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 20;
/** Seconds after which some of the others are likely to be in. */
const RETRY_AFTER = 5;

/** The message for a body above its limit. */
export const tooLarge = (most: number) =>
  new ServiceError("payload_too_large", `Send a body of at most ${most} bytes.`);

/** Whose bodies the operator's are. */
export const OPERATOR = "operator";

/** Whose body it is, the most bytes that it has as far as its header tells, and what aborts when its client goes. */
interface Incoming {
  readonly owner: string;
  /** It needs no key. */
  readonly isPublic: boolean;
  readonly declared: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a body whole. As long as its client takes to send it, it has a share of the isolate's memory, which others may
 * hold: then it waits, unread. Otherwise it doesn't wait at all.
 * @throws ServiceError rate_limited if there is no memory within 5 s, payload_too_large, invalid_json where it ends
 * early, nothing comes for a minute, or all of it takes longer than two
 */
export const readBody = async (
  { now, waitUntil }: ServiceContext,
  stream: ReadableStream<Uint8Array>,
  { owner, isPublic, declared, signal }: Incoming,
): Promise<Uint8Array<ArrayBuffer>> => {
  const { large, small, operator, public: open } = bodiesInTransit;
  const pool = isPublic ? open : owner === OPERATOR ? operator : declared > SMALL_BYTES ? large : small;
  const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now };
  const share = await shareOf(pool, { bytes: declared, owner, ...patience });
  if (share === null) throw tooMany(pool === large ? "large bodies" : "bodies");
  const reading = readInTime(stream, { isPublic, declared, signal, moved: share.moved }).finally(share.ended);
  // The platform ends a request whose client is gone, unless something is still to be done for it: the share goes back.
  waitUntil(reading.catch(() => undefined));
  return reading;
};

/** Reads a body as long as its client is there, and for its time at most. */
const readInTime = async (
  stream: ReadableStream<Uint8Array>,
  { isPublic, declared, signal, moved }: Omit<Incoming, "owner"> & { readonly moved: () => void },
): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = stream.getReader();
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const leave = () => reject(endedEarly(BODY, signal.reason));
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    const most = isPublic ? MAX_PUBLIC_BYTES : MAX_JSON_BYTES;
    const reading = readAll(reader, { expected: Math.min(declared, FIRST_BYTES), most, moved });
    const wholeMs = isPublic ? PUBLIC_WHOLE_MS : WHOLE_MS;
    const body = await within(wholeMs, Promise.race([reading, gone]));
    if (body === null) throw tooSlow(wholeMs);
    return body;
  } catch (error) {
    // Cancelling a stream that has failed already fails with the same error.
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
};

/** Copies what comes, so that a body that comes byte by byte takes no more memory than its bytes. */
const readAll = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { expected, most, moved }: { readonly expected: number; readonly most: number; readonly moved: () => void },
): Promise<Uint8Array<ArrayBuffer>> => {
  let memory = new Uint8Array(expected);
  let size = 0;
  for (;;) {
    const { value, done } = await nextPiece(reader.read(), BODY);
    if (done) return memory.slice(0, size);
    moved();
    if (size + value.length > most) throw tooLarge(most);
    if (size + value.length > memory.length) {
      const larger = new Uint8Array(Math.max(size + value.length, 2 * memory.length));
      larger.set(memory.subarray(0, size));
      memory = larger;
    }
    memory.set(value, size);
    size += value.length;
  }
};

const tooSlow = (wholeMs: number) =>
  new ServiceError(
    "invalid_json",
    `The body took longer than ${duration(wholeMs / 1_000)}. Send the whole body again, faster.`,
  );

const tooMany = (what: string): ServiceError =>
  new ServiceError(
    "rate_limited",
    `Too many ${what} come in at once. Nothing of this one was read. Wait ${duration(RETRY_AFTER)}, and send fewer at a time.`,
    { retryable: true, retryAfter: RETRY_AFTER },
  );
