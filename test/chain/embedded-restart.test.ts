/** The embedded chain's command: it keeps what it had, however it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KeyPair } from "near-api-js";
import { afterEach, describe, expect, test } from "vitest";
import { actions, finalBlock, isRemote, keyNonce, NEAR, rpc, signed } from "./network.ts";

const MAIN = fileURLToPath(new URL("../../devchain/main.ts", import.meta.url).href);
const directories: string[] = [];
const processes: ChildProcess[] = [];

afterEach(() => {
  for (const child of processes.splice(0)) child.kill("SIGKILL");
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), "devchain-"));
  directories.push(made);
  return made;
}

/** Starts the command and waits for its line. */
async function start(args: string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [MAIN, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  processes.push(child);
  const [line] = (await Promise.race([once(child.stdout!, "data"), once(child, "exit")])) as [Buffer];
  const found = /^devchain listening on (http:\S+)\n$/.exec(line.toString());
  if (!found) throw new Error(`the chain said ${line.toString()}`);
  return { url: found[1]!, child };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, "exit") as Promise<[number | null]>;
  child.kill(signal);
  return (await exit)[0];
}

async function balance(url: string, account_id: string): Promise<bigint> {
  const { body } = await rpc(url, "query", {
    request_type: "view_account",
    finality: "optimistic",
    account_id,
  });
  return BigInt(body.result.amount);
}

describe.skipIf(isRemote)("an embedded chain", () => {
  test("that is killed repeatedly while it works loses and doubles nothing", async () => {
    const pair = KeyPair.fromRandom("ed25519");
    const other = KeyPair.fromRandom("ed25519");
    const data = directory();
    const args = ["--data", data, "--block-ms", "15"];
    for (const [id, key] of [
      ["from.test", pair],
      ["to.test", other],
    ] as const)
      args.push("--account", `${id}:${key.getPublicKey().toString()}:${1000n * NEAR}`);

    let { url, child } = await start(args);
    const before = await balance(url, "to.test");
    const nonce = await keyNonce(url, "from.test", pair);
    const { hash: base } = await finalBlock(url);
    const count = 120;
    const batch = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        signed(pair, "from.test", "to.test", nonce + BigInt(index + 1), base, [actions.transfer(1n)]),
      ),
    );
    const send = (base64: string) => rpc(url, "broadcast_tx_async", [base64]).catch(() => undefined);
    for (let round = 0; round < 4; round++) {
      for (const { base64 } of batch.slice(round * 30, round * 30 + 30)) await send(base64);
      await end(child, "SIGKILL");
      ({ url, child } = await start(args));
      expect((await rpc(url, "status", [])).body.result.sync_info.latest_block_height).toBeGreaterThan(0);
    }
    // The pool of a node is not kept: who wasn't in a block is sent again, and who was is not done twice.
    for (const { base64 } of batch) await send(base64);
    for (const { hash, base64 } of batch) {
      const status = { tx_hash: hash, sender_account_id: "from.test", wait_until: "NONE" };
      const { body } = await rpc(url, "tx", status);
      // A lower nonce than one that landed before the kill is dead, as on any node.
      if (body.error) expect(body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
      else await rpc(url, "send_tx", { signed_tx_base64: base64, wait_until: "FINAL" });
    }
    const landed: string[] = [];
    for (const { hash } of batch) {
      const status = { tx_hash: hash, sender_account_id: "from.test", wait_until: "NONE" };
      const { body } = await rpc(url, "tx", status);
      if (body.result?.final_execution_status === "FINAL") landed.push(hash);
    }
    expect(landed.length).toBeGreaterThan(0);
    expect((await balance(url, "to.test")) - before).toBe(BigInt(landed.length));
    await checkBlocks(url);
    expect(await end(child, "SIGTERM")).toBe(0);
  });

  test("continues after a regular end, and creates its accounts once", async () => {
    const pair = KeyPair.fromRandom("ed25519");
    const account = `kept.test:${pair.getPublicKey().toString()}:${5n * NEAR}`;
    const args = ["--data", directory(), "--block-ms", "20", "--account", account];
    const first = await start(args);
    const { hash } = await finalBlock(first.url);
    const nonce = await keyNonce(first.url, "kept.test", pair);
    const spend = [actions.transfer(NEAR), actions.createAccount()];
    const tx = await signed(pair, "kept.test", "sub.kept.test", nonce + 1n, hash, spend.reverse());
    await rpc(first.url, "send_tx", { signed_tx_base64: tx.base64, wait_until: "FINAL" });
    const left = await balance(first.url, "kept.test");
    expect(await end(first.child, "SIGINT")).toBe(0);
    const second = await start(args);
    expect(await balance(second.url, "kept.test")).toBe(left);
    expect(await balance(second.url, "sub.kept.test")).toBe(NEAR);
    expect((await rpc(second.url, "block", { block_id: hash })).body.result.header.hash).toBe(hash);
  });

  test("reports that its port is in use", async () => {
    const { url } = await start([]);
    const port = new URL(url).port;
    const child = spawn(process.execPath, [MAIN, "--port", port], { stdio: ["ignore", "ignore", "pipe"] });
    processes.push(child);
    const [[text], [code]] = (await Promise.all([once(child.stderr!, "data"), once(child, "exit")])) as [
      [Buffer],
      [number],
    ];
    expect(text.toString()).toContain(`port ${port} is in use`);
    expect(code).toBe(1);
  });
});

/** Every block down to the first follows from the one before. */
async function checkBlocks(url: string): Promise<void> {
  let { hash } = await finalBlock(url);
  for (;;) {
    const { body } = await rpc(url, "block", { block_id: hash });
    const { header } = body.result;
    expect(header.hash).toBe(hash);
    if (header.height === 0) return;
    expect(header.prev_height).toBe(header.height - 1);
    hash = header.prev_hash;
  }
}
