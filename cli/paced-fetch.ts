type Fetch = typeof globalThis.fetch;

/** Seconds until there are requests again, where the field says that none is left (draft-ietf-httpapi-ratelimit-headers). */
export function pauseOf(rateLimit: string | null): number {
  const remaining = /;\s*r=(\d+)/.exec(rateLimit ?? "")?.[1];
  const seconds = /;\s*t=(\d+)/.exec(rateLimit ?? "")?.[1];
  return remaining === "0" && seconds !== undefined ? Number(seconds) : 0;
}

/** A fetch that sends nothing while the service's RateLimit field says that no request is left, so that none is refused. */
export function pacedFetch(fetch: Fetch = globalThis.fetch): Fetch {
  let freeAt = 0;
  return async (...request) => {
    for (let wait = freeAt - Date.now(); wait > 0; wait = freeAt - Date.now()) {
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    const response = await fetch(...request);
    freeAt = Math.max(freeAt, Date.now() + 1000 * pauseOf(response.headers.get("ratelimit")));
    return response;
  };
}
