/**
 * Compares what two runs of one seed met: `node test/faults/schedules.ts .mintage/faults/7 elsewhere/7`. Faults of the
 * nodes that strike requests about operations have to be the same at each moment that came in both runs; a moment is
 * the method, the node, the operation, and how many such requests there were before. Ends with 1 where one differs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MARKER } from "./marker.ts";

/** What a run met. */
interface Met {
  /** Faults by kind and moment. */
  readonly faults: ReadonlySet<string>;
  /** Moments of requests in storms. */
  readonly moments: ReadonlySet<string>;
}

interface Comparison {
  /** Moments that came in both runs, and faults that struck at them in both. */
  readonly moments: number;
  readonly same: number;
  /** Faults at moments that came in one run only. */
  readonly elsewhere: number;
  /** Faults that struck in one run, and not at the same moment of the other. */
  readonly different: readonly string[];
}

/** Reads what a run has left in its folder. */
const metIn = (folder: string): Met => {
  const linesOf = (name: string) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean);
  const struck = linesOf("schedule.txt").map((line) => /^node ((\S+) (.+))$/.exec(line));
  return {
    faults: new Set(struck.flatMap((found) => (found && isOfWeather(found[2]!) ? [found[1]!] : []))),
    moments: new Set(linesOf("requests.txt")),
  };
};

/** A node freezes when so many operations are begun, whatever comes then. */
const isOfWeather = (kind: string): boolean => kind !== "freeze";

/** The moment of a fault. */
const momentOf = (fault: string): string => fault.slice(fault.indexOf(" ") + 1);

export const compare = (one: Met, other: Met): Comparison => {
  const about = ({ faults }: Met) => Array.from(faults).filter((fault) => MARKER.test(fault));
  const inBoth = (from: Met, to: Met) =>
    about(from).filter((fault) => from.moments.has(momentOf(fault)) && to.moments.has(momentOf(fault)));
  const of = [inBoth(one, other), inBoth(other, one)] as const;
  return {
    moments: Array.from(one.moments).filter((moment) => other.moments.has(moment)).length,
    same: of[0].filter((fault) => other.faults.has(fault)).length,
    elsewhere: about(one).length - of[0].length + about(other).length - of[1].length,
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
