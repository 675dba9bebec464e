/** What bench:mint has to come to, at the distance and with the settings that it has by itself. Pure. */

/** The figures that have a bar. */
export interface MintFigures {
  readonly c100: { readonly ok: number };
  /** The slowest 5 of 100 at once, in times of a lone plain transaction. */
  readonly c100_p95_of_plain: number;
  /** Mints a second. */
  readonly sustained_tps: number;
  readonly tgas_per_token: number;
  readonly calls_per_mint: number;
  /** Milliseconds of the runtime, with D1 and objects. */
  readonly cpu_ms_per_mint: number;
  /** Calls of ledgers' objects, calls of D1, and those of them that a request waited for. */
  readonly object_calls_per_mint: number;
  readonly d1_calls_per_mint: number;
  readonly d1_trips_per_mint: number;
  /** Milliseconds of a lone mint beyond a lone plain transaction. */
  readonly overhead_p50_ms: number;
}

/** How it was run. */
export interface MintConditions {
  /** Milliseconds that a call of a node takes longer. */
  readonly latency_ms: number;
  readonly lane_depth: number;
  readonly storage: "memory" | "disk";
  readonly isEmbedded: boolean;
}

/** The conditions that the bars are for. */
const AT: MintConditions = { latency_ms: 100, lane_depth: 1, storage: "memory", isEmbedded: true };

const OF_100_AT_ONCE = 100;
const MOST_OF_PLAIN = 1.4;
/** Where the machine is slower, what a mint takes of it counts. Milliseconds. */
const LEAST_TPS = 300;
const MOST_CPU_MS = 2.5;
/** One, and now and then one more: a repetition, the alarm. */
const MOST_OBJECT_CALLS = 1.05;
const MOST_D1_CALLS = 0.05;
/** None but those that look after the keys, which an isolate keeps for seconds. */
const MOST_D1_TRIPS = 0.03;
const MOST_TGAS = 0.6;
const MOST_CALLS = 0.4;
/** Beside the time of two calls. Milliseconds. */
const MOST_OVERHEAD_MS = 150;

/** Whether the bars are for a run: elsewhere its figures say how it is there. */
export const hasBars = (conditions: MintConditions): boolean =>
  (Object.keys(AT) as (keyof MintConditions)[]).every((name) => conditions[name] === AT[name]);

/** A line for each figure that misses its bar; one that isn't a number misses it too. */
export const missedBars = (figures: MintFigures): string[] => {
  const { c100, c100_p95_of_plain, sustained_tps, cpu_ms_per_mint } = figures;
  const { tgas_per_token, calls_per_mint, overhead_p50_ms } = figures;
  const mostOverhead = MOST_OVERHEAD_MS + 2 * AT.latency_ms;
  const bars: readonly (readonly [isMet: boolean, missed: string])[] = [
    [c100.ok >= OF_100_AT_ONCE, `${c100.ok} of ${OF_100_AT_ONCE} at once were minted`],
    [
      c100_p95_of_plain <= MOST_OF_PLAIN,
      `p95 of 100 at once is ${c100_p95_of_plain} times a lone plain transaction, and may be ${MOST_OF_PLAIN} times`,
    ],
    [
      sustained_tps >= LEAST_TPS || cpu_ms_per_mint <= MOST_CPU_MS,
      `one wallet sustains ${sustained_tps} mints/s at ${cpu_ms_per_mint} ms of CPU each, and has to sustain ${LEAST_TPS} or take ${MOST_CPU_MS} ms`,
    ],
    ...(
      [
        ["object_calls_per_mint", "calls of an object", MOST_OBJECT_CALLS],
        ["d1_calls_per_mint", "calls of D1", MOST_D1_CALLS],
        ["d1_trips_per_mint", "calls of D1 that its request waits for", MOST_D1_TRIPS],
      ] as const
    ).map(
      ([name, what, most]) =>
        [figures[name] <= most, `a mint makes ${figures[name]} ${what}, and may make ${most}`] as const,
    ),
    [tgas_per_token <= MOST_TGAS, `a token burns ${tgas_per_token} Tgas, and may burn ${MOST_TGAS}`],
    [
      calls_per_mint <= MOST_CALLS,
      `a mint of the sustained run makes ${calls_per_mint} calls of a node, and may make ${MOST_CALLS}`,
    ],
    [
      overhead_p50_ms <= mostOverhead,
      `a lone mint takes ${overhead_p50_ms} ms longer than a plain transaction, and may take ${mostOverhead} ms`,
    ],
  ];
  return bars.flatMap(([isMet, missed]) => (isMet ? [] : [missed]));
};
