/** `npm run test:faults -- --operations 5000 --seed 7 --json`: the long fault run. Ends with 1 if a promise was broken. */
import { parseArgs } from "node:util";
import { runFaults } from "./run.ts";

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "5000" },
    clients: { type: "string", default: "40" },
    shops: { type: "string", default: "4" },
    seed: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const number = (name: string, text: string): number => {
  if (!/^\d+$/.test(text)) throw new Error(`--${name}: give a whole number, not '${text}'`);
  return Number(text);
};

const summary = await runFaults({
  seed: number("seed", values.seed ?? `${Date.now() % 1_000_000}`),
  operations: number("operations", values.operations),
  clients: number("clients", values.clients),
  shops: number("shops", values.shops),
  blockMs: 100,
  killShare: 0.004,
  storageShare: 0.004,
  runtimeKillEvery: 20_000,
  restMs: 15 * 60_000,
  lastPatienceMs: 6 * 60_000,
  say: (line) => process.stderr.write(`${line}\n`),
});
console.log(values.json ? JSON.stringify(summary) : summary);
const { lost, duplicated, wrong, unanswered, leftovers } = summary;
process.exit(lost + duplicated + wrong + unanswered + leftovers.length === 0 ? 0 : 1);
