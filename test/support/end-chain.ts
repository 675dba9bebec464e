import { env } from "cloudflare:workers";
import { afterAll } from "vitest";

// A chain never stops making blocks, so one of a file that has ended would slow the others down. Of
// setup files this is the first: hooks run from the last to the first, and others still ask the chain.
afterAll(async () => {
  const response = await fetch(env.TEST_CHAIN, { method: "DELETE" });
  await response.body?.cancel();
});
