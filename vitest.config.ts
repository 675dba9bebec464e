import { randomBytes, randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { WORKER_SETTINGS } from "./scripts/local-settings.ts";
import type { ChainHandle } from "./test/support/chain-farm.ts";
import { bundledPackages, codeOnly } from "./test/support/worker-modules.ts";

/** Waits for blocks are part of these tests, so that only a hang runs into the limit, however slow a machine is. Milliseconds. */
const CHAIN_TIMEOUT = 300_000;

/** Tests compute for about a third of their time and wait for blocks otherwise: two cores have room for five files at once. */
const WORKERS = Math.max(5, availableParallelism());

/** vitest sorts projects by name and begins with the largest files. Those of fault runs are small, and would be alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ project }: TestSpecification) => project.name === "faults";
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * What the Worker under test is configured with. The pool asks once for every test file, and each file gets a chain
 * and a platform account of its own: files run side by side without sharing a nonce.
 */
async function workerSettings(chainFarm: string) {
  const response = await fetch(`${chainFarm}/chains`, { method: "POST" });
  if (!response.ok) throw new Error(`no embedded chain: ${await response.text()}`);
  const chain = (await response.json()) as ChainHandle;
  return {
    // The Worker under test would have those of .dev.vars otherwise. Empty means absent.
    ...Object.fromEntries(WORKER_SETTINGS.map((name) => [name, ""])),
    NEAR_NETWORK: "devchain",
    LOCAL_WEBHOOKS: "on",
    NEAR_RPC_URL: chain.rpcUrl,
    PLATFORM_ACCOUNT_ID: chain.platformAccountId,
    PLATFORM_PRIVATE_KEY: chain.platformPrivateKey,
    WALLET_SECRETS: JSON.stringify({ 1: randomBytes(32).toString("base64") }),
    ADMIN_TOKEN: randomBytes(32).toString("hex"),
    // No integration has it until a test makes one.
    OPERATOR_INTEGRATION: randomUUID(),
    TEST_CHAIN: `${chainFarm}/chains/${chain.port}`,
    TEST_MIGRATIONS: await readD1Migrations("migrations"),
  };
}

/**
 * Without eviction: an object without requests is evicted after ten seconds, a counter's period. A busy machine takes that long
 * between two requests that a test sends at one time of its clock.
 */
const REQUEST_COUNTER = { className: "RequestCounter", useSQLite: true, unsafePreventEviction: true };

/** Tests inside workerd. @param folders below test/ */
const inWorkerd = (name: string, folders: readonly string[]) => ({
  extends: true as const,
  plugins: [
    cloudflareTest(async ({ inject }) => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        bindings: await workerSettings(inject("chainFarm")),
        durableObjects: { REQUEST_COUNTER },
        // Not IMAGES: thumbnails are made by the library unless a test says otherwise.
        images: { binding: "TEST_IMAGES" },
      },
    })),
    codeOnly(),
  ],
  // In this folder, not in node_modules: a copy of the project, which mutants are tried in, shares those.
  cacheDir: ".vite",
  test: {
    name,
    deps: { optimizer: bundledPackages() },
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/worker-setup.ts"],
    testTimeout: CHAIN_TIMEOUT,
    hookTimeout: CHAIN_TIMEOUT,
  },
});

export default defineConfig({
  test: {
    // A request is a line of log; those of tests that pass say nothing.
    silent: "passed-only",
    // As long as a busy machine may need; vitest gives a second.
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: WORKERS,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          environment: "node",
          // Pure functions, for the most part: files share a worker, and modules that are loaded.
          isolate: false,
          include: ["test/unit/**/*.test.ts", "client/test/**/*.test.ts", "cli/test/**/*.test.ts"],
          testTimeout: CHAIN_TIMEOUT,
        },
      },
      {
        extends: true,
        test: {
          name: "chain",
          environment: "node",
          globalSetup: ["test/support/global-setup.ts"],
          include: ["test/chain/**/*.test.ts"],
          testTimeout: CHAIN_TIMEOUT,
          hookTimeout: CHAIN_TIMEOUT,
        },
      },
      {
        extends: true,
        test: {
          name: "faults",
          environment: "node",
          globalSetup: ["test/support/global-setup.ts"],
          include: ["test/faults/**/*.test.ts"],
          testTimeout: CHAIN_TIMEOUT,
          hookTimeout: CHAIN_TIMEOUT,
        },
      },
      {
        extends: true,
        test: {
          name: "start",
          environment: "node",
          include: ["test/start/**/*.test.ts"],
          testTimeout: 2 * CHAIN_TIMEOUT,
          hookTimeout: CHAIN_TIMEOUT,
        },
      },
      {
        extends: true,
        test: {
          name: "pages",
          environment: "node",
          include: ["test/pages/**/*.test.ts"],
          testTimeout: CHAIN_TIMEOUT,
          hookTimeout: CHAIN_TIMEOUT,
        },
      },
      inWorkerd("api", ["api"]),
      inWorkerd("api-slow", ["losses", "nodes", "scale"]),
    ],
  },
});
