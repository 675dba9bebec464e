/**
 * Compares what two runs of one seed met: `node test/faults/schedules.ts .mintage/faults/7 elsewhere/7`. Faults of the
 * nodes that strike requests about operations have to be the same at each moment that came in both runs; a moment is
 * the method, the node, the operation, and how many such requests there were before. Ends with 1 where one differs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MARKER } from "./marker.ts";

/** What a run met. */
export interface Met {
  /** Faults by kind and moment. */
  readonly faults: ReadonlySet<string>;
  /** How many requests came, by method, node and operation. */
  readonly requests: ReadonlyMap<string, number>;
}

export interface Comparison {
  /** Moments that came in both runs, and faults that struck at them in both. */
  readonly moments: number;
  readonly same: number;
  /** Faults at moments that came in one run only. */
  readonly elsewhere: number;
  /** Faults that struck in one run, and not at the same moment of the other. */
  readonly different: readonly string[];
}

/** Reads what a run has left in its folder. */
export const metIn = (folder: string): Met => {
  const linesOf = (name: string) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean);
  const faults = linesOf("schedule.txt")
    .filter((line) => line.startsWith("node "))
    .map((line) => line.slice("node ".length));
  const requests = linesOf("requests.txt").map((line) => {
    const [, words, times] = /^(.*) (\d+)$/.exec(line)!;
    return [words!, Number(times)] as const;
  });
  return { faults: new Set(faults.filter((line) => MARKER.test(line))), requests: new Map(requests) };
};

/** Whether a fault's moment came in a run. */
const came = (fault: string, { requests }: Met): boolean => {
  const [, words, nth] = /^\S+ (.*) (\d+)$/.exec(fault)!;
  return Number(nth) < (requests.get(words!) ?? 0);
};

export const compare = (one: Met, other: Met): Comparison => {
  const inBoth = (from: Met, to: Met) => Array.from(from.faults).filter((fault) => came(fault, to));
  const of = [inBoth(one, other), inBoth(other, one)] as const;
  return {
    moments: Array.from(one.requests).reduce(
      (sum, [words, times]) => sum + Math.min(times, other.requests.get(words) ?? 0),
      0,
    ),
    same: of[0].filter((fault) => other.faults.has(fault)).length,
    elsewhere: one.faults.size - of[0].length + other.faults.size - of[1].length,
    different: [
      ...of[0].filter((fault) => !other.faults.has(fault)).map((fault) => `only in the first: ${fault}`),
      ...of[1].filter((fault) => !one.faults.has(fault)).map((fault) => `only in the second: ${fault}`),
    ],
  };
};

if (import.meta.main) {
  const [one, other] = process.argv.slice(2, 4).map(metIn);
  if (!one || !other) throw new Error("Give the folders of two runs.");
  const { different, ...counts } = compare(one, other);
  console.log(JSON.stringify({ ...counts, different: different.length }));
  for (const line of different) console.log(line);
  if (different.length > 0) process.exit(1);
}
