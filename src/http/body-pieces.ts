import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { within } from "../waiting.ts";

/** Longest time without a piece of a body, while one is waited for. Milliseconds. */
const STALL_MS = 60_000;

/** How an error names a body that its client didn't send whole. */
export interface BodyName {
  readonly code: "invalid_json" | "invalid_multipart";
  readonly name: "body" | "form";
}

/** The client disconnected, or sent less than its Content-Length. This response may not be read. */
export const endedEarly = ({ code, name }: BodyName, cause: unknown): ServiceError =>
  new ServiceError(code, `The body ended early. Send the whole ${name} again.`, { cause });

/** The next piece of a body. @throws ServiceError if it ends early, or nothing comes for a minute */
export const nextPiece = async <T>(reading: Promise<T>, { code, name }: BodyName): Promise<T> => {
  try {
    const piece = await within(STALL_MS, reading);
    if (piece !== null) return piece;
  } catch (cause) {
    throw endedEarly({ code, name }, cause);
  }
  throw new ServiceError(
    code,
    `Nothing of the body came for ${duration(STALL_MS / 1_000)}. Send the whole ${name} again.`,
  );
};
