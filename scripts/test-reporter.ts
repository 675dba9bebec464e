/**
 * A vitest reporter for `npm test`: leaves what a run came to in the file that `MINTAGE_TEST_REPORT` names, as a
 * `TestRun`. vitest's own JSON lacks the time that a file's setup takes and the errors that belong to no test.
 */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { Failure } from "./steps.ts";

/** What a run of vitest came to. */
export interface TestRun {
  readonly passed: number;
  /** Tests that failed, files that could not be loaded, and errors that belong to no test. */
  readonly failures: readonly Failure[];
  /** Seconds of a test file with its imports, its setup and its hooks. */
  readonly files: readonly { readonly name: string; readonly seconds: number }[];
}

/** The first line of an error's message, without what a terminal would colour. */
const firstLine = (error: { readonly message?: string } | undefined): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one.
  (error?.message ?? "no message").replace(/\u001b\[[0-9;]*m/g, "").split("\n", 1)[0] ?? "";

const moduleName = (module: TestModule): string =>
  `[${module.project.name}] ${relative(module.project.config.root, module.moduleId)}`;

/** What failed in a file: itself, hooks of its suites, and its tests. */
function* failuresOf(module: TestModule): Generator<Failure> {
  for (const error of module.errors()) yield { name: moduleName(module), error: firstLine(error) };
  for (const suite of module.children.allSuites()) {
    for (const error of suite.errors())
      yield { name: `${moduleName(module)} > ${suite.fullName}`, error: firstLine(error) };
  }
  for (const test of module.children.allTests("failed"))
    yield { name: `${moduleName(module)} > ${test.fullName}`, error: firstLine(test.result().errors?.[0]) };
}

const secondsOf = (module: TestModule): number => {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000;
};

export default class TestReporter implements Reporter {
  onTestRunEnd(...[modules, errors]: Parameters<NonNullable<Reporter["onTestRunEnd"]>>): void {
    const file = process.env.MINTAGE_TEST_REPORT;
    if (file === undefined) throw new Error("MINTAGE_TEST_REPORT has to name the file to write");
    const run: TestRun = {
      passed: modules.reduce((sum, module) => sum + [...module.children.allTests("passed")].length, 0),
      failures: [
        ...modules.flatMap((module) => [...failuresOf(module)]),
        ...errors.map((error) => ({ name: "an error outside of the tests", error: firstLine(error) })),
      ],
      files: modules.map((module) => ({ name: moduleName(module), seconds: secondsOf(module) })),
    };
    writeFileSync(file, JSON.stringify(run));
  }
}
