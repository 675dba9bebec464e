import { type Uuid, uuidToBytes } from "../../domain/ids.ts";

/** Timing of resuming and removing operations. */

const FIRST_RESUME_MS = 3_000;
const LONGEST_RESUME_MS = 5 * 60_000;

/**
 * Pause before an operation with ended rows and no acknowledgement is resumed. The first pause leaves time for a
 * running drive to finish it. Milliseconds.
 */
export const resumePause = (tries: number): number =>
  Math.min(FIRST_RESUME_MS * 2 ** Math.min(tries, 10), LONGEST_RESUME_MS);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GIB = 2 ** 30;

/** Whether an object keeps less than usual: it holds at most 10 GB, and open rows need the space more. */
export const isLarge = (bytes: number): boolean => bytes >= 4 * GIB;

/**
 * How long rows of ended operations stay, by the object's size. Bytes, milliseconds.
 */
export const keptMs = (bytes: number, days: number): number => (isLarge(bytes) ? HOUR_MS : days * DAY_MS);

/** When an operation began: the first 48 bits of a UUIDv7 are Unix milliseconds (RFC 9562). */
const beganAt = (operation: Uuid): number =>
  uuidToBytes(operation)
    .subarray(0, 6)
    .reduce((time, byte) => time * 256 + byte, 0);

/**
 * Whether an operation began before the object was restored: its rows may be lost with the previous object, so signing
 * it could execute it twice.
 */
export const predates = (operationUuid: Uuid, restoredAt: number | null): boolean =>
  restoredAt !== null && beganAt(operationUuid) <= restoredAt;
