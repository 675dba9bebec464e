import { abortAllDurableObjects, applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, vi } from "vitest";
import { setFaults } from "./chain-control.ts";
import { recordStatements } from "./statements.ts";

const SPEAKING = Symbol.for("methods of the console");

/** The console, with its own methods kept where the worker's next file finds them. */
const kept = console as Console & { [SPEAKING]?: Partial<Console> };
kept[SPEAKING] ??= { ...console };
Object.assign(console, kept[SPEAKING]);
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

const scansOfGrowing = recordStatements();

// Hooks run from the last to the first.
// The next file of a shared worker finds this one's rows, objects and chain, but no memory: the objects end, and modules are
// evaluated again.
afterAll(async () => {
  await setFaults();
  await abortAllDurableObjects();
  vi.resetModules();
});

// Objects continue after the last test. The test runner waits for each of their log lines, but forwards lines of
// other objects only together with one of its own. A line that comes last would make it wait forever.
afterAll(() => {
  for (const level of ["debug", "log", "info", "warn", "error"] as const) console[level] = () => undefined;
});

afterAll(async () => {
  expect(await scansOfGrowing()).toEqual([]);
});
