/** A fault run: many clients, a storm that changes, kills at named points and of the whole runtime, and the audit. */
import { audit, leftovers } from "./audit.ts";
import { pause } from "./client.ts";
import { Dice } from "./dice.ts";
import { addCounts, FaultyService } from "./service.ts";
import { type Entry, nextEntry, perform, Shop } from "./workload.ts";

export interface FaultRunOptions {
  /** Repeats the choices of a run: operations, storms, kills. Moments differ, as they do on any machine. */
  readonly seed: number;
  readonly operations: number;
  readonly clients: number;
  readonly shops: number;
  readonly blockMs: number;
  /** Share of named points at which whoever passes is killed. */
  readonly killShare: number;
  /** Share of calls of D1 and R2 that fail. */
  readonly storageShare: number;
  /** Milliseconds between kills of the whole runtime. */
  readonly runtimeKillEvery: number;
  /** How long everything may take to come to rest once nothing fails any more, milliseconds. */
  readonly restMs: number;
  /**
   * How long requests that were not answered in the storm are asked about afterwards, milliseconds. A key whose request
   * vanished before it was accepted frees itself after five minutes only.
   */
  readonly lastPatienceMs: number;
  readonly say: (line: string) => void;
}

/** What a run came to. */
export interface FaultRunSummary {
  readonly seed: number;
  readonly operations: number;
  /** Faults injected, by kind: of the chain's nodes, and of bindings. */
  readonly faults: Record<string, number>;
  readonly faults_total: number;
  readonly kills: number;
  readonly kills_at: Record<string, number>;
  readonly lost: number;
  readonly duplicated: number;
  readonly wrong: number;
  readonly unanswered: number;
  readonly leftovers: readonly string[];
  readonly findings: readonly string[];
  readonly seconds: number;
}

/** The weather: which faults of the chain's nodes may befall requests, and how likely each. */
const STORMS: readonly Readonly<Record<string, unknown>>[] = [
  { kind: "request_lost", probability: 0.15 },
  { kind: "reply_lost", probability: 0.15 },
  { kind: "timeout", probability: 0.1, ms: 300, accepted: true, methods: ["send_tx"] },
  { kind: "timeout", probability: 0.1, ms: 300, methods: ["tx", "query"] },
  { kind: "duplicate", probability: 0.2 },
  { kind: "delay", probability: 0.2, ms: 400 },
  { kind: "reorder", probability: 0.1, blocks: 5 },
  { kind: "lag", probability: 0.2, blocks: 12 },
  { kind: "lag", node: "/b", blocks: 40 },
  { kind: "down", node: "/a", probability: 0.02 },
  { kind: "rate_limit", probability: 0.15 },
  { kind: "garbage", probability: 0.1 },
  { kind: "expired", probability: 0.15, accepted: true },
  { kind: "expired", probability: 0.15 },
  { kind: "unknown_transaction", probability: 0.25 },
  { kind: "forget", probability: 0.5, blocks: 3 },
];
const STORM_MS = 2_500;
const SCHEDULE_MS = 10_000;
/** How long one request is asked about in the storm. */
const PATIENCE_MS = 20_000;
const AT_ONCE = 60;

/** Faults befall the nodes that the service prefers, never the archive. */
const onNodes = (rule: Readonly<Record<string, unknown>>) =>
  "node" in rule
    ? [rule]
    : [
        { ...rule, node: "/a" },
        { ...rule, node: "/b" },
      ];

/** Runs and audits. */
export const runFaults = async (options: FaultRunOptions): Promise<FaultRunSummary> => {
  const startedAt = Date.now();
  const { say, seed } = options;
  const dice = new Dice(seed);
  const service = await FaultyService.start(options.blockMs);
  try {
    const shops: Shop[] = [];
    for (let count = 0; count < options.shops; count++) shops.push(await Shop.open(service, dice));
    say(`${shops.length} shops are open after ${seconds(startedAt)} s; seed ${seed}`);
    const ledger: Entry[] = [];
    const weather = new AbortController();
    const storms = stormsUntil(weather.signal, service, options);
    await Promise.all(
      Array.from({ length: options.clients }, (_, number) =>
        client(ledger, shops, new Dice(seed + 1_000 + number), options),
      ),
    );
    weather.abort();
    await storms;
    say(`${ledger.length} operations were sent after ${seconds(startedAt)} s; the storm is over`);
    await service.rpc("devchain_faults", { clear: true });
    await service.setFaults({ seed, kill: 0, storage: 0 });
    await rest(service, shops, options);
    await askAgain(ledger, options.lastPatienceMs);
    const left = await rest(service, shops, options);
    say(`everything is at rest after ${seconds(startedAt)} s`);
    const findings = await audit(service, shops, ledger);
    const { faults } = await service.rpc<{ faults: { injected: Record<string, number> } }>(
      "devchain_status",
      {},
    );
    await service.collect();
    const all: Record<string, number> = {};
    addCounts(all, faults.injected);
    addCounts(all, service.counts.storage);
    const kills = { ...service.counts.kills, runtime: service.runtimeKills };
    return {
      seed,
      operations: ledger.length,
      faults: all,
      faults_total: total(all),
      kills: total(kills),
      kills_at: kills,
      lost: findings.lost.length,
      duplicated: findings.duplicated.length,
      wrong: findings.wrong.length,
      unanswered: findings.unanswered.length,
      leftovers: left,
      findings: Object.entries(findings).flatMap(([kind, list]: [string, string[]]) =>
        list.slice(0, 20).map((text) => `${kind}: ${text.slice(0, 600)}`),
      ),
      seconds: seconds(startedAt),
    };
  } finally {
    await service.stop();
  }
};

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const seconds = (since: number): number => Math.round((Date.now() - since) / 1000);

const client = async (
  ledger: Entry[],
  shops: readonly Shop[],
  dice: Dice,
  { operations, say }: FaultRunOptions,
): Promise<void> => {
  while (ledger.length < operations) {
    const entry = await nextEntry(dice.pick(shops), dice);
    if (entry === null) continue;
    ledger.push(entry);
    if (ledger.length % 250 === 0) say(`${ledger.length} operations`);
    await perform(entry, dice, PATIENCE_MS);
  }
};

/** Changes the weather, rings the schedule and kills the runtime, until it is told to stop. */
const stormsUntil = async (
  signal: AbortSignal,
  service: FaultyService,
  options: FaultRunOptions,
): Promise<void> => {
  const dice = new Dice(options.seed + 1);
  let killAt = Date.now() + options.runtimeKillEvery;
  let ringAt = Date.now() + SCHEDULE_MS;
  for (let storm = 0; !signal.aborted; storm++) {
    const rules = [dice.pick(STORMS), dice.pick(STORMS), dice.pick(STORMS)].flatMap(onNodes);
    await service.rpc("devchain_faults", { set: rules, seed: options.seed + storm });
    const faults = { seed: options.seed + storm, kill: options.killShare, storage: options.storageShare };
    await service.setFaults(faults);
    await pause(STORM_MS * (0.5 + dice.next()));
    if (Date.now() >= ringAt) {
      ringAt = Date.now() + SCHEDULE_MS;
      void service.schedule();
    }
    if (Date.now() >= killAt) {
      killAt = Date.now() + options.runtimeKillEvery;
      await service.killRuntime();
    }
  }
};

/** Requests that were not answered in the storm are asked about again, as their senders would. */
const askAgain = async (ledger: readonly Entry[], patience: number): Promise<void> => {
  const open = ledger.filter(({ answer, twin }) => answer?.kind === "gave_up" || twin?.kind === "gave_up");
  const calm = new Dice(0);
  for (let from = 0; from < open.length; from += AT_ONCE) {
    await Promise.all(
      open.slice(from, from + AT_ONCE).map(async (entry) => {
        const { twin } = entry;
        await perform(entry, calm, patience);
        entry.twin ??= twin?.kind === "gave_up" ? null : twin;
      }),
    );
  }
};

/** Waits until nothing is open any more. What is left after all patience is a finding. */
const rest = async (
  service: FaultyService,
  shops: readonly Shop[],
  { restMs, say }: FaultRunOptions,
): Promise<string[]> => {
  const until = Date.now() + restMs;
  for (;;) {
    await service.schedule();
    const left = await leftovers(service, shops);
    if (left.length > 0) say(`still open: ${left.join("; ").slice(0, 300)}`);
    if (left.length === 0 || Date.now() > until) return left;
    await pause(1_000);
  }
};
