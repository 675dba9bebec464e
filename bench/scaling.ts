/**
 * `npm run bench:scaling`: a simulation of where the rows of operations are kept: one database for all, or a ledger object
 * for each integration (docs/scaling.md). Both are modelled as what they are, one thread that does a call after the other.
 * `--integrations 10000 --mints 1000` are those of all together a second; `--call-ms 1` is what a call takes of the thread,
 * `--calls 3` how many a mint makes, `--row-bytes 2900` what it leaves behind. `--seed` changes what is drawn; `--json`
 * prints one line.
 */

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? fallback : Number(process.argv[at + 1]);
  if (!(value > 0)) throw new Error(`--${name} has to be a number above 0`);
  return value;
};

const settings = {
  integrations: option("integrations", 10_000),
  mints_s: option("mints", 1_000),
  seconds: option("seconds", 120),
  calls: option("calls", 3),
  call_ms: option("call-ms", 1),
  /** From a call's answer to the next call, which is nearly all the chain's time for the last. */
  chain_ms: option("chain-ms", 2_500),
  row_bytes: option("row-bytes", 2_900),
  kept_days: option("kept-days", 30),
  seed: option("seed", 1),
};

/** A database or an object holds so much (Cloudflare's limits of D1 and of Durable Objects). Bytes. */
const FULL = 10_000_000_000;
const DAY_S = 86_400;

/** Mulberry32: the same seed draws the same. */
const drawn = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Shares of the integrations: the n-th has one n-th of the first's (Zipf), as customers of a service are spread. */
const shares = (count: number): Float64Array => {
  const weights = Float64Array.from({ length: count }, (_, at) => 1 / (at + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

interface Visit {
  readonly at: number;
  readonly integration: number;
}

/** Each mint's calls, in the order of time: Poisson arrivals, the last call once the chain has answered. Seconds. */
const visits = (share: Float64Array, random: () => number): Visit[] => {
  const upTo = Float64Array.from(share);
  for (let at = 1; at < upTo.length; at += 1) upTo[at]! += upTo[at - 1]!;
  const found: Visit[] = [];
  for (let time = 0; ; ) {
    time -= Math.log(1 - random()) / settings.mints_s;
    if (time > settings.seconds) break;
    const draw = random();
    let [low, high] = [0, upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle]! < draw) low = middle + 1;
      else high = middle;
    }
    for (let call = 0; call < settings.calls; call += 1) {
      const isLast = call === settings.calls - 1 && settings.calls > 1;
      const at = time + (call * 5 + (isLast ? settings.chain_ms * (0.8 + 0.4 * random()) : 0)) / 1_000;
      found.push({ at, integration: low });
    }
  }
  return found.sort((one, other) => one.at - other.at);
};

const percentile = (sorted: Float64Array, part: number): number =>
  sorted[Math.min(Math.ceil(sorted.length * part), sorted.length) - 1] ?? 0;

/** Serves the calls, each by the thread that `threadOf` names, and tells how long they waited. */
const served = (calls: readonly Visit[], threadOf: (integration: number) => number) => {
  const freeAt = new Map<number, number>();
  const busy = new Map<number, number>();
  const waits = new Float64Array(calls.length);
  const service = settings.call_ms / 1_000;
  for (const [index, { at, integration }] of calls.entries()) {
    const thread = threadOf(integration);
    const begins = Math.max(at, freeAt.get(thread) ?? 0);
    waits[index] = (begins - at) * 1_000;
    freeAt.set(thread, begins + service);
    busy.set(thread, (busy.get(thread) ?? 0) + service);
  }
  const sorted = waits.toSorted();
  const most = Math.max(...busy.values());
  return {
    threads: busy.size,
    busiest_percent: Math.round((1_000 * most) / settings.seconds) / 10,
    wait_p50_ms: Math.round(percentile(sorted, 0.5) * 10) / 10,
    wait_p99_ms: Math.round(percentile(sorted, 0.99) * 10) / 10,
    wait_most_ms: Math.round(percentile(sorted, 1) * 10) / 10,
  };
};

/** What the largest holds of `mints_s`, with and without moving to R2 what ended long ago. */
const held = (mintsPerSecond: number) => {
  const daily = mintsPerSecond * DAY_S * settings.row_bytes;
  return {
    gigabytes_a_day: Math.round(daily / 1e7) / 100,
    days_until_full: Math.round((10 * FULL) / daily) / 10,
    gigabytes_kept: Math.round((daily * settings.kept_days) / 1e7) / 100,
  };
};

const share = shares(settings.integrations);
const calls = visits(share, drawn(settings.seed));
const hottest = share[0]! * settings.mints_s;
const figures = {
  settings,
  hottest_mints_s: Math.round(hottest * 10) / 10,
  one_database: { ...served(calls, () => 0), ...held(settings.mints_s) },
  ledger_objects: { ...served(calls, (integration) => integration), ...held(hottest) },
};
if (process.argv.includes("--json")) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} else {
  console.table({ "one database": figures.one_database, "ledger objects": figures.ledger_objects });
  process.stdout.write(`The largest integration has ${figures.hottest_mints_s} mints a second.\n`);
}
