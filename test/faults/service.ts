/** The service of a fault run: a chain of several nodes, and the Worker in a runtime that can be killed and come back. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { type Devchain, type InjectedFault, startDevchain } from "../../devchain/index.ts";
import { applyMigrations, batchIn, buildWorker, builtWorker } from "../../scripts/local-runtime.ts";
import { retry } from "../../src/waiting.ts";
import { Caller, pause } from "./client.ts";
import { type Clock, timeOf } from "./clock.ts";
import { MARKER } from "./marker.ts";
import { ARCHIVE, NODES, type Weather } from "./weather.ts";
import type { Misfortune, WorkerFaultCounts, WorkerFaults } from "./worker.ts";

const PLATFORM = "platform.faults";
/** yoctoNEAR: a hundred million NEAR, and ten thousand for each wallet and contract. */
const BALANCE = 10n ** 32n;
const FUNDING = (10n ** 28n).toString();
/** Blocks in which a transaction stays valid: few, so that some run out of them. */
export const VALIDITY_BLOCKS = 250;
/** Everything that happened stays known to the archive, over any jump. Blocks. */
const KEPT_BLOCKS = 1_000_000_000;
/** A node's patience with a request for a transaction, by the run's clock. Milliseconds. */
const POLLING_TIMEOUT_MS = 10_000;
/** Lines of the service's log that are kept for evidence. */
const MOST_LINES = 400_000;
/** How often a ledger is asked for rows, and the pause. Milliseconds of the machine. */
const ROWS_TRIES = 200;
const ROWS_PAUSE_MS = 100;
/** A server may close a connection just as it is used again: such a call isn't carried out. */
export const CONNECTION = { tries: 5, firstPauseMs: 200 };
/** The database's files under the runtime's persistence. */
const DATABASE = "d1";

/** Merges counts of the same names. */
export const addCounts = (to: Record<string, number>, from: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
};

let built: string | null = null;

/** The modules of the Worker under faults, built once for all runs of this process. @returns their folder */
const workerUnderFaults = (): string => {
  if (built !== null) return built;
  const directory = mkdtempSync(join(tmpdir(), "mintage-faults-worker-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  built = buildWorker("test/faults/worker.ts", directory);
  return built;
};

/** The service under faults. Its address changes with every restart. */
export class FaultyService {
  readonly chain: Devchain;
  readonly adminToken = randomBytes(32).toString("hex");
  /** The operator, at the terminal. */
  readonly operator: Caller;
  /** Kills at named points and failed calls of bindings, over all lives of the runtime. */
  readonly counts: WorkerFaultCounts = { kills: {}, storage: {}, schedule: [], rings: 0 };
  /** What the service has logged. */
  readonly lines: string[] = [];
  /** How often the whole runtime was killed. */
  runtimeKills = 0;
  #miniflare: Miniflare | null = null;
  #url = "";
  #faults: Omit<WorkerFaults, "life" | "hungUntil"> = {
    seed: 0,
    kill: 0,
    storage: 0,
    overdue: 0,
    object: 0,
  };
  #hungUntil = 0;
  #clock: Clock;
  #busy: Promise<unknown> = Promise.resolve();
  readonly #directory: string;
  readonly #platformKey: string;
  readonly #secrets = JSON.stringify({ 1: randomBytes(32).toString("base64") });

  private constructor(chain: Devchain, directory: string, platformKey: string, clock: Clock) {
    this.chain = chain;
    this.#directory = directory;
    this.#platformKey = platformKey;
    this.#clock = clock;
    this.operator = new Caller(this, `Bearer ${this.adminToken}`);
  }

  /** Starts everything. @param rate of the run's clock */
  static async start(blockMs: number, rate: number, weather: Weather): Promise<FaultyService> {
    const clock = { from: Date.now(), rate, ahead: 0 };
    let service: FaultyService | null = null;
    const directory = mkdtempSync(join(tmpdir(), "mintage-faults-"));
    const seed = randomBytes(32);
    const publicKey = ed25519.getPublicKey(seed);
    const account = {
      accountId: PLATFORM,
      publicKey: `ed25519:${base58.encode(publicKey)}`,
      balance: BALANCE,
    };
    const chain = await startDevchain({
      port: 0,
      blockMs,
      transactionValidityPeriod: VALIDITY_BLOCKS,
      gcBlocks: KEPT_BLOCKS,
      epochLength: KEPT_BLOCKS,
      pollingTimeoutMs: POLLING_TIMEOUT_MS / rate,
      accounts: [account],
      clock: () => timeOf(service?.clock ?? clock, Date.now()),
      faultsAt: (moment) => weather.rulesAt(moment),
    });
    const key = `ed25519:${base58.encode(Buffer.concat([seed, publicKey]))}`;
    service = new FaultyService(chain, directory, key, clock);
    await service.#run();
    await applyMigrations(batchIn((await service.database()) as unknown as D1Database));
    await service.rpc("devchain_faults", { seed: weather.seed, subject: MARKER.source });
    return service;
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** Now by the run's clock, milliseconds since 1970. */
  now(): number {
    return timeOf(this.#clock, Date.now());
  }

  get url(): string {
    return this.#url;
  }

  async #run(): Promise<void> {
    const at = (path: string) => `${this.chain.url}${path}`;
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        ...builtWorker(workerUnderFaults()),
        resourcePersistencePath: join(this.#directory, "state"),
        handleStructuredLogs: ({ message }) => {
          if (this.lines.length < MOST_LINES) this.lines.push(message);
        },
        bindings: {
          NEAR_NETWORK: "devchain",
          NEAR_RPC_URL: NODES.map(at).join(","),
          NEAR_ARCHIVAL_RPC_URL: at(ARCHIVE),
          PLATFORM_ACCOUNT_ID: PLATFORM,
          PLATFORM_PRIVATE_KEY: this.#platformKey,
          WALLET_SECRETS: this.#secrets,
          ADMIN_TOKEN: this.adminToken,
          LOCAL_WEBHOOKS: "on",
          WALLET_FUNDING: FUNDING,
          CONTRACT_FUNDING: FUNDING,
          SYNC_WAIT_MS: "8000",
          FAULT_CLOCK: JSON.stringify(this.#clock),
        },
      }),
    );
    this.#url = (await this.#miniflare.ready).origin;
  }

  /** The database, without faults. */
  database() {
    return this.#miniflare!.getD1Database("DB");
  }

  /** Sets what goes wrong within the Worker, now and after each restart. */
  async setFaults(faults: Omit<WorkerFaults, "life" | "hungUntil">): Promise<void> {
    this.#faults = faults;
    const options = {
      method: "PUT",
      body: JSON.stringify({ ...faults, life: this.runtimeKills, hungUntil: this.#hungUntil }),
    };
    await fetch(`${this.#url}/faults`, options).catch(() => undefined);
  }

  /** Has all calls of D1 hang for so long, by the run's clock, and then fail, whatever is killed meanwhile. Milliseconds. */
  async hangDatabase(ms: number): Promise<void> {
    await this.#busy;
    this.#hungUntil = this.now() + ms;
    await this.setFaults(this.#faults);
  }

  /** Adds what the runtime has counted so far to the counts. Once a life. */
  async collect(): Promise<void> {
    const found = await fetch(`${this.#url}/faults`).catch(() => null);
    if (!found?.ok) return;
    const { kills, storage, schedule, rings } = (await found.json()) as WorkerFaultCounts;
    addCounts(this.counts.kills, kills);
    addCounts(this.counts.storage, storage);
    for (const fault of schedule) this.counts.schedule.push(fault);
    this.counts.rings += rings;
  }

  /** Alarms that rang in this life of the runtime. */
  async rings(): Promise<number> {
    const counts = await retry(CONNECTION, async () => (await fetch(`${this.#url}/faults`)).json());
    return (counts as WorkerFaultCounts).rings;
  }

  /**
   * Kills the whole runtime without a warning, and starts it again on what it has stored. One at a time.
   * @param meanwhile what happens to the stored while nothing runs
   */
  killRuntime(meanwhile: () => void = () => undefined): Promise<void> {
    const kill = this.#busy.then(async () => {
      const hungFor = this.#hungUntil - this.now();
      await this.collect();
      for (const pid of runtimesOf(process.pid)) process.kill(pid, "SIGKILL");
      this.runtimeKills += 1;
      await this.#miniflare?.dispose().catch(() => undefined);
      meanwhile();
      await this.#run();
      // A restart can take longer than D1 stands still, which then nobody would meet.
      if (hungFor > 0) this.#hungUntil = this.now() + hungFor;
      await this.setFaults(this.#faults);
    });
    this.#busy = kill.catch(() => undefined);
    return kill;
  }

  /** Copies the database as it is on disk, to go back to. */
  snapshot(): Promise<void> {
    return this.killRuntime(() => this.#copyDatabase("state", "snapshot"));
  }

  /** Goes back to the copy of the database. */
  revert(): Promise<void> {
    return this.killRuntime(() => this.#copyDatabase("snapshot", "state"));
  }

  #copyDatabase(from: string, to: string): void {
    const [source, target] = [from, to].map((name) => join(this.#directory, name, DATABASE));
    if (!existsSync(source!)) throw new Error(`there is no database at ${source}`);
    rmSync(target!, { recursive: true, force: true });
    cpSync(source!, target!, { recursive: true });
  }

  /** Copies the files of a ledger's object as they are on disk, to set it back to. */
  async copyLedger(wallet: string): Promise<void> {
    const copy = join(this.#directory, "ledgers", wallet);
    const files = await this.#filesOf(wallet);
    await this.killRuntime(() => {
      rmSync(copy, { recursive: true, force: true });
      mkdirSync(copy, { recursive: true });
      for (const file of files()) cpSync(file, join(copy, basename(file)));
    });
  }

  /** Sets a ledger's object back to its copy. */
  async setLedgerBack(wallet: string): Promise<void> {
    const copy = join(this.#directory, "ledgers", wallet);
    const files = await this.#filesOf(wallet);
    await this.killRuntime(() => {
      const [first, ...others] = files();
      if (first === undefined) throw new Error(`there is no ledger of ${wallet}`);
      for (const file of [first, ...others]) rmSync(file);
      cpSync(copy, dirname(first), { recursive: true });
    });
  }

  /** The files of an object's SQLite, with its write-ahead log. */
  async #filesOf(wallet: string): Promise<() => string[]> {
    for (;;) {
      await this.#busy;
      const name = await this.suffer<string>({ do: "name", wallet });
      if (name !== null) return () => globSync(join(this.#directory, "state", "**", `${name}.sqlite*`));
    }
  }

  /** Rows of a ledger. Asks until it answers; the time of restarts doesn't count, which take long on a busy machine. */
  async ledgerRows<Row>(wallet: string, sql: string, ...params: readonly string[]): Promise<Row[]> {
    for (let tries = 0; tries < ROWS_TRIES; tries++) {
      await this.#busy;
      const rows = await this.suffer<Row[]>({ do: "rows", wallet, sql, params });
      if (rows !== null) return rows;
      await pause(ROWS_PAUSE_MS);
    }
    throw new Error(`the ledger of ${wallet} doesn't answer`);
  }

  /** Everything is off for a while: the clock jumps ahead, and blocks were made meanwhile without anybody looking. */
  async jump(ms: number, heights: number): Promise<void> {
    await this.killRuntime(() => {
      this.#clock = { ...this.#clock, ahead: this.#clock.ahead + ms };
    });
    await this.rpc("devchain_advance", { heights, blocks: 4 });
  }

  /** Has the Worker do what the platform or misfortune would. Null if it died of it. */
  async suffer<T>(misfortune: Misfortune): Promise<T | null> {
    const options = { method: "POST", body: JSON.stringify(misfortune) };
    const response = await fetch(`${this.#url}/faults`, options).catch(() => null);
    return response?.ok ? ((await response.json().catch(() => null)) as T) : null;
  }

  /** Faults that struck so far: of the nodes, and within the Worker. A line each. */
  async struck(): Promise<string[]> {
    const nodes = await this.nodeFaults();
    const lines = nodes.map(
      ({ kind, method, node, subject, nth }) => `${kind} ${method} ${node} ${subject} ${nth}`,
    );
    return [...lines, ...this.counts.schedule];
  }

  async nodeFaults(): Promise<InjectedFault[]> {
    return (await this.rpc<{ schedule: InjectedFault[] }>("devchain_faults", { schedule: true })).schedule;
  }

  /** Rings the schedule, as the platform does every minute. */
  async schedule(): Promise<void> {
    await this.suffer({ do: "schedule" });
  }

  /** Calls the chain by its sound node. */
  async rpc<T>(method: string, params: unknown): Promise<T> {
    const response = await retry(CONNECTION, () =>
      fetch(this.chain.url + ARCHIVE, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    );
    const { result, error } = (await response.json()) as { result?: T; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as T;
  }

  async stop(): Promise<void> {
    await this.#miniflare?.dispose();
    await this.chain.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Processes of the local runtime that this process started (Linux and macOS). */
const runtimesOf = (parent: number): number[] => {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,ppid=,comm="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, command]) => Number(ppid) === parent && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
};
