import type { Context } from "hono";
import { countPublic } from "./address-limit.ts";
import type { AppEnv } from "./app-env.ts";

/** How long a public read may be behind the chain. Seconds. */
export const BRIEF_S = 2;

/** Answers are kept under addresses of a host that nobody can ask. */
const keyOf = (name: string): string => `https://brief.invalid/${encodeURIComponent(name)}`;

/**
 * A public read, kept at this location for two seconds; one that has to be made counts against the client's address.
 * @param name tells reads apart: everything that the answer depends on, the service's own address included
 * @throws ServiceError rate_limited, and what the read throws
 */
export const keptBriefly = async <T>(
  c: Context<AppEnv>,
  name: readonly (string | number)[],
  read: () => Promise<T>,
): Promise<T> => {
  const key = keyOf(JSON.stringify(name));
  const kept = await caches.default.match(key);
  if (kept) return kept.json<T>();
  await countPublic(c, "page");
  const value = await read();
  const headers = { "Content-Type": "application/json", "Cache-Control": `public, max-age=${BRIEF_S}` };
  const keep = caches.default
    .put(key, new Response(JSON.stringify(value), { headers }))
    .catch((error: unknown) => c.get("context").log("brief_cache.not_kept", { error }));
  c.get("context").waitUntil(keep);
  return value;
};
