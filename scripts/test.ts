/**
 * `npm test`: types, lint, and every test project. Arguments go to vitest. With MINTAGE_RESULTS the counts are left in
 * that file, `{passed, failed}`, a static step counting as one test.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runStep, STATIC_STEPS } from "./steps.ts";

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
}

/** What vitest counted. A run that crashed before it wrote its report is one failure, not none. */
function vitestCounts(file: string, succeeded: boolean): { passed: number; failed: number } {
  try {
    const report = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
    // A file that fails to load has no tests of its own to fail, and an unhandled error belongs to none.
    const failed = report.numFailedTests || (succeeded ? 0 : Math.max(1, report.numFailedTestSuites));
    return { passed: report.numPassedTests, failed };
  } catch (error) {
    process.stdout.write(`vitest left no report: ${error}\n`);
    return { passed: 0, failed: 1 };
  }
}

const scratch = mkdtempSync(join(tmpdir(), "mintage-test-"));
const report = join(scratch, "vitest.json");
const staticResults = STATIC_STEPS.map((step) => ({ name: step.name, passed: runStep(step) }));
const testsPassed = runStep({
  name: "tests",
  command: [
    "vitest",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
});
const counts = vitestCounts(report, testsPassed);
rmSync(scratch, { recursive: true });

const failedSteps = staticResults.filter((step) => !step.passed);
const passed = counts.passed + staticResults.length - failedSteps.length;
const failed = counts.failed + failedSteps.length;
if (process.env.MINTAGE_RESULTS)
  writeFileSync(process.env.MINTAGE_RESULTS, JSON.stringify({ passed, failed }));
process.stdout.write(`\n${counts.passed} tests passed, ${counts.failed} failed`);
process.stdout.write(
  failedSteps.length > 0 ? `; ${failedSteps.map((step) => step.name).join(", ")} failed\n` : "\n",
);
process.exit(failed === 0 && testsPassed ? 0 : 1);
