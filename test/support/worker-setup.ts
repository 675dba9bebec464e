import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// Objects go on after the last test. The test runner waits for every line of theirs that it was handed, but sends on
// those of other objects only together with something of its own: a line that comes last would keep it waiting for good.
afterAll(() => {
  for (const level of ["debug", "log", "info", "warn", "error"] as const) console[level] = () => undefined;
});

// A chain goes on making blocks: one of a file that has ended would slow the others down.
afterAll(async () => {
  const response = await fetch(env.TEST_CHAIN, { method: "DELETE" });
  await response.body?.cancel();
});
