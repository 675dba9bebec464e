import type { CallContext } from "../context.ts";
import { hostError } from "../errors.ts";

/** The promise behind an index. @throws InvalidPromiseIndex */
export function promiseAt(ctx: CallContext, index: number): number | number[] {
  const promise = ctx.promises[index];
  if (promise === undefined)
    throw hostError("InvalidPromiseIndex", `${index} does not correspond to existing promises`, {
      promise_idx: index,
    });
  return promise;
}
