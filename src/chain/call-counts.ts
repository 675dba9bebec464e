/** Calls of this isolate per endpoint and outcome, for sizing an RPC provider's plan (docs/deploying.md). */

/** `failed`: no usable response; `refused`: 429; `behind`: discarded, of a block older than known final state. */
export type CallOutcome = "answered" | "failed" | "refused" | "behind";

/** Calls of one endpoint by outcome, since the isolate started. */
export type CallCounts = Readonly<Record<CallOutcome, number>>;

/** Interval at which counts are logged while calls are made, milliseconds. */
const LOGGED_EVERY_MS = 60_000;
const NONE: CallCounts = { answered: 0, failed: 0, refused: 0, behind: 0 };
const totals = new Map<string, CallCounts>();
let logged = new Map<string, CallCounts>();
let loggedAt: number | null = null;

/** The loggable part of an endpoint's URL: path and query may hold a provider's key. */
export const shownEndpoint = (url: string): string => new URL(url).origin;

/** Counts one call, and logs the new counts once a minute. @param now milliseconds since the epoch */
export const countCall = (url: string, outcome: CallOutcome, now: number): void => {
  const name = shownEndpoint(url);
  const counts = totals.get(name) ?? NONE;
  totals.set(name, { ...counts, [outcome]: counts[outcome] + 1 });
  loggedAt ??= now;
  if (now - loggedAt >= LOGGED_EVERY_MS) log(now);
};

/** All counts, by endpoint. */
export const callCounts = (): ReadonlyMap<string, CallCounts> => totals;

const log = (now: number): void => {
  const calls: Record<string, CallCounts> = {};
  for (const [name, total] of totals) {
    const before = logged.get(name) ?? NONE;
    calls[name] = {
      answered: total.answered - before.answered,
      failed: total.failed - before.failed,
      refused: total.refused - before.refused,
      behind: total.behind - before.behind,
    };
  }
  const seconds = Math.round((now - (loggedAt ?? now)) / 1_000);
  console.log(JSON.stringify({ time: new Date(now).toISOString(), event: "chain.calls", seconds, calls }));
  logged = new Map(totals);
  loggedAt = now;
};
