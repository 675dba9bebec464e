/**
 * `npm run test:chain`: the conformance suite. Without a URL every test file starts an embedded chain of its own. With one it
 * runs against that node for at most 15 minutes, keeps its results in `.mintage/conformance/`, and prints a table. The next
 * run with the same URL continues with the tests that haven't passed.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import {
  Account,
  type Action,
  actions,
  JsonRpcProvider,
  KeyPairSigner,
  type KeyPairString,
} from "near-api-js";
import { createVitest, startVitest, type TestCase } from "vitest/node";

const USAGE = `Usage: npm run test:chain -- [options] [FILE …]
  --rpc URL      JSON-RPC address of a node; absent: embedded chains
  --account ID   an account with 100 NEAR, most of which stays in the accounts that the tests create
  --key KEY      its full-access key, ed25519:…; or CHAIN_TEST_KEY, which other users of the machine can't see
  --again        runs the tests that have passed before, too`;

/** Within 15 minutes with the start and the end of a run. */
const LONGEST_MS = 13 * 60_000;
/** For the deletion of the keys, which a node that fails doesn't carry out. */
const END_MS = 60_000;
/** Files that run at the same time, each with its own key: those of one key would compete for its nonces. */
const WORKERS = 5;

/** How a test ended, or the first line of its failure. `inapplicable`: it concerns embedded chains alone. */
type Outcome = "passed" | "inapplicable" | "not run" | { readonly failed: string };
/** Outcomes by file and full title. */
type Results = Record<string, Record<string, Outcome>>;

const { values, positionals } = parseArgs({
  options: {
    rpc: { type: "string" },
    account: { type: "string" },
    key: { type: "string" },
    again: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
/** Runs the suite against a network. @returns the exit code: 0 if every test has passed, in this run or an earlier one */
async function runRemotely(url: string, accountId: string, key: string): Promise<number> {
  const provider = new JsonRpcProvider({ url });
  const { chain_id, genesis_hash, protocol_version, version } = await provider.viewNodeStatus();
  // A node's own: what another one has passed says nothing of it. The URL may have a key in it.
  const node = createHash("sha256").update([url, genesis_hash, protocol_version].join(" ")).digest("hex");
  const folder = join(process.env.MINTAGE_DATA || ".mintage", "conformance");
  const file = join(folder, `${chain_id}-${node.slice(0, 8)}.json`);
  const results: Results = values.again || !existsSync(file) ? {} : JSON.parse(readFileSync(file, "utf8"));
  const signer = KeyPairSigner.fromSecretKey(key as KeyPairString);
  const keys = new WorkerKeys(new Account(accountId, provider, signer), key);
  await keys.add();
  process.env.CHAIN_TEST_RPC = url;
  process.env.CHAIN_TEST_ACCOUNT = accountId;
  process.env.CHAIN_TEST_KEYS = JSON.stringify(keys.secrets);
  process.env.CHAIN_TEST_PASSED = JSON.stringify(passedTests(results));
  mkdirSync(folder, { recursive: true });
  await run(results, () => writeFileSync(file, JSON.stringify(results, null, 2)));
  const deletion = keys.delete().then(
    () => true,
    () => false,
  );
  if (!(await Promise.race([deletion, setTimeout(END_MS, false)])))
    console.log(`\nThe keys of this run are still in ${accountId}: the next run deletes them.`);
  console.log(`\nNode ${version.version} of ${chain_id}, protocol version ${protocol_version}, at ${url}\n`);
  return show(results);
}

/** Access keys of the account for the duration of a run. An interrupted run leaves them; the next one uses and deletes them. */
class WorkerKeys {
  readonly secrets: readonly KeyPairString[];
  readonly #account: Account;

  /** @param key what the keys are derived from, so that an interrupted run can be continued without storing them */
  constructor(account: Account, key: string) {
    this.#account = account;
    this.secrets = Array.from({ length: WORKERS }, (_, index) => {
      const seed = createHash("sha256").update(`conformance ${index} ${key}`).digest();
      return `ed25519:${base58.encode(Buffer.concat([seed, ed25519.getPublicKey(seed)]))}` as const;
    });
  }

  async add(): Promise<void> {
    const known = await this.#known();
    const missing = (await this.#publicKeys()).filter((key) => !known.has(key.toString()));
    if (missing.length > 0) await this.#change(missing.map((key) => actions.addFullAccessKey(key)));
  }

  async delete(): Promise<void> {
    await this.#change((await this.#publicKeys()).map((key) => actions.deleteKey(key)));
  }

  #publicKeys() {
    return Promise.all(this.secrets.map((secret) => KeyPairSigner.fromSecretKey(secret).getPublicKey()));
  }

  async #known(): Promise<Set<string>> {
    return new Set(
      (await this.#account.getAccessKeyList()).keys.map(({ public_key }) => public_key.toString()),
    );
  }

  #change(batch: Action[]) {
    const receiverId = this.#account.accountId;
    return this.#account.signAndSendTransaction({ receiverId, actions: batch, waitUntil: "FINAL" });
  }
}

const passedTests = (results: Results): string[] =>
  Object.values(results).flatMap((tests) => Object.keys(tests).filter((title) => tests[title] === "passed"));

/**
 * Runs the tests that haven't passed yet, and adds their outcomes. Returns after the longest time, even if a test hangs.
 * @param keep stores the results, after each test: an interrupted run is continued
 */
async function run(results: Results, keep: () => void): Promise<void> {
  let isOver = false;
  const note = (test: TestCase) => {
    // What still runs then has no keys any more.
    if (isOver) return;
    const tests = results[test.module.relativeModuleId] ?? {};
    results[test.module.relativeModuleId] = tests;
    const { state, errors } = test.result();
    if (state === "failed") tests[test.fullName] = { failed: errors[0]?.message.split("\n")[0] ?? "" };
    else if (state === "passed") tests[test.fullName] = "passed";
    // Otherwise it has passed before, or the preparation of its file has failed, or the time is over.
    else tests[test.fullName] ??= test.options.mode === "skip" ? "inapplicable" : "not run";
    keep();
  };
  const reporters = ["default", { onTestCaseResult: note }];
  const vitest = await createVitest("test", {
    project: "chain",
    watch: false,
    maxWorkers: WORKERS,
    reporters,
  });
  // Its reporters write nothing before, and fail at the end.
  await vitest.standalone();
  // Files named `embedded-…` test embedded chains alone.
  const specifications = (await vitest.globTestSpecifications(positionals)).filter(
    ({ moduleId }) => !basename(moduleId).startsWith("embedded-"),
  );
  for (const { moduleId } of specifications) results[relative(process.cwd(), moduleId)] ??= {};
  await Promise.race([vitest.runTestSpecifications(specifications), setTimeout(LONGEST_MS)]);
  isOver = true;
}

/** Prints the table and each failure. @returns the exit code */
function show(results: Results): number {
  const rows = Object.entries(results).map(([file, tests]) => {
    const outcomes = Object.values(tests).filter((outcome) => outcome !== "inapplicable");
    const passed = outcomes.filter((outcome) => outcome === "passed").length;
    const failed = outcomes.filter((outcome) => typeof outcome === "object").length;
    const isUnknown = Object.keys(tests).length === 0;
    return {
      area: basename(file, ".test.ts"),
      passed,
      failed,
      left: isUnknown ? "all" : outcomes.length - passed - failed,
    };
  });
  console.log("area            passed  failed  not run");
  for (const { area, passed, failed, left } of rows) {
    if (passed + failed === 0 && left === 0) continue;
    console.log(
      `${area.padEnd(14)}${String(passed).padStart(8)}${String(failed).padStart(8)}${String(left).padStart(9)}`,
    );
  }
  for (const [file, tests] of Object.entries(results)) {
    for (const [title, outcome] of Object.entries(tests)) {
      if (typeof outcome === "object")
        console.log(`\nFAILED ${basename(file, ".test.ts")}: ${title}\n  ${outcome.failed}`);
    }
  }
  const isComplete = rows.every(({ failed, left }) => failed === 0 && left === 0);
  const success =
    positionals.length > 0 ? "Every test of these areas has passed." : "The node meets every requirement.";
  console.log(
    `\n${isComplete ? success : "Run the same command again to continue with what hasn't passed."}`,
  );
  return isComplete ? 0 : 1;
}

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const { rpc: url, account: accountId, key = process.env.CHAIN_TEST_KEY } = values;
if (url && accountId && key) process.exit(await runRemotely(url, accountId, key));
if (url ?? accountId ?? values.key) {
  console.error("Give --rpc, --account and --key (or CHAIN_TEST_KEY) together, or none of them.");
  process.exit(2);
}
await (await startVitest("test", positionals, { project: "chain", watch: false })).close();
