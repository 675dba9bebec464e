/**
 * A vitest reporter for `npm test`: writes a run's results to the file that `MINTAGE_TEST_REPORT` names, as a
 * `TestRun`. vitest's own JSON lacks the time that a file's setup takes and the errors that belong to no test.
 */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { Failure } from "./steps.ts";

/** The results of a run of vitest. */
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

/** Longer than any test may take, the fault run among them: a run that reports nothing for so long has hung. Milliseconds. */
const STANDSTILL = 31 * 60_000;

export default class TestReporter implements Reporter {
  /** Files that have begun, in the order in which they did. */
  readonly #begun: TestModule[] = [];
  readonly #underWay = new Set<TestModule>();
  #standstill: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#heard();
  }

  onTestModuleStart(module: TestModule): void {
    this.#begun.push(module);
    this.#underWay.add(module);
    this.#heard();
  }

  onTestCaseResult(): void {
    this.#heard();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#underWay.delete(module);
    this.#heard();
  }

  onTestRunEnd(...[modules, errors]: Parameters<NonNullable<Reporter["onTestRunEnd"]>>): void {
    clearTimeout(this.#standstill);
    const outside = errors.map((error) => ({
      name: "an error outside of the tests",
      error: firstLine(error),
    }));
    this.#write(modules, outside);
  }

  #heard(): void {
    clearTimeout(this.#standstill);
    this.#standstill = setTimeout(() => this.#giveUp(), STANDSTILL);
  }

  /** Ends a run that hangs, so that it reports what it has. */
  #giveUp(): void {
    const names = [...this.#underWay].map(moduleName);
    const where = names.length > 0 ? `in ${names.join(", ")}` : "after the last file that began";
    const error = `nothing was heard for ${STANDSTILL / 60_000} minutes, ${where}`;
    this.#write(this.#begun, [{ name: "the test run", error }]);
    process.exit(1);
  }

  #write(modules: readonly TestModule[], others: readonly Failure[]): void {
    const file = process.env.MINTAGE_TEST_REPORT;
    if (file === undefined) throw new Error("MINTAGE_TEST_REPORT has to name the file to write");
    const run: TestRun = {
      passed: modules.reduce((sum, module) => sum + [...module.children.allTests("passed")].length, 0),
      failures: [...modules.flatMap((module) => [...failuresOf(module)]), ...others],
      files: modules.map((module) => ({ name: moduleName(module), seconds: secondsOf(module) })),
    };
    writeFileSync(file, JSON.stringify(run));
  }
}
