/**
 * `npm run test:faults -- --operations 5000 --seed 7 --json`: the long fault run, or several with `--runs`. Ends with 1
 * if a promise was broken, or if a kind of fault never came. `--without orphan,jump` leaves kinds out; `--rate 2` lets the run's
 * clock go slower, for a machine that is busy with other things.
 */
import { parseArgs } from "node:util";
import { longCourse, missing, RATE } from "./courses.ts";
import { type FaultRunSummary, runFaults } from "./run.ts";

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "5000" },
    clients: { type: "string", default: "48" },
    shops: { type: "string", default: "6" },
    seed: { type: "string" },
    without: { type: "string", default: "" },
    runs: { type: "string", default: "1" },
    rate: { type: "string", default: `${RATE}` },
    json: { type: "boolean", default: false },
  },
});

const number = (name: string, text: string): number => {
  if (!/^\d+$/.test(text)) throw new Error(`--${name}: give a whole number, not '${text}'`);
  return Number(text);
};

const isClean = (summary: FaultRunSummary): boolean =>
  summary.lost + summary.duplicated + summary.wrong + summary.stuck === 0 && missing(summary).length === 0;

const firstSeed = number("seed", values.seed ?? `${Date.now() % 1_000_000}`);
let failed = false;
for (let run = 0; run < number("runs", values.runs); run++) {
  const summary = await runFaults({
    ...longCourse(number("operations", values.operations), number("rate", values.rate)),
    seed: firstSeed + run,
    clients: number("clients", values.clients),
    shops: number("shops", values.shops),
    without: values.without.split(",").filter(Boolean),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  console.log(values.json ? JSON.stringify(summary) : summary);
  if (!isClean(summary)) failed = true;
}
process.exit(failed ? 1 : 0);
