// rate-limit/: the Durable Object that counts a key's requests.

import type { Uuid } from "../domain/ids.ts";
import type { Bindings } from "../env.ts";
import type { Counter } from "./interface.ts";

/** The counter of a key. An exception spoils a stub, so that each call takes a new one. */
export const counterOf = (env: Bindings, key: Uuid): Counter => {
  const stub = () => env.REQUEST_COUNTER.getByName(key) as unknown as Counter;
  return { take: (ask) => stub().take(ask), end: (ended) => stub().end(ended) };
};
