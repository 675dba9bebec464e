/** A copy of the project in which mutants are tried, so that the checkout itself is never changed. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../support/imports.ts";
import { isContract, type Mutant, mutated, projectOf } from "./mutant.ts";

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
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export class Workplace {
  readonly #root: string;

  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), "mintage-mutants-"));
    const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    for (const file of stdout.split("\0").filter((name) => name !== "")) {
      const to = join(this.#root, file);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(ROOT, file), to);
    }
    symlinkSync(join(ROOT, "node_modules"), join(this.#root, "node_modules"));
  }

  /** Runs the tests on the code as it is. */
  baseline(mutant: Mutant): Verdict {
    return this.#run(mutant);
  }

  /** Runs the tests on the code with the defect, then takes the defect out. */
  try(mutant: Mutant): Verdict {
    const path = join(this.#root, mutant.file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, mutated(mutant, before));
    try {
      return this.#run(mutant);
    } finally {
      writeFileSync(path, before);
    }
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #run(mutant: Mutant): Verdict {
    return isContract(mutant) ? this.#cargo(mutant) : this.#vitest(mutant);
  }

  #vitest({ tests, named }: Mutant): Verdict {
    const report = join(this.#root, "mutant-report.json");
    rmSync(report, { force: true });
    const projects = [...new Set(tests.map(projectOf))].flatMap((name) => ["--project", name]);
    const output = ["--reporter=json", `--outputFile.json=${report}`, "--bail=1"];
    const only =
      named === undefined ? [] : [`--testNamePattern=${named.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`];
    const said = this.#spawn("vitest", ["run", ...projects, ...tests, ...only, ...output]);
    try {
      const told = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
      const { numPassedTests: passed, numFailedTests: failed } = told;
      const all = told.testResults.flatMap(({ assertionResults }) => assertionResults);
      const noticedBy = all.flatMap(({ fullName, status }) => (status === "failed" ? [fullName] : []));
      return { failed: passed + failed > 0 ? failed : null, passed, noticedBy, output: said.output };
    } catch {
      return { failed: null, passed: 0, noticedBy: [], output: said.output };
    }
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
