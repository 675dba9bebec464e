import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// A chain goes on making blocks; those of files that are through would take the machine from the others.
afterAll(async () => {
  const response = await fetch(env.TEST_CHAIN, { method: "DELETE" });
  await response.body?.cancel();
});
