/** A copy of the project in which mutants are tried, so that the checkout itself is never changed. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/imports.ts";
import { copyProject } from "../support/npm-start.ts";
import { isContract, isOfPages, type Mutant, mutated, projectOf } from "./mutant.ts";

/** What the tests of a mutant said. */
export interface Verdict {
  /** Tests that ran and failed; a run that ended before any test is `null`. */
  readonly failed: number | null;
  readonly passed: number;
  /** Names of tests that failed, where the runner tells them. */
  readonly noticedBy: readonly string[];
  /** The end of the output, for a run that counted nothing. */
  readonly output: string;
}

interface VitestReport {
  readonly testResults: readonly {
    /** The file's path. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** A pattern for exactly this text. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** What a run says of a mutant's own tests. A file that could not be loaded has none. */
function verdictOf({ tests, named = "" }: Mutant, report: VitestReport | null, output: string): Verdict {
  const own = (report?.testResults ?? [])
    .filter(({ name }) => tests.some((test) => name.endsWith(`/${test}`)))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => fullName.includes(named));
  const passed = own.filter(({ status }) => status === "passed").length;
  const noticedBy = own.flatMap(({ fullName, status }) => (status === "failed" ? [fullName] : []));
  return { failed: passed + noticedBy.length > 0 ? noticedBy.length : null, passed, noticedBy, output };
}

/** What the scripts of browser/ are bundled into. */
const BUNDLES = "src/collections/pages/scripts.ts";

export class Workplace {
  readonly #root: string;

  constructor() {
    this.#root = copyProject("mintage-mutants-");
  }

  /**
   * Runs the tests of several mutants on the code as it is: those of vitest all at once, which costs little more than
   * those of one.
   */
  baselines(mutants: readonly Mutant[]): Map<Mutant, Verdict> {
    const own = mutants.filter((mutant) => !isContract(mutant));
    // A name chooses among all files' tests, so files that are run whole have a run of their own.
    const runs = [
      own.filter(({ named }) => named === undefined),
      own.filter(({ named }) => named !== undefined),
    ];
    const told = runs.filter((run) => run.length > 0).map((run) => this.#report(run));
    const verdicts = own.map((mutant) => {
      const parts = told.filter(({ of }) => of.includes(mutant));
      return [mutant, verdictOf(mutant, parts[0]!.report, parts[0]!.output)] as const;
    });
    const harness = new Map<string, Verdict>();
    const contracts = mutants.filter(isContract).map((mutant) => {
      const key = JSON.stringify([mutant.tests, mutant.named]);
      const verdict = harness.get(key) ?? this.#cargo(mutant);
      harness.set(key, verdict);
      return [mutant, verdict] as const;
    });
    return new Map([...verdicts, ...contracts]);
  }

  /** Runs the tests on the code with the defect, then takes the defect out. */
  try(mutant: Mutant): Verdict {
    const files = [mutant.file, ...(isOfPages(mutant) ? [BUNDLES] : [])].map((file) =>
      join(this.#root, file),
    );
    const texts = files.map((file) => readFileSync(file, "utf8"));
    writeFileSync(files[0]!, mutated(mutant, texts[0]!));
    try {
      return this.#run(mutant);
    } finally {
      for (const [index, file] of files.entries()) writeFileSync(file, texts[index]!);
    }
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #run(mutant: Mutant): Verdict {
    if (isContract(mutant)) return this.#cargo(mutant);
    if (isOfPages(mutant)) {
      const built = this.#spawn("node", ["scripts/pages-build.ts"]);
      if (built.status !== 0) return { failed: null, passed: 0, noticedBy: [], output: built.output };
    }
    const { report, output } = this.#report([mutant], ["--bail=1"]);
    return verdictOf(mutant, report, output);
  }

  /** Runs the tests of mutants that all name some of them, or all name none. */
  #report(of: readonly Mutant[], options: readonly string[] = []) {
    const file = join(this.#root, "mutant-report.json");
    rmSync(file, { force: true });
    const tests = [...new Set(of.flatMap((mutant) => mutant.tests))];
    const names = [...new Set(of.flatMap(({ named }) => (named === undefined ? [] : [named])))];
    const projects = [...new Set(tests.map(projectOf))].flatMap((name) => ["--project", name]);
    const only = names.length === 0 ? [] : [`--testNamePattern=${names.map(literally).join("|")}`];
    const output = ["--reporter=json", `--outputFile.json=${file}`, ...options];
    const said = this.#spawn("vitest", ["run", ...projects, ...tests, ...only, ...output]);
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as VitestReport) : null;
    return { of, report, output: said.output };
  }

  #cargo({ tests, named }: Mutant): Verdict {
    const built = this.#spawn("node", ["scripts/contract-build.mjs"]);
    if (built.status !== 0) return { failed: null, passed: 0, noticedBy: [], output: built.output };
    const targets = tests.flatMap((name) => ["--test", name]);
    const { output } = this.#spawn(
      "cargo",
      ["test", "--locked", "--package", "harness", ...targets, named ?? ""],
      {
        cwd: join(this.#root, "contract"),
      },
    );
    const results = [...output.matchAll(/^test result: .* (\d+) passed; (\d+) failed;/gm)];
    const sum = (group: number) => results.reduce((total, match) => total + Number(match[group]), 0);
    const noticedBy = [...output.matchAll(/^test (.+) \.\.\. FAILED$/gm)].map((match) => match[1]!);
    return { failed: results.length > 0 ? sum(2) : null, passed: sum(1), noticedBy, output };
  }

  #spawn(command: string, args: readonly string[], { cwd = this.#root } = {}) {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      // One target folder for all of the contract's mutants, and the checkout's own where it has been built already.
      env: { ...process.env, CARGO_TARGET_DIR: join(ROOT, "contract", "target", "mutants") },
    });
    return { status, output: `${stdout}\n${stderr}`.slice(-4_000) };
  }
}
