/**
 * Runs the conformance suite: `npm run test:chain -- [--rpc URL --account ID --key KEY]`. Without a URL every test file
 * starts an embedded chain of its own. The account has to hold 100 NEAR; most of it stays in the accounts that the tests make.
 */
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values, positionals } = parseArgs({
  options: { rpc: { type: "string" }, account: { type: "string" }, key: { type: "string" } },
  allowPositionals: true,
});
const given = [values.rpc, values.account, values.key].filter((value) => value !== undefined);
if (given.length !== 0 && given.length !== 3) {
  console.error("give --rpc, --account and --key together, or none of them");
  process.exit(2);
}
if (values.rpc && values.account && values.key) {
  process.env.CHAIN_TEST_RPC = values.rpc;
  process.env.CHAIN_TEST_ACCOUNT = values.account;
  process.env.CHAIN_TEST_KEY = values.key;
}
// One key signs for all test files of a remote network, so that they have to take turns.
const vitest = await startVitest("test", positionals, {
  project: "chain",
  watch: false,
  fileParallelism: values.rpc === undefined,
});
await vitest.close();
