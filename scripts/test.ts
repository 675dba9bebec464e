/**
 * `npm test`: types, lint, and the test projects that take minutes altogether. `npm test -- --slow` runs the others, as
 * `.ci/run` does. Other arguments go to vitest, and choose among all projects. It ends with the slowest files, then with
 * what failed, so that the end of a log is enough. With MINTAGE_RESULTS the same is left in that file as a `Results`,
 * a static step counting as one test.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, runStaticSteps, runStep, STATIC_STEPS } from "./steps.ts";
import type { TestRun } from "./test-reporter.ts";

/** What `.ci/run` reads. */
interface Results {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

const SLOWEST = 10;

/** Projects that are slow by nature, and what makes them so. */
const SLOW = {
  "api-slow":
    "the service after losses (test/losses), with faulty nodes (test/nodes), and with much or large (test/scale)",
  chain: "the embedded chain and the contract over JSON-RPC",
  faults: "a fault run: operations through failing nodes, lost answers and kills",
  pages: "the pages in Chromium",
  start: "npm start, dev, deploy and the commands on top, each with a service of its own",
};

/** Runs vitest. A run that crashed before it wrote its report is one failure, not none. */
function runTests(args: readonly string[]): TestRun {
  const scratch = mkdtempSync(join(tmpdir(), "mintage-test-"));
  const report = join(scratch, "report.json");
  try {
    const succeeded = runStep({
      name: "tests",
      command: ["vitest", "run", "--reporter=default", "--reporter=./scripts/test-reporter.ts", ...args],
      env: { MINTAGE_TEST_REPORT: report },
    });
    const crash = (error: string): Failure => ({ name: "vitest", error });
    if (!existsSync(report)) return { passed: 0, failures: [crash("ended without a report")], files: [] };
    const run = JSON.parse(readFileSync(report, "utf8")) as TestRun;
    if (succeeded || run.failures.length > 0) return run;
    return { ...run, failures: [crash("failed, though no test did")] };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** What vitest is asked to run. */
function choice(args: readonly string[], slow: boolean): string[] {
  if (!slow && args.length > 0) return [...args];
  return Object.keys(SLOW).flatMap((name) => ["--project", slow ? name : `!${name}`]);
}

const args = process.argv.slice(2);
const slow = args.length === 1 && args[0] === "--slow";
const failedSteps = slow ? [] : await runStaticSteps();
const run = runTests(choice(args, slow));
const results: Results = {
  passed: run.passed + (slow ? 0 : STATIC_STEPS - failedSteps.length),
  failures: [...failedSteps, ...run.failures],
};
if (process.env.MINTAGE_RESULTS) writeFileSync(process.env.MINTAGE_RESULTS, JSON.stringify(results));

const slowest = [...run.files].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
const lines = [
  "",
  "The slowest files, in seconds:",
  ...slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${name}`),
  ...(args.length === 0
    ? [
        "",
        "Left to .ci/run, by npm test -- --slow:",
        ...Object.entries(SLOW).map(([name, what]) => `  ${name}: ${what}`),
        "and by commands of their own: mutants, Schemathesis, and the contract's tests in Rust",
      ]
    : []),
  "",
  ...results.failures.map(({ name, error }) => `FAILED ${name}\n       ${error}`),
  `${results.passed} passed, ${results.failures.length} failed`,
];
process.stdout.write(`${lines.join("\n")}\n`);
process.exit(results.failures.length === 0 ? 0 : 1);
