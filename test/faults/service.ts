/** The service of a fault run: a chain of several nodes, and the Worker in a runtime that can be killed and come back. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { type Devchain, startDevchain } from "../../devchain/index.ts";
import { applyMigrations, batchIn, buildWorker, builtWorker } from "../../scripts/local-runtime.ts";
import type { WorkerFaultCounts, WorkerFaults } from "./worker.ts";

const PLATFORM = "platform.faults";
/** yoctoNEAR: a hundred million NEAR, and ten thousand for each wallet and contract. */
const BALANCE = 10n ** 32n;
const FUNDING = (10n ** 28n).toString();
/** Paths are different nodes of one network; faults befall the first two, the archive is sound. */
const NODES = ["/a", "/b"];
const ARCHIVE = "/archive";
/** Blocks in which a transaction stays valid: few, so that some run out of them. */
const VALIDITY_BLOCKS = 400;

/** Merges counts of the same names. */
export const addCounts = (to: Record<string, number>, from: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
};

/** The service under faults. Its address changes with every restart. */
export class FaultyService {
  readonly chain: Devchain;
  readonly adminToken = randomBytes(32).toString("hex");
  /** Kills at named points and failed calls of bindings, over all lives of the runtime. */
  readonly counts: WorkerFaultCounts = { kills: {}, storage: {} };
  /** How often the whole runtime was killed. */
  runtimeKills = 0;
  #miniflare: Miniflare | null = null;
  #url = "";
  #faults: WorkerFaults = { seed: 0, kill: 0, storage: 0 };
  readonly #directory: string;
  readonly #platformKey: string;
  readonly #secrets = JSON.stringify({ 1: randomBytes(32).toString("base64") });

  private constructor(chain: Devchain, directory: string, platformKey: string) {
    this.chain = chain;
    this.#directory = directory;
    this.#platformKey = platformKey;
  }

  /** Builds the Worker and starts everything. */
  static async start(blockMs: number): Promise<FaultyService> {
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
      accounts: [account],
    });
    const key = `ed25519:${base58.encode(Buffer.concat([seed, publicKey]))}`;
    const service = new FaultyService(chain, directory, key);
    buildWorker("test/faults/worker.ts", directory);
    await service.#run();
    await applyMigrations(batchIn((await service.database()) as unknown as D1Database));
    return service;
  }

  get url(): string {
    return this.#url;
  }

  async #run(): Promise<void> {
    const at = (path: string) => `${this.chain.url}${path}`;
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        ...builtWorker(join(this.#directory, "worker")),
        resourcePersistencePath: join(this.#directory, "state"),
        handleStructuredLogs: () => undefined,
        bindings: {
          NEAR_NETWORK: "devchain",
          NEAR_RPC_URL: NODES.map(at).join(","),
          NEAR_ARCHIVAL_RPC_URL: at(ARCHIVE),
          PLATFORM_ACCOUNT_ID: PLATFORM,
          PLATFORM_PRIVATE_KEY: this.#platformKey,
          WALLET_SECRETS: this.#secrets,
          ADMIN_TOKEN: this.adminToken,
          WALLET_FUNDING: FUNDING,
          CONTRACT_FUNDING: FUNDING,
          SYNC_WAIT_MS: "8000",
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
  async setFaults(faults: WorkerFaults): Promise<void> {
    this.#faults = faults;
    const options = { method: "PUT", body: JSON.stringify(faults) };
    await fetch(`${this.#url}/faults`, options).catch(() => undefined);
  }

  /** Adds what the runtime has counted so far to the counts. Once a life. */
  async collect(): Promise<void> {
    const found = await fetch(`${this.#url}/faults`).catch(() => null);
    if (!found?.ok) return;
    const { kills, storage } = (await found.json()) as WorkerFaultCounts;
    addCounts(this.counts.kills, kills);
    addCounts(this.counts.storage, storage);
  }

  /** Kills the whole runtime without a warning, and starts it again on what it has stored. */
  async killRuntime(): Promise<void> {
    await this.collect();
    for (const pid of runtimesOf(process.pid)) process.kill(pid, "SIGKILL");
    this.runtimeKills += 1;
    await this.#miniflare?.dispose().catch(() => undefined);
    await this.#run();
    await this.setFaults({ ...this.#faults, seed: this.#faults.seed + this.runtimeKills });
  }

  /** Rings the schedule, as the platform does every minute. */
  async schedule(): Promise<void> {
    await fetch(`${this.#url}/faults`, { method: "POST" }).catch(() => undefined);
  }

  /** Calls the chain by its sound node. */
  async rpc<T>(method: string, params: unknown): Promise<T> {
    const response = await fetch(this.chain.url + ARCHIVE, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
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
