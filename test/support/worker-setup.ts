import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { recordStatements } from "./statements.ts";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

const scansOfGrowing = recordStatements();

// Objects continue after the last test. The test runner waits for each of their log lines, but forwards lines of
// other objects only together with one of its own. A line that comes last would make it wait forever.
afterAll(() => {
  for (const level of ["debug", "log", "info", "warn", "error"] as const) console[level] = () => undefined;
});

afterAll(async () => {
  expect(await scansOfGrowing()).toEqual([]);
});

// A chain never stops making blocks, so one of a file that has ended would slow the others down.
afterAll(async () => {
  const response = await fetch(env.TEST_CHAIN, { method: "DELETE" });
  await response.body?.cancel();
});
