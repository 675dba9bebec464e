/** The whole service for a bench: the Worker as it is deployed, in the local runtime, on an embedded chain. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { startDevchain } from "../devchain/index.ts";
import { applyMigrations, batchIn, buildWorker, builtWorker } from "../scripts/local-runtime.ts";
import type { WalletObject } from "../src/wallet/object.ts";

/** The platform's account, which receives what benches mint and pay out. */
export const PLATFORM = "platform.bench";
/** yoctoNEAR: ten million NEAR. */
const BALANCE = 10n ** 31n;

/** The node that the service asks, a path of the chain's address, so that its calls can be told from a bench's own. */
export const SERVICE_NODE = "/service";

/** A file system in memory, where the system has one (Linux). */
const MEMORY = "/dev/shm";

/** Whether what a service stores can be kept in memory. */
export const hasMemory = existsSync(MEMORY);

/** A service that runs. */
export interface BenchService {
  readonly url: string;
  readonly rpcUrl: string;
  /** Process id of the runtime that executes the Worker. */
  readonly pid: number;
  /** Where the Worker's isolate is inspected, with `inspected`. */
  readonly inspectorUrl: string | null;
  /** What the Worker stores in, to look at from outside. */
  storage(): Promise<{ readonly DB: D1Database; readonly BUCKET: R2Bucket }>;
  /** The wallet of an integration, which signs what it is handed. */
  wallet(integrationUuid: string): Promise<WalletObject>;
  /** The operator's token. */
  readonly adminToken: string;
  /** Runs the scheduled job once. */
  runSchedule(): Promise<void>;
  /** A request to the operator's surface, its JSON answer. @throws Error with the answer where that is no success */
  admin<Answer>(path: string, body: unknown, method?: "GET" | "POST" | "PUT"): Promise<Answer>;
  stop(): Promise<void>;
}

/** A network, and the account that is the platform's there. */
export interface Network {
  readonly rpcUrl: string;
  /** As NEAR_NETWORK names it. */
  readonly name: string;
  readonly accountId: string;
  /** `ed25519:` and base58 of seed and public key. */
  readonly privateKey: string;
  stop(): Promise<void>;
}

/** A chain of its own, with an account that has plenty. */
async function embeddedNetwork(blockMs: number): Promise<Network> {
  const seed = randomBytes(32);
  const publicKey = ed25519.getPublicKey(seed);
  const chain = await startDevchain({
    port: 0,
    blockMs,
    accounts: [{ accountId: PLATFORM, publicKey: `ed25519:${base58.encode(publicKey)}`, balance: BALANCE }],
  });
  return {
    rpcUrl: chain.url,
    name: "devchain",
    accountId: PLATFORM,
    privateKey: `ed25519:${base58.encode(Buffer.concat([seed, publicKey]))}`,
    stop: () => chain.close(),
  };
}

/** The Worker's name, as wrangler.toml has it. */
const NAME = "mintage";

/** A socket of the Worker's own, and no assets. */
const UNROUTED = { assets: undefined, unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] };

/** Starts the Worker whose entry point is given, on a network or, without one, a chain with blocks of `blockMs`. */
export async function startService({
  entry,
  blockMs,
  network: given,
  inspected = false,
  quiet = false,
  inMemory = false,
  unrouted = false,
  onLine = () => undefined,
  built,
  settings = {},
}: {
  entry: string;
  blockMs: number;
  network?: Network;
  inspected?: boolean;
  /** Says nothing of requests that go wrong, where they are meant to. */
  quiet?: boolean;
  /**
   * Keeps what it stores in memory, where that can be. The local runtime waits for the disk at each commit of the database
   * and of an object, in the one thread that does everything; a deployment's commit elsewhere, beside one another.
   */
  inMemory?: boolean;
  /**
   * Sends requests to the Worker directly, and serves no static files (/docs). Otherwise the local runtime routes them through
   * Workers of its own, in the thread that is measured; in a deployment the platform routes.
   */
  unrouted?: boolean;
  /** Is called with each line that a Worker logs. */
  onLine?: (line: string) => void;
  /** Changes the Worker's build in its folder, which isn't minified then. */
  built?: (folder: string) => void;
  /** Settings of the Worker beside those of every bench (docs/deploying.md). */
  settings?: Readonly<Record<string, string>>;
}): Promise<BenchService> {
  const directory = mkdtempSync(join(inMemory && hasMemory ? MEMORY : tmpdir(), "mintage-bench-"));
  const state = join(directory, "state");
  const network = given ?? (await embeddedNetwork(blockMs));
  const adminToken = randomBytes(32).toString("hex");
  const bindings = {
    NEAR_NETWORK: network.name,
    NEAR_RPC_URL: `${network.rpcUrl}${SERVICE_NODE}`,
    PLATFORM_ACCOUNT_ID: network.accountId,
    PLATFORM_PRIVATE_KEY: network.privateKey,
    WALLET_SECRETS: JSON.stringify({ 1: randomBytes(32).toString("base64") }),
    ADMIN_TOKEN: adminToken,
    // 10,000 assets need more than a new wallet usually has.
    WALLET_FUNDING: "100000000000000000000000000",
    ...settings,
  };
  const out = buildWorker(entry, directory, { minify: built === undefined });
  built?.(out);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [{ ...builtWorker(out), ...(unrouted && UNROUTED), name: NAME, bindings }],
      ...(inspected ? { inspectorPort: 0 } : {}),
      resourcePersistencePath: state,
      // Requests are logged a line each; a bench has figures of its own. What goes wrong is shown.
      handleStructuredLogs: ({ level, message }) => {
        onLine(message);
        if (quiet) return;
        if (level === "error" || level === "warn") process.stderr.write(`${message}\n`);
      },
    }),
  );
  const routed = await miniflare.ready;
  const url = (unrouted ? await miniflare.unsafeGetDirectURL() : routed).origin;
  await applyMigrations(batchIn((await miniflare.getD1Database("DB")) as unknown as D1Database));
  // A runtime that stores elsewhere, because it knows another name of the option, would be measured on another disk.
  if (!existsSync(state)) throw new Error(`the runtime stores nothing in ${state}`);
  return {
    url,
    rpcUrl: network.rpcUrl,
    pid: runtimeOf(process.pid),
    adminToken,
    inspectorUrl: inspected ? (await miniflare.getInspectorURL()).href : null,
    async storage() {
      return {
        DB: await miniflare.getD1Database("DB"),
        BUCKET: await miniflare.getR2Bucket("BUCKET"),
      } as never;
    },
    async wallet(integrationUuid) {
      const wallets = await miniflare.getDurableObjectNamespace("WALLET");
      return wallets.get(wallets.idFromName(integrationUuid)) as unknown as WalletObject;
    },
    async runSchedule() {
      await (await miniflare.getWorker(NAME)).scheduled({ cron: "* * * * *" });
    },
    async admin<Answer>(
      path: string,
      body: unknown,
      method: "GET" | "POST" | "PUT" = "POST",
    ): Promise<Answer> {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Answer;
      // 202 would be an answer that isn't there yet.
      if (response.status !== (method === "POST" ? 201 : 200))
        throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
    async stop() {
      await miniflare.dispose();
      await network.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The process of the runtime among the children of this one (Linux). */
function runtimeOf(parent: number): number {
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(entry);
    if (stat?.includes("(workerd)") && Number(stat.split(") ")[1]?.split(" ")[1]) === parent)
      return Number(entry);
  }
  throw new Error("the runtime's process can't be found");
}

function statOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It ended between being listed and being read.
    return null;
  }
}
