/**
 * `npm run test:mutants [-- --draw 10] [--only TEXT …] [--part 1/12] [--typescript] [--json]`: puts each defect of the list into a copy of
 * the project and runs the tests that have to notice it. Ends with 1 if a defect survives. `npm run test:mutants -- --rules [FILE or FOLDER …]`
 * tries instead whatever StrykerJS changes in rules without I/O, and ends with 1 if tests notice less than 90 % of it.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { CHROMIUM } from "../support/browser.ts";
import { MUTANTS } from "./list/index.ts";
import { drawn, isContract, isOfPages, type Mutant } from "./mutant.ts";
import { tryRules } from "./rules.ts";
import { type Verdict, Workplace } from "./workplace.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** StrykerJS's mutants of all rules, or of the files and folders that are named. */
    rules: { type: "boolean", default: false },
    /** So many mutants, drawn by date. */
    draw: { type: "string" },
    /** Those whose id or file contains the text, or one of the texts where it is given more than once. */
    only: { type: "string", multiple: true, default: [""] },
    /** One of several parts of the list, so that a long run can be broken off and gone on with. */
    part: { type: "string", default: "1/1" },
    /** Leaves out the contract's, which need Rust. */
    typescript: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

if (values.rules) process.exit((await tryRules(positionals)) ? 0 : 1);
if (positionals.length > 0)
  throw new Error(`Remove ${positionals[0]}, or add --rules: only that option takes files.`);

const secondsSince = (since: number) => `, ${((performance.now() - since) / 1_000).toFixed(0)} s`;
const say = (line: string) => process.stderr.write(`${line}\n`);
const hasRust = spawnSync("cargo", ["--version"]).status === 0;

function chosen(): Mutant[] {
  const { only, draw, part, typescript } = values;
  const [, index, parts] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(part) ?? [];
  if (index === undefined) throw new Error(`--part: give a part such as 1/12, not '${part}'`);
  const wanted = MUTANTS.filter(({ id, file }) =>
    only.some((text) => id.includes(text) || file.includes(text)),
  )
    .filter((mutant) => !isContract(mutant) || (!typescript && hasRust))
    .filter((mutant) => !isOfPages(mutant) || CHROMIUM !== undefined)
    .filter((_, at) => at % Number(parts) === Number(index) - 1);
  if (CHROMIUM === undefined) say("there is no Chromium: mutants whose tests open pages are left out");
  if (!hasRust && !typescript) say("cargo is not on PATH: the contract's mutants are left out");
  if (draw === undefined) return wanted;
  if (!/^[1-9]\d*$/.test(draw)) throw new Error(`--draw: give a whole number above 0, not '${draw}'`);
  return drawn(wanted, Number(draw), new Date().toISOString().slice(0, 10));
}

type Result = "killed" | "survived" | "broken";

const workplace = new Workplace();

/** A mutant is killed only by tests that pass without it. */
function isSound(mutant: Mutant, { failed, passed, output }: Verdict): boolean {
  if (failed === 0 && passed > 0) return true;
  say(`the tests of '${mutant.id}' fail without a defect\n${output}`);
  return false;
}

function attempt(mutant: Mutant, baseline: Verdict): Result {
  if (!isSound(mutant, baseline)) return "broken";
  const { failed, noticedBy, output } = workplace.try(mutant);
  if (failed === null) {
    say(output);
    return "broken";
  }
  for (const name of noticedBy) say(`noticed by: ${name}`);
  return failed > 0 ? "killed" : "survived";
}

const results: { id: string; file: string; result: Result }[] = [];
try {
  const began = performance.now();
  const baselines = workplace.baselines(chosen());
  say(`the tests without a defect${secondsSince(began)}`);
  for (const [mutant, baseline] of baselines) {
    const since = performance.now();
    const result = attempt(mutant, baseline);
    say(`${result.padEnd(8)}  ${mutant.id} (${mutant.file})${secondsSince(since)}`);
    results.push({ id: mutant.id, file: mutant.file, result });
  }
} finally {
  workplace.close();
}
const killed = results.filter(({ result }) => result === "killed").length;
if (values.json) console.log(JSON.stringify({ mutants: results.length, killed, results }));
say(`${killed} passed, ${results.length - killed} failed`);
process.exit(results.length > 0 && killed === results.length ? 0 : 1);
