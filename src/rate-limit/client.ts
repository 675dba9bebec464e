// rate-limit/: the Durable Object that counts a key's requests.

import type { Bindings } from "../env.ts";
import type { Counter } from "./interface.ts";

/** The counter of a key, or of what else has a name that is counted. An exception spoils a stub, so that each call takes a new one. */
export const counterOf = (env: Bindings, key: string): Counter => {
  const stub = () => env.REQUEST_COUNTER.getByName(key) as unknown as Counter;
  return { take: (ask) => stub().take(ask), end: (ended) => stub().end(ended) };
};
