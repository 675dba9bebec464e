/** `npm run test:chain` with the URL of a node, which here is an embedded chain. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { KeyPair } from "near-api-js";
import { expect, onTestFinished, test } from "vitest";
import { startDevchain } from "../../devchain/index.ts";
import { ROOT } from "../support/imports.ts";
import { NEAR, rpc } from "./network.ts";

test("a run against a node ends with a table, and the next one repeats nothing that has passed", async () => {
  const pair = KeyPair.fromRandom("ed25519");
  const account = { accountId: "operator.test", publicKey: pair.getPublicKey().toString() };
  const chain = await startDevchain({ blockMs: 60, accounts: [{ ...account, balance: 1_000n * NEAR }] });
  const data = mkdtempSync(join(tmpdir(), "mintage-conformance-"));
  onTestFinished(async () => {
    await chain.close();
    rmSync(data, { recursive: true });
  });
  const node = ["--rpc", chain.url, "--account", account.accountId];
  const run = async () => {
    const args = ["test/chain/run.ts", ...node, "test/chain/rpc.test.ts"];
    const env = { ...process.env, MINTAGE_DATA: data, CHAIN_TEST_KEY: pair.toString() };
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
    const [said, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    return { said, status };
  };
  const table = /^area +passed +failed +not run\nrpc +[1-9]\d* +0 +0$/m;
  const first = await run();
  expect(first.said).toMatch(table);
  expect(first.said).not.toContain("skipped");
  const second = await run();
  expect(second.said).toMatch(table);
  expect(second.said).toMatch(/Tests .*\d+ skipped/);
  expect([first.status, second.status]).toEqual([0, 0]);
  // The keys that the run added are gone.
  const list = { request_type: "view_access_key_list", finality: "final", account_id: account.accountId };
  expect((await rpc(chain.url, "query", list)).body.result.keys).toHaveLength(1);
});
