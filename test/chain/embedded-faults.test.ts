/** What only the embedded chain can do: time by hand, faults on request, a short memory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyPair } from "near-api-js";
import { describe, expect, test } from "vitest";
import { startDevchain } from "../../devchain/index.ts";
import { actions, finalBlock, isRemote, type Json, keyNonce, NEAR, rpc, signed } from "./network.ts";

async function open(options = {}) {
  const pair = KeyPair.fromRandom("ed25519");
  const accounts = [
    { accountId: "from.test", publicKey: pair.getPublicKey().toString(), balance: `${1000n * NEAR}` },
    { accountId: "to.test", publicKey: pair.getPublicKey().toString(), balance: "0" },
  ];
  const chain = await startDevchain({ manual: true, pollingTimeoutMs: 300, accounts, ...options });
  const { url } = chain;
  const call = async (method: string, params: unknown): Promise<Json> => {
    const { body } = await rpc(url, method, params);
    if (body.error) throw new Error(JSON.stringify(body.error));
    return body.result;
  };
  const advance = (blocks: number) => call("devchain_advance", { blocks });
  let nonce = await keyNonce(url, "from.test", pair);
  const transfer = async (step = 1n) => {
    nonce += step;
    const { hash } = await finalBlock(url);
    return signed(pair, "from.test", "to.test", nonce, hash, [actions.transfer(1n)]);
  };
  const received = async () =>
    (await call("query", { request_type: "view_account", finality: "optimistic", account_id: "to.test" }))
      .amount;
  const send = (base64: string) => rpc(url, "send_tx", { signed_tx_base64: base64, wait_until: "NONE" });
  const status = (tx_hash: string) =>
    rpc(url, "tx", { tx_hash, sender_account_id: "from.test", wait_until: "NONE" });
  return { ...chain, call, advance, transfer, received, send, status, [Symbol.asyncDispose]: chain.close };
}

describe.skipIf(isRemote)("the chain's own methods", () => {
  test("are refused to a page in a browser, which sends an Origin, whatever the content type", async () => {
    await using chain = await open();
    const ask = (method: string, headers: Record<string, string>) =>
      fetch(chain.url, {
        method: "POST",
        headers: { "content-type": "text/plain", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }),
      });
    const page = { origin: "http://evil.example" };
    expect((await ask("devchain_status", {})).status).toBe(200);
    const refused = await ask("devchain_status", page);
    expect(refused.status).toBe(403);
    expect(((await refused.json()) as Json).error.message).toContain("send it without an Origin header");
    // What any node answers is for pages too: wallets ask nodes from the browser.
    expect((await ask("status", page)).status).toBe(200);
  });
});

describe.skipIf(isRemote)("manual time", () => {
  test("stands still until it is advanced, by blocks or by milliseconds", async () => {
    await using chain = await open();
    const height = async () => (await chain.call("status", [])).sync_info.latest_block_height;
    const before = await height();
    const first = await chain.call("block", { finality: "optimistic" });
    expect(await height()).toBe(before);
    await chain.advance(5);
    expect(await height()).toBe(before + 5);
    await chain.call("devchain_advance", { ms: 86_400_000 });
    const last = await chain.call("block", { finality: "optimistic" });
    const elapsed = BigInt(last.header.timestamp_nanosec) - BigInt(first.header.timestamp_nanosec);
    expect(elapsed).toBeGreaterThanOrEqual(86_400_000n * 1_000_000n);
    await expect(chain.call("devchain_advance", { blocks: -1 })).rejects.toThrow("blocks");
  });

  test("shows every status of a transaction in turn", async () => {
    await using chain = await open();
    const { base64, hash } = await chain.transfer();
    await chain.send(base64);
    const reached: string[] = [];
    for (let block = 0; block < 6; block++) {
      reached.push((await chain.status(hash)).body.result.final_execution_status);
      await chain.advance(1);
    }
    expect(reached).toEqual(["NONE", "INCLUDED", "EXECUTED_OPTIMISTIC", "EXECUTED", "EXECUTED", "FINAL"]);
  });

  test("includes a key's transactions in the order of their nonces, in whatever order they arrive", async () => {
    await using chain = await open();
    const batch = [await chain.transfer(), await chain.transfer(3n), await chain.transfer(5n)];
    for (const { base64 } of [...batch].reverse()) await chain.send(base64);
    await chain.advance(2);
    for (const { hash } of batch)
      expect((await chain.status(hash)).body.result.status).toEqual({ SuccessValue: "" });
    expect(await chain.received()).toBe("3");
  });

  test("ends a transaction's validity, and later the chain's record of it", async () => {
    await using chain = await open({ transactionValidityPeriod: 10, gcBlocks: 30 });
    const late = await chain.transfer();
    const landed = await chain.transfer();
    await chain.send(landed.base64);
    await chain.advance(15);
    for (const { base64 } of [late, landed]) {
      const { body } = await rpc(chain.url, "send_tx", { signed_tx_base64: base64, wait_until: "FINAL" });
      expect(body.error.data).toEqual({ TxExecutionError: { InvalidTxError: "Expired" } });
    }
    expect((await chain.status(landed.hash)).body.result.final_execution_status).toBe("FINAL");
    await chain.advance(30);
    expect((await chain.status(landed.hash)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
    const { body } = await rpc(chain.url, "block", { block_id: 3 });
    expect(body.error.cause.name).toBe("UNKNOWN_BLOCK");
    expect(await chain.received()).toBe("1");
  });

  test("ends the storage of old contract data before that of old keys", async () => {
    await using chain = await open({ dataBlocks: 5 });
    await chain.send((await chain.transfer()).base64);
    await chain.advance(10);
    const at = { block_id: 2, account_id: "from.test" };
    const { body } = await rpc(chain.url, "query", { request_type: "view_state", prefix_base64: "", ...at });
    expect(body.error.cause).toMatchObject({ name: "GARBAGE_COLLECTED_BLOCK", info: { block_height: 2 } });
    expect(await chain.call("query", { request_type: "view_account", ...at })).toHaveProperty("amount");
    const now = { request_type: "view_state", prefix_base64: "", finality: "final", account_id: "from.test" };
    expect((await chain.call("query", now)).values).toEqual([]);
  });

  test("creates accounts without a transaction, once", async () => {
    await using chain = await open();
    const account = {
      account_id: "made.test",
      public_key: KeyPair.fromRandom("ed25519").getPublicKey().toString(),
    };
    await chain.call("devchain_create_account", { ...account, balance: "7" });
    await chain.call("devchain_create_account", { ...account, balance: "9" });
    const query = { request_type: "view_account", finality: "optimistic", account_id: "made.test" };
    expect((await chain.call("query", query)).amount).toBe("7");
    await expect(
      chain.call("devchain_create_account", { ...account, account_id: "NO", balance: "1" }),
    ).rejects.toThrow("not an account id");
  });
});

describe.skipIf(isRemote)("an injected fault", () => {
  test("loses a reply after the transaction was accepted, or the request before", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "reply_lost", methods: ["send_tx"], count: 1 }] });
    const first = await chain.transfer();
    await expect(chain.send(first.base64)).rejects.toThrow();
    await chain.call("devchain_faults", { set: [{ kind: "request_lost", methods: ["send_tx"], count: 1 }] });
    const second = await chain.transfer();
    await expect(chain.send(second.base64)).rejects.toThrow();
    await chain.advance(3);
    expect((await chain.status(first.hash)).body.result.status).toEqual({ SuccessValue: "" });
    expect((await chain.status(second.hash)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
    const { injected, rules } = await chain.call("devchain_faults", { clear: true });
    expect(injected).toEqual({ "reply_lost:send_tx": 1, "request_lost:send_tx": 1 });
    expect(rules).toEqual([]);
  });

  test("carries out a request twice", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "duplicate", methods: ["send_tx"] }] });
    await chain.send((await chain.transfer()).base64);
    await chain.advance(3);
    expect(await chain.received()).toBe("1");
  });

  test("swaps two transactions of a key, of which the lower nonce is then invalid", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "reorder", count: 1 }] });
    const early = await chain.transfer();
    const later = await chain.transfer();
    await chain.send(early.base64);
    await chain.send(later.base64);
    await chain.advance(6);
    expect((await chain.status(later.hash)).body.result.status).toEqual({ SuccessValue: "" });
    expect((await chain.status(early.hash)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
    expect(await chain.received()).toBe("1");
  });

  test("answers from older blocks", async () => {
    await using chain = await open();
    const { base64, hash } = await chain.transfer();
    await chain.send(base64);
    await chain.advance(8);
    await chain.call("devchain_faults", { set: [{ kind: "lag", blocks: 8, node: "/slow" }] });
    const slow = async (method: string, params: unknown) =>
      (await rpc(`${chain.url}/slow`, method, params)).body;
    const head = (await chain.call("status", [])).sync_info.latest_block_height;
    expect((await slow("status", [])).result.sync_info.latest_block_height).toBe(head - 8);
    const asked = { tx_hash: hash, sender_account_id: "from.test", wait_until: "NONE" };
    expect((await slow("tx", asked)).error.cause.name).toBe("UNKNOWN_TRANSACTION");
    expect((await chain.status(hash)).body.result.final_execution_status).toBe("FINAL");
    expect((await slow("block", { block_id: head })).error.cause.name).toBe("UNKNOWN_BLOCK");
  });

  test("answers from the same block as long as a node is frozen, and ignores transactions based on later ones", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "freeze", node: "/a" }] });
    const frozen = async (method: string, params: unknown) =>
      (await rpc(`${chain.url}/a`, method, params)).body;
    const height = async () => (await frozen("status", [])).result.sync_info.latest_block_height;
    const stands = await height();
    await chain.advance(6);
    expect(await height()).toBe(stands);
    expect((await chain.call("status", [])).sync_info.latest_block_height).toBe(stands + 6);
    const { base64, hash } = await chain.transfer();
    await frozen("send_tx", { signed_tx_base64: base64, wait_until: "NONE" });
    await chain.advance(3);
    expect(await chain.received()).toBe("0");
    await chain.send(base64);
    await chain.advance(6);
    const asked = { tx_hash: hash, sender_account_id: "from.test", wait_until: "NONE" };
    expect((await frozen("tx", asked)).error.cause.name).toBe("UNKNOWN_TRANSACTION");
    expect((await chain.status(hash)).body.result.final_execution_status).toBe("FINAL");
    await chain.call("devchain_faults", { clear: true });
    expect(await height()).toBeGreaterThan(stands + 6);
  });

  test("sends a 429 with Retry-After", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "rate_limit", retry_after: "17" }] });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "status", params: [] });
    const limited = await fetch(chain.url, { method: "POST", body });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "17"]);
  });

  test("answers 429, garbage, TIMEOUT_ERROR, or falsely Expired and UNKNOWN_TRANSACTION", async () => {
    await using chain = await open();
    const faults = (rule: object) => chain.call("devchain_faults", { set: [{ count: 1, ...rule }] });
    await faults({ kind: "rate_limit" });
    const limited = await fetch(chain.url, { method: "POST", body: "{}" });
    expect(limited.status).toBe(400); // what is no request at all isn't counted
    await expect(rpc(chain.url, "status", [])).rejects.toThrow();
    await faults({ kind: "garbage" });
    await expect(rpc(chain.url, "status", [])).rejects.toThrow();
    await faults({ kind: "timeout", methods: ["status"] });
    expect(await rpc(chain.url, "status", [])).toMatchObject({
      status: 408,
      body: { error: { cause: { name: "TIMEOUT_ERROR" } } },
    });
    await faults({ kind: "expired", accepted: true });
    const { base64, hash } = await chain.transfer();
    expect((await chain.send(base64)).body.error.data.TxExecutionError.InvalidTxError).toBe("Expired");
    await chain.advance(6);
    await faults({ kind: "unknown_transaction" });
    expect((await chain.status(hash)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
    expect((await chain.status(hash)).body.result.status).toEqual({ SuccessValue: "" });
    await faults({ kind: "forget", blocks: 3 });
    expect((await chain.status(hash)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
  });

  test("makes a lagging node refuse what it can't know yet", async () => {
    await using chain = await open();
    await chain.advance(10);
    await chain.call("devchain_faults", { set: [{ kind: "lag", blocks: 8, node: "/slow" }] });
    const { base64 } = await chain.transfer();
    const sent = { signed_tx_base64: base64, wait_until: "INCLUDED" };
    const { body } = await rpc(`${chain.url}/slow`, "send_tx", sent);
    expect(body.error.data.TxExecutionError.InvalidTxError).toBe("Expired");
    await chain.advance(2);
    expect(await chain.received()).toBe("0");
    await chain.send(base64);
    await chain.advance(2);
    expect(await chain.received()).toBe("1");
  });

  test("breaks every connection while a node is down, or leaves requests unanswered", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "down", node: "/a" }] });
    for (let tries = 0; tries < 3; tries++)
      await expect(rpc(`${chain.url}/a`, "status", [])).rejects.toThrow("fetch failed");
    await chain.call("devchain_faults", { set: [{ kind: "hang", node: "/b" }] });
    const asked = fetch(`${chain.url}/b`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "status", params: [] }),
      signal: AbortSignal.timeout(200),
    });
    await expect(asked).rejects.toThrow();
    expect(await chain.call("status", [])).toHaveProperty("sync_info");
  });

  test("occurs by chance, which is the same for the same seed", async () => {
    await using chain = await open();
    const play = async () => {
      await chain.call("devchain_faults", { set: [{ kind: "request_lost", probability: 0.5 }], seed: 42 });
      const lost: boolean[] = [];
      for (let i = 0; i < 20; i++)
        lost.push(
          await rpc(chain.url, "health", []).then(
            () => false,
            () => true,
          ),
        );
      return lost;
    };
    const first = await play();
    expect(await play()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([true, false]));
    await expect(chain.call("devchain_faults", { set: [{ kind: "nonsense" }] })).rejects.toThrow("kind");
  });
});

describe.skipIf(isRemote)("dropped blocks", () => {
  const status = (answer: Json) => answer.body.result?.final_execution_status ?? answer.body.error.cause.name;

  test("lose all their effects, while the node reports INCLUDED until the transaction lands again", async () => {
    await using chain = await open();
    await chain.advance(5);
    const { base64, hash } = await chain.transfer();
    await chain.send(base64);
    await chain.advance(2);
    expect(await chain.received()).toBe("1");
    const before = (await chain.status(hash)).body.result;
    const { transactions, final_height } = await chain.call("devchain_orphan", { blocks: 2 });
    expect(transactions).toEqual([hash]);
    await chain.advance(20);
    expect(await chain.received()).toBe("0");
    const asked = (await chain.status(hash)).body.result;
    expect(asked).toMatchObject({ final_execution_status: "INCLUDED", status: "Started" });
    const dropped = asked.transaction_outcome.block_hash;
    expect(dropped).toBe(before.transaction_outcome.block_hash);
    // The block of the fork is shown to who knows its hash; its height has another one.
    const fork = (await chain.call("block", { block_id: dropped })).header;
    const canonical = (await chain.call("block", { block_id: fork.height })).header;
    expect(canonical.height).toBe(fork.height);
    expect(canonical.hash).not.toBe(dropped);
    expect(fork.height).toBeGreaterThan(final_height);
    await chain.send(base64);
    await chain.advance(6);
    expect(status(await chain.status(hash))).toBe("FINAL");
    expect(await chain.received()).toBe("1");
  });

  test("are never final ones, and final blocks stay", async () => {
    await using chain = await open();
    await chain.advance(10);
    const heights = async () => {
      const { height, final_height } = await chain.call("devchain_status", {});
      return { height, final: final_height, shown: (await finalBlock(chain.url)).height };
    };
    const before = await heights();
    await chain.call("devchain_orphan", { blocks: 50 });
    expect(await heights()).toEqual({ height: before.final, final: before.final, shown: before.final });
    await chain.advance(1);
    expect(await heights()).toEqual({ height: before.final + 1, final: before.final, shown: before.final });
    await chain.advance(3);
    expect((await heights()).final).toBe(before.final + 2);
  });

  test("leave their heights without a block", async () => {
    await using chain = await open();
    await chain.advance(5);
    const { height } = await chain.call("devchain_status", {});
    await chain.call("devchain_orphan", { blocks: 2, heights: "next" });
    await chain.advance(6);
    for (const gone of [height, height - 1]) {
      const { body } = await rpc(chain.url, "block", { block_id: gone });
      expect(body.error.cause.name).toBe("UNKNOWN_BLOCK");
    }
    const { header } = await chain.call("block", { block_id: height + 1 });
    expect(header).toMatchObject({ height: height + 1, prev_height: height - 2 });
    const { base64, hash } = await chain.transfer();
    await chain.send(base64);
    await chain.advance(6);
    expect(status(await chain.status(hash))).toBe("FINAL");
  });

  test("lose keys and accounts of transactions, and not those that the test created", async () => {
    await using chain = await open();
    await chain.advance(5);
    const key = (await chain.call("query", { ...keysOf("from.test") })).keys[0].public_key;
    await chain.call("devchain_create_account", { account_id: "made.test", public_key: key, balance: "7" });
    const nonce = async () => (await chain.call("query", keysOf("from.test"))).keys[0].access_key.nonce;
    const unused = await nonce();
    await chain.send((await chain.transfer()).base64);
    await chain.advance(1);
    expect(await nonce()).toBeGreaterThan(unused);
    await chain.call("devchain_orphan", { blocks: 2 });
    expect(await nonce()).toBe(unused);
    await chain.advance(1);
    expect((await chain.call("query", keysOf("made.test"))).keys).toHaveLength(1);
  });

  test("are still dropped after a restart", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "devchain-orphan-"));
    try {
      const first = await open({ dataDir });
      await first.advance(5);
      const { base64, hash } = await first.transfer();
      await first.send(base64);
      await first.advance(1);
      await first.call("devchain_orphan", {});
      await first.close();
      const again = await startDevchain({ manual: true, dataDir });
      const asked = { tx_hash: hash, sender_account_id: "from.test", wait_until: "NONE" };
      await rpc(again.url, "devchain_advance", { blocks: 4 });
      expect(status(await rpc(again.url, "tx", asked))).toBe("INCLUDED");
      const to = { request_type: "view_account", finality: "final", account_id: "to.test" };
      expect((await rpc(again.url, "query", to)).body.result.amount).toBe("0");
      await again.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test("occur together with a transaction whose block should be dropped", async () => {
    await using chain = await open();
    await chain.advance(5);
    for (const blocks of [1, 2]) {
      await chain.call("devchain_faults", { set: [{ kind: "orphan", count: 1, blocks }] });
      const { base64, hash } = await chain.transfer();
      await chain.send(base64);
      await chain.advance(6);
      expect(status(await chain.status(hash))).toBe("INCLUDED");
      await chain.send(base64);
      await chain.advance(6);
      expect(status(await chain.status(hash))).toBe("FINAL");
    }
    expect((await chain.call("devchain_status", {})).faults.injected).toEqual({ "orphan:send_tx": 2 });
  });
});

const keysOf = (account_id: string) => ({
  request_type: "view_access_key_list",
  finality: "optimistic",
  account_id,
});

describe.skipIf(isRemote)("frozen nodes, deleted keys and jumps in time", () => {
  test("a frozen node answers as of one moment, and passes no transaction on", async () => {
    await using chain = await open();
    const [early, late] = [await chain.transfer(), await chain.transfer()];
    await chain.send(early.base64);
    await chain.advance(1);
    await chain.call("devchain_faults", { set: [{ kind: "freeze", node: "/a" }] });
    const frozen = async (method: string, params: unknown) =>
      (await rpc(`${chain.url}/a`, method, params)).body;
    const asked = (tx_hash: string) => ({ tx_hash, sender_account_id: "from.test", wait_until: "NONE" });
    const { height } = await chain.call("devchain_status", {});
    await chain.advance(50);
    const sent = await frozen("send_tx", { signed_tx_base64: late.base64, wait_until: "NONE" });
    expect(sent.result.final_execution_status).toBe("NONE");
    await chain.advance(5);
    expect((await frozen("status", [])).result.sync_info.latest_block_height).toBe(height);
    expect((await frozen("block", { finality: "final" })).result.header.height).toBe(height - 2);
    expect((await frozen("tx", asked(early.hash))).result.final_execution_status).toBe("INCLUDED");
    expect((await frozen("tx", asked(late.hash))).result.final_execution_status).toBe("NONE");
    expect((await chain.status(early.hash)).body.result.final_execution_status).toBe("FINAL");
    expect((await chain.status(late.hash)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
    await chain.call("devchain_faults", { clear: true });
    expect((await frozen("status", [])).result.sync_info.latest_block_height).toBe(height + 55);
  });

  test("one transaction is answered with an error by every node, and no other is", async () => {
    await using chain = await open();
    const [first, second] = [await chain.transfer(), await chain.transfer()];
    for (const { base64 } of [first, second]) await chain.send(base64);
    await chain.advance(6);
    const cause = async (hash: string) => (await chain.status(hash)).body.error?.cause.name;
    await chain.call("devchain_faults", { set: [{ kind: "per_hash", hash: second.hash }] });
    expect([await cause(first.hash), await cause(second.hash)]).toEqual([undefined, "INTERNAL_ERROR"]);
    await chain.call("devchain_faults", {
      set: [{ kind: "per_hash", count: 1, error: "UNAVAILABLE_SHARD" }],
    });
    for (let tries = 0; tries < 3; tries++)
      expect([await cause(first.hash), await cause(second.hash)]).toEqual(["UNAVAILABLE_SHARD", undefined]);
  });

  test("an answer is delayed between two bounds", async () => {
    await using chain = await open();
    await chain.call("devchain_faults", { set: [{ kind: "delay", ms: 5, max_ms: 30 }] });
    for (let count = 0; count < 5; count++) await chain.call("status", []);
    expect((await chain.call("devchain_status", {})).faults.injected["delay:status"]).toBe(5);
  });

  test("a key is deleted without a transaction", async () => {
    await using chain = await open();
    const before = await chain.call("query", keysOf("from.test"));
    const deletion = { account_id: "from.test", public_key: before.keys[0].public_key };
    expect((await chain.call("devchain_delete_key", deletion)).deleted).toBe(true);
    expect((await chain.call("query", keysOf("from.test"))).keys).toEqual([]);
    expect((await chain.call("devchain_delete_key", deletion)).deleted).toBe(false);
    await chain.send((await chain.transfer().catch(() => ({ base64: "" }))).base64);
    await chain.advance(3);
    expect(await chain.received()).toBe("0");
  });

  test("time and heights jump eight days ahead, and the chain continues", async () => {
    await using chain = await open({ gcBlocks: 1_000 });
    await chain.advance(5);
    const before = await chain.call("block", { finality: "final" });
    const days = { ms: 8 * 86_400_000, heights: 1_000_000, blocks: 4 };
    await chain.call("devchain_advance", days);
    const after = await chain.call("block", { finality: "final" });
    expect(after.header.height).toBeGreaterThan(before.header.height + 1_000_000);
    const elapsed = BigInt(after.header.timestamp_nanosec) - BigInt(before.header.timestamp_nanosec);
    expect(elapsed).toBeGreaterThanOrEqual(BigInt(days.ms) * 1_000_000n);
    const { base64, hash } = await chain.transfer();
    await chain.send(base64);
    await chain.advance(6);
    expect((await chain.status(hash)).body.result.final_execution_status).toBe("FINAL");
    expect(await chain.received()).toBe("1");
  });
});

describe.skipIf(isRemote)("random faults", () => {
  test("at one moment are independent of what happens before or after it", async () => {
    const moments: string[][] = [];
    const play = async (order: readonly string[]) => {
      const seen: string[] = [];
      await using chain = await open({
        faultsAt: ({ subject, nth }: { subject: string; nth: number }) => {
          seen.push(`${subject}#${nth}`);
          return [{ kind: "garbage" as const, probability: 0.5 }];
        },
      });
      await chain.call("devchain_faults", { seed: 7, subject: "[a-z]+[0-9]" });
      for (const name of order) {
        const args_base64 = Buffer.from(name).toString("base64");
        const view = { request_type: "call_function", account_id: "to.test", method_name: "f", args_base64 };
        await rpc(chain.url, "query", { ...view, finality: "final" }).catch(() => undefined);
      }
      moments.push(seen);
      const { schedule } = await chain.call("devchain_faults", { schedule: true });
      return schedule.map(({ subject, nth }: { subject: string; nth: number }) => `${subject}#${nth}`).sort();
    };
    const names = Array.from({ length: 30 }, (_, index) => `name${index % 10}`);
    const struck = await play(names);
    expect(await play([...names].reverse())).toEqual(struck);
    expect(struck.length).toBeGreaterThan(5);
    expect(struck.length).toBeLessThan(25);
    expect(moments[0]).not.toEqual(moments[1]);
  });
});
