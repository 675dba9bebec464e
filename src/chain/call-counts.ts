/**
 * How often this isolate has asked each endpoint, and with what success. It shows what a provider's plan has to allow
 * (docs/deploying.md).
 */

/**
 * `answered`: with a result or a typed error; `failed`: with nothing that can be used; `refused`: 429. `behind` are
 * those of the answered ones that were older than what was known already, and so passed over.
 */
export type CallOutcome = "answered" | "failed" | "refused" | "behind";

/** Calls of one endpoint by outcome, since the isolate began. */
export type CallCounts = Readonly<Record<CallOutcome, number>>;

/** How often the counts are logged while calls are made. Milliseconds. */
const LOGGED_EVERY_MS = 60_000;

const NONE: CallCounts = { answered: 0, failed: 0, refused: 0, behind: 0 };
const totals = new Map<string, CallCounts>();
let logged = new Map<string, CallCounts>();
let loggedAt: number | null = null;

/** An endpoint as it may be shown: paths and queries of addresses may hold a provider's key. */
export const shownEndpoint = (url: string): string => new URL(url).origin;

/** Counts one call, and once a minute logs what was counted meanwhile. @param now milliseconds since the epoch */
export const countCall = (url: string, outcome: CallOutcome, now: number): void => {
  const name = shownEndpoint(url);
  const counts = totals.get(name) ?? NONE;
  totals.set(name, { ...counts, [outcome]: counts[outcome] + 1 });
  loggedAt ??= now;
  if (now - loggedAt >= LOGGED_EVERY_MS) log(now);
};

/** All that was counted, by endpoint. */
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
