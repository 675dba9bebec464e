import { errorFrom, MintageError } from "./errors.ts";
import type { Operation } from "./schema.ts";
import { pause, type Transport } from "./transport.ts";

/** How long an operation is waited for. */
export interface WaitOptions {
  /** Longest wait, milliseconds; default: ten minutes. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** The operation continues without its caller, who can wait for it again by its uuid. */
export class OperationPendingError extends MintageError {
  override readonly name = "OperationPendingError";
  readonly operation: Operation;

  constructor(operation: Operation) {
    super(
      `Operation ${operation.operation_uuid} is still ${operation.state}. Wait for it again; don't send the request as a new one.`,
    );
    this.operation = operation;
  }
}

const DEFAULT_WAIT = 600_000;
/** About a block, then up to a few seconds. Milliseconds. */
const FIRST_PAUSE = 700;
const LONGEST_PAUSE = 5_000;

/**
 * Waits until an operation is over.
 * @param path of the operation, as Location gave it
 * @returns the body that the call itself would have answered with
 * @throws the error that the call itself would have thrown, or OperationPendingError when the time is up
 */
export async function awaitOperation<Answer>(
  transport: Transport,
  path: string,
  { waitMs = DEFAULT_WAIT, signal }: WaitOptions = {},
): Promise<Answer> {
  const deadline = Date.now() + waitMs;
  for (let delay = FIRST_PAUSE; ; delay = Math.min(delay * 1.5, LONGEST_PAUSE)) {
    const operation = await transport.json<Operation>({ method: "GET", path: pathOf(path), signal });
    if (operation.state !== "pending") return answerOf<Answer>(operation);
    if (Date.now() + delay > deadline) throw new OperationPendingError(operation);
    await pause(delay, signal);
  }
}

function answerOf<Answer>({ state, answer, operation_uuid }: Operation): Answer {
  if (state === "succeeded") return answer?.body as Answer;
  const body = typeof answer?.body === "object" ? answer.body : {};
  throw errorFrom(answer?.status ?? 502, JSON.stringify({ operation_uuid, ...body }));
}

/** Location may be a whole address or a path. */
function pathOf(location: string): string {
  const url = new URL(location, "http://relative.invalid");
  return url.pathname + url.search;
}
