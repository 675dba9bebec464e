/** A fault run: many clients, weather that changes, misfortunes, kills at named points, and the audit. */
import { audit, each, type Finding, judgeReplay, type Leftover, leftovers } from "./audit.ts";
import { type Answer, PASSING, pause } from "./client.ts";
import { Deliveries } from "./deliveries.ts";
import { Effects } from "./effects.ts";
import { openFolder, saveEvidence, saveLog, saveRequests, saveSchedule } from "./evidence.ts";
import { Misfortunes } from "./misfortunes.ts";
import { Operator } from "./operator.ts";
import { addCounts, FaultyService } from "./service.ts";
import { type Course, eventsOf, Weather } from "./weather.ts";
import { type Entry, entryAt, isOpen, needsOf, perform, requestOf, Shop } from "./workload.ts";

export interface FaultRunOptions extends Course {
  /** The same seed has the same faults befall the same operations, at the same points of each. */
  readonly seed: number;
  readonly clients: number;
  readonly shops: number;
  /** Milliseconds of the machine between blocks, and how much faster the run's clock is. */
  readonly blockMs: number;
  readonly rate: number;
  /** Operations that share a storm. */
  readonly stormOperations: number;
  /** Share of named points at which whoever passes is killed. */
  readonly killShare: number;
  /** Share of calls of D1 and R2 that fail. */
  readonly storageShare: number;
  /** Share of calls of ledgers' objects that fail. */
  readonly objectShare: number;
  /** Share of alarms that are set and never ring. */
  readonly overdueShare: number;
  /** How long D1 stands still, by the run's clock. Milliseconds. */
  readonly hangMs: number;
  readonly say: (line: string) => void;
}

/** What a run came to. */
export interface FaultRunSummary {
  readonly seed: number;
  readonly operations: number;
  /** The same by their kind. */
  readonly operations_by_kind: Record<string, number>;
  /** How often each kind of fault struck. */
  readonly kinds: Record<string, number>;
  /** The same by where it struck: `kind:method` of the nodes, calls of bindings. */
  readonly faults: Record<string, number>;
  readonly faults_total: number;
  readonly kills: number;
  readonly kills_at: Record<string, number>;
  readonly lost: number;
  readonly duplicated: number;
  readonly wrong: number;
  readonly stuck: number;
  /** Operations whose callers were told how they ended while things went wrong; the others learned it afterwards. */
  readonly answered_in_storm: number;
  /** Transactions that did what several operations wanted. */
  readonly shared_transactions: number;
  readonly findings: readonly string[];
  readonly seconds: number;
  /** Where the time went, seconds by what was done. */
  readonly spent: Record<string, number>;
  /** File with the faults that struck, and the folder of evidence where something was found. */
  readonly schedule: string;
  readonly evidence: string | null;
}

/** How long one request is asked about in the storm, by the run's clock. Milliseconds. */
const PATIENCE_MS = 24_000;
/** Blocks in which something open has to end once all faults are over. */
const REST_BLOCKS = 300;
/** The schedule rings every minute of the run's clock. */
const SCHEDULE_MS = 60_000;
/** Callers that ask again at once. */
const ASKED_AT_ONCE = 60;
/** What a block stands for, milliseconds of the run's clock. */
const BLOCK_MS = 600;
/** Eight days. */
const JUMP_MS = 8 * 86_400_000;
/** How often the schedule rings before it is looked at what D1 still lacks. */
const RINGS = 3;
/** Time that is passed over at once where all that is left waits for some. */
const PASSED_OVER_MS = 5 * 60_000;
/** How often that time is passed over: a restored wallet's operations take the margin of a block's clock, then a validity. */
const MOST_JUMPS = 4;
/** Alarms of all wallets that may ring in a while in which nothing happens. */
const IDLE_RINGS = 100;
const IDLE_MS = 1_000;
const MOST_FINDINGS = 100;
/** How long a request that was answered is sent again, milliseconds of the machine. */
const AGAIN_MS = 60_000;

/** Runs and audits. */
export const runFaults = async (options: FaultRunOptions): Promise<FaultRunSummary> => {
  const startedAt = Date.now();
  const { seed, stormOperations, rate } = options;
  openFolder(seed);
  const weather = new Weather(seed, stormOperations, rate, options.without);
  const service = await FaultyService.start(options.blockMs, rate, weather);
  try {
    return await new FaultRun(service, weather, options, startedAt).run();
  } finally {
    await service.stop();
  }
};

class FaultRun {
  readonly #service: FaultyService;
  readonly #weather: Weather;
  readonly #options: FaultRunOptions;
  readonly #startedAt: number;
  readonly #effects: Effects;
  readonly #operator: Operator;
  readonly #misfortunes: Misfortunes;
  readonly #ledger: Entry[] = [];
  readonly #shops: Shop[] = [];
  readonly #findings: Finding[] = [];
  readonly #spent: Record<string, number> = {};
  /** Kinds that are counted by what was done, not by what was struck. */
  readonly #done: Record<string, number> = { jump: 0, d1_rollback: 0 };
  #since: number;
  #answeredInStorm = 0;
  /** Of the first shop, to whose webhook all that happens to it is sent. */
  #deliveries: Deliveries | null = null;

  constructor(service: FaultyService, weather: Weather, options: FaultRunOptions, startedAt: number) {
    this.#service = service;
    this.#weather = weather;
    this.#options = options;
    this.#startedAt = startedAt;
    this.#since = startedAt;
    this.#effects = new Effects(service.chain.chain);
    this.#operator = new Operator(service, this.#effects, this.#ledger, options.blockMs);
    this.#misfortunes = new Misfortunes(
      service,
      this.#operator,
      this.#shops,
      eventsOf(options.seed, options),
      options,
    );
  }

  async run(): Promise<FaultRunSummary> {
    const { seed, operations, firstPart, shops } = this.#options;
    const opening = needsOf(seed, operations, shops).map((needs, number) =>
      Shop.open(this.#service, number, needs),
    );
    this.#shops.push(...(await Promise.all(opening)));
    this.#deliveries = await Deliveries.open(this.#service, this.#shops[0]!, () =>
      this.#operator.restorations(this.#shops[0]!),
    );
    this.#lap("opening");
    await this.#storm(0, firstPart);
    await this.#rest(0);
    await this.#setDatabaseBack();
    await this.#jump();
    await this.#storm(firstPart, operations);
    await this.#rest(firstPart);
    await this.#idle();
    this.#findings.push(
      ...(await audit(this.#service, this.#shops, this.#ledger, this.#effects, this.#operator.settled)),
      ...this.#operator.findings,
    );
    this.#lap("audit");
    this.#findings.push(...(await this.#deliveries.settle()));
    await this.#deliveries.receiver.close();
    this.#lap("deliveries");
    for (const line of this.#service.lines.filter(isUnexpected))
      this.#findings.push({ figure: "wrong", text: `answered 500: ${line}`, entry: null });
    await this.#service.collect();
    const nodes = await this.#service.nodeFaults();
    const { events } = this.#misfortunes;
    const schedule = saveSchedule(seed, nodes, this.#service.counts.schedule, events);
    saveRequests(seed, this.#weather.met);
    saveLog(seed, this.#service.lines);
    const evidence =
      this.#findings.length === 0
        ? null
        : await saveEvidence(seed, this.#service, this.#findings, this.#effects);
    this.#lap("evidence");
    return this.#summary(schedule, evidence);
  }

  /** Notes what was done since the last lap. */
  #lap(what: string): void {
    const now = Date.now();
    this.#spent[what] = Math.round(((this.#spent[what] ?? 0) * 1000 + now - this.#since) / 100) / 10;
    this.#since = now;
    this.#options.say(`${what} took until ${Math.round((now - this.#startedAt) / 1000)} s`);
  }

  /** Clients carry out the operations from one to another, while things go wrong. */
  async #storm(from: number, until: number): Promise<void> {
    const { seed, clients, rate, killShare, storageShare, objectShare, overdueShare, without, say } =
      this.#options;
    this.#weather.calm = false;
    const share = (kind: string, most: number) => (without.includes(kind) ? 0 : most);
    await this.#service.setFaults({
      seed,
      kill: share("killed", killShare),
      storage: share("storage", storageShare),
      overdue: share("alarm_overdue", overdueShare),
      object: share("object_reset", objectShare),
    });
    let next = from;
    const client = async () => {
      while (next < until) {
        const ordinal = next++;
        this.#weather.begun = ordinal + 1;
        await this.#misfortunes.begin(ordinal + 1);
        if ((ordinal + 1) % 500 === 0) say(`${ordinal + 1} operations`);
        const entry = await entryAt(seed, ordinal, this.#shops);
        this.#ledger.push(entry);
        await perform(entry, PATIENCE_MS / rate);
      }
    };
    await this.#onSchedule(async () => {
      await Promise.all(Array.from({ length: clients }, client));
    });
    await this.#misfortunes.over();
    this.#lap("storm");
    this.#answeredInStorm += this.#ledger.filter(
      (entry) => entry.ordinal >= from && !isUnanswered(entry),
    ).length;
    say(`${this.#answeredInStorm} of ${this.#ledger.length} were answered in the storm`);
    this.#weather.calm = true;
    await this.#service.rpc("devchain_faults", { clear: true });
    await this.#service.setFaults({ seed, kill: 0, storage: 0, overdue: 0, object: 0 });
  }

  /** Rings the schedule every minute while work goes on, as the platform does. */
  async #onSchedule(work: () => Promise<void>): Promise<void> {
    const ringing = setInterval(() => {
      void this.#service.schedule();
      void this.#deliveries?.enable().catch(() => undefined);
    }, SCHEDULE_MS / this.#options.rate);
    await work().finally(() => clearInterval(ringing));
  }

  /**
   * Nothing fails any more. Callers ask on about what they weren't told. What is open is stuck when nothing has ended for
   * 300 blocks: changes of one collection wait in turn for each other's finality, however many there are.
   * @param from the first operation that is asked about: keys don't last for eight days
   */
  async #rest(from: number): Promise<void> {
    const { blockMs } = this.#options;
    let since = this.#service.chain.chain.head.height;
    const passed = () => this.#service.chain.chain.head.height - since;
    let jumps = 0;
    let left: Leftover[] = [];
    let [fewest, endedAt] = [Number.POSITIVE_INFINITY, 0];
    for (;;) {
      const isLate = passed() - endedAt > REST_BLOCKS;
      await this.#service.schedule();
      await this.#operator.settle(this.#shops);
      const open = this.#ledger.filter((entry) => entry.ordinal >= from && isUnanswered(entry));
      await this.#onSchedule(() => each(open, (entry) => perform(entry, 0), ASKED_AT_ONCE));
      left = await leftovers(this.#service, this.#shops);
      const unanswered = open.filter(isUnanswered);
      this.#options.say(
        `${passed()} blocks: ${open.length} asked, ${unanswered.length} not answered, ${left.length} left`,
      );
      if (left.length === 0 && unanswered.length === 0) break;
      const opened = left.length + unanswered.length;
      // What is asked about late is accepted late: then more is open than before, though some has ended.
      const hasEnded = opened < fewest || unanswered.length < open.length;
      if (hasEnded) [fewest, endedAt] = [Math.min(fewest, opened), passed()];
      const waitsForTime = left.every(({ isUnknown }) => isUnknown) && unanswered.every(waits);
      if (waitsForTime && jumps < MOST_JUMPS) {
        // Nothing is at work any more. Of what nobody can prove the operator may say `no` once its validity is over: that
        // time is passed over.
        jumps += 1;
        await this.#service.jump(PASSED_OVER_MS, PASSED_OVER_MS / BLOCK_MS);
        since = this.#service.chain.chain.head.height;
        endedAt = 0;
        continue;
      }
      // What was true at the deadline is judged by a look that began after it, and may itself take longer than that.
      if (isLate && !hasEnded) break;
      await pause(10 * blockMs);
    }
    this.#options.say(`came to rest ${passed()} blocks after the storm`);
    for (const { text } of left) this.#findings.push({ figure: "stuck", text, entry: null });
    this.#lap("rest");
    await this.#replay(
      this.#ledger.filter(
        ({ ordinal, told }) => ordinal >= from && told.some(({ status }) => status === 202),
      ),
    );
  }

  /** What was answered is sent again with its key, and has to be answered the same. */
  async #replay(entries: readonly Entry[]): Promise<void> {
    const answered = entries.filter(
      ({ key, answer, standing }) => key !== null && !isOpen(answer) && standing.ruling === null,
    );
    await each(answered, async (entry) => {
      const again = await this.#again(entry);
      this.#findings.push(
        ...judgeReplay(entry, entry.answer!, again, this.#operator.settled.get(entry.marker)),
      );
    });
    this.#lap("replay");
  }

  /** Sends a request again, as long as it breaks off or is told: not now. A busy machine may need several times. */
  async #again(entry: Entry): Promise<Answer | null> {
    for (const until = Date.now() + AGAIN_MS; ; await pause(this.#options.blockMs)) {
      const answer = await entry.shop.caller.once(requestOf(entry, 0), 0);
      const isPassing = answer === null || PASSING.includes(answer.status);
      if (!isPassing || Date.now() > until) return answer;
    }
  }

  /** D1 goes back to the copy that was made in the storm. Nobody does anything about it: ledgers send again what it lacks. */
  async #setDatabaseBack(): Promise<void> {
    const { snapshotAt } = this.#misfortunes;
    if (snapshotAt === null) return;
    await this.#service.revert();
    const since = this.#ledger.filter(({ ordinal }) => ordinal >= snapshotAt);
    // Whoever comes before it has caught up must not have it done again: what they are told is judged by the chain.
    const early = since.filter(({ key, answer }) => key !== null && answer?.kind === "success").slice(0, 20);
    await each(
      early,
      async (entry) => void (await entry.shop.caller.once({ ...requestOf(entry, 0), told: [] }, 0)),
    );
    this.#done.d1_rollback = 1;
    let left: Leftover[] = [];
    let isLate = false;
    const from = this.#service.chain.chain.head.height;
    do {
      isLate = this.#service.chain.chain.head.height > from + REST_BLOCKS;
      for (let ring = 0; ring < RINGS; ring++) await this.#service.schedule();
      left = await leftovers(this.#service, this.#shops);
    } while (left.length > 0 && !isLate);
    for (const { text } of left)
      this.#findings.push({ figure: "stuck", text: `after D1 was set back: ${text}`, entry: null });
    await this.#replay(since);
    const finalized = since.filter(({ key, answer }) => key === null && answer?.kind === "success");
    await each(finalized, async (entry) => {
      const again = await this.#again({ ...entry, told: [] });
      if (again?.kind === "success") return;
      const text = `finalize ${entry.ordinal} after D1 was set back: ${JSON.stringify(again)}`;
      this.#findings.push({ figure: "wrong", text, entry });
    });
    this.#lap("database set back");
  }

  /** The service is off for eight days. */
  async #jump(): Promise<void> {
    if (this.#options.without.includes("jump")) return;
    await this.#jumpBy(JUMP_MS);
    this.#done.jump = 1;
    this.#lap("jump");
  }

  /** Everything is off for a while, then looks around. */
  async #jumpBy(ms: number): Promise<void> {
    await this.#service.jump(ms, ms / BLOCK_MS);
    await this.#lookAround();
  }

  /** Every wallet and the schedule look for what there is to do. */
  async #lookAround(): Promise<void> {
    for (const { integrationUuid } of this.#shops) {
      await this.#service.suffer({ do: "touch", wallet: integrationUuid });
    }
    await this.#service.suffer({ do: "touch", wallet: "platform" });
    await this.#service.schedule();
    await this.#idle();
  }

  /** Where nothing is to be done alarms don't ring again and again. */
  async #idle(): Promise<void> {
    await pause(IDLE_MS);
    const before = await this.#service.rings();
    await pause(IDLE_MS);
    const rings = (await this.#service.rings()) - before;
    if (rings < IDLE_RINGS) return;
    this.#findings.push({
      figure: "stuck",
      text: `alarms rang ${rings} times in ${IDLE_MS} ms`,
      entry: null,
    });
  }

  async #summary(schedule: string, evidence: string | null): Promise<FaultRunSummary> {
    const { counts, runtimeKills } = this.#service;
    const { faults } = await this.#service.rpc<{ faults: { injected: Record<string, number> } }>(
      "devchain_status",
      {},
    );
    const all: Record<string, number> = {};
    addCounts(all, faults.injected);
    addCounts(all, counts.storage);
    const kills = { ...counts.kills, runtime: runtimeKills };
    const kinds: Record<string, number> = {
      ...this.#done,
      ...this.#deliveries?.receiver.mishaps,
      object_lost: this.#operator.lost,
      object_rollback: this.#operator.setBack,
      platform_rollback: this.#operator.platformSetBack,
    };
    for (const [name, count] of Object.entries(faults.injected))
      addCounts(kinds, { [name.split(":")[0]!]: count });
    for (const [name, count] of Object.entries(counts.storage))
      addCounts(kinds, { [name.split(".")[0]!]: count });
    addCounts(kinds, { killed: total(counts.kills), runtime_killed: runtimeKills });
    const figure = (name: Finding["figure"]) =>
      this.#findings.filter((finding) => finding.figure === name).length;
    return {
      seed: this.#options.seed,
      operations: this.#ledger.length,
      operations_by_kind: Object.fromEntries(
        Array.from(
          Map.groupBy(this.#ledger, ({ kind }) => kind),
          ([kind, entries]) => [kind, entries.length],
        ),
      ),
      kinds,
      faults: all,
      faults_total: total(all),
      kills: total(kills),
      kills_at: kills,
      lost: figure("lost"),
      duplicated: figure("duplicated"),
      wrong: figure("wrong"),
      stuck: figure("stuck"),
      answered_in_storm: this.#answeredInStorm,
      shared_transactions: this.#effects.shared,
      findings: this.#findings
        .slice(0, MOST_FINDINGS)
        .map((finding) => `${finding.figure}: ${finding.text.slice(0, 600)}`),
      seconds: Math.round((Date.now() - this.#startedAt) / 1000),
      spent: this.#spent,
      schedule,
      evidence,
    };
  }
}

/** Whether a line of the log is of a 500 whose cause isn't that the request was killed, or that R2 failed. */
const isUnexpected = (line: string): boolean =>
  line.includes('"code":"internal_error"') && !/"message":"(?:killed at|R2\.\w+ failed)/.test(line);

/** Whether somebody was not told what became of an operation. */
const isUnanswered = ({ answer, twin, hasTwin }: Entry): boolean =>
  isOpen(answer) || (hasTwin && isOpen(twin));

/**
 * Whether whoever was not told yet waits for nothing but time: was told that nobody can prove what came of it, or that
 * its key is held by a request, with no operation behind it.
 */
const waits = ({ answer, twin }: Entry): boolean =>
  [answer, twin].every((one) => {
    if (one === null || !isOpen(one) || one.kind === "unknown") return true;
    const { code, operation_uuid: uuid } = (one.body ?? {}) as { code?: string; operation_uuid?: string };
    return code === "idempotency_key_in_flight" && uuid === undefined;
  });

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
