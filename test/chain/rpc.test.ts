/** What a node says of itself and of its blocks. Runs against any network. */
import { beforeAll, describe, expect, test } from "vitest";
import { connect, finalBlock, type Network, rpc } from "./network.ts";

let network: Network;
beforeAll(async () => {
  network = await connect();
});

describe("blocks", () => {
  test("can be read by finality, height and hash, and final ones are two behind the head", async () => {
    const { url } = network;
    const { body: optimistic } = await rpc(url, "block", { finality: "optimistic" });
    const { body: nearFinal } = await rpc(url, "block", { finality: "near-final" });
    const { body: final } = await rpc(url, "block", { finality: "final" });
    // One after another: blocks may come in between, never go.
    expect(final.result.header.height).toBeGreaterThanOrEqual(optimistic.result.header.height - 2);
    expect(nearFinal.result.header.height).toBeGreaterThanOrEqual(optimistic.result.header.height - 1);
    const { hash, height } = final.result.header;
    for (const reference of [{ block_id: hash }, { block_id: height }]) {
      const { body } = await rpc(url, "block", reference);
      expect(body.result.header).toEqual(final.result.header);
    }
  });

  test("name the previous block", async () => {
    const { body } = await rpc(network.url, "block", { finality: "optimistic" });
    const { prev_hash, timestamp_nanosec } = body.result.header;
    const { body: previous } = await rpc(network.url, "block", { block_id: prev_hash });
    expect(previous.result.header.hash).toBe(prev_hash);
    expect(BigInt(previous.result.header.timestamp_nanosec)).toBeLessThan(BigInt(timestamp_nanosec));
    expect(previous.result.header.random_value).not.toBe(body.result.header.random_value);
  });

  test("that were not produced are reported as UNKNOWN_BLOCK", async () => {
    for (const block_id of [999_999_999_999, "11111111111111111111111111111111"]) {
      const { body } = await rpc(network.url, "block", { block_id });
      expect(body.error).toMatchObject({
        name: "HANDLER_ERROR",
        cause: { name: "UNKNOWN_BLOCK" },
        code: -32000,
        message: "Server error",
      });
    }
  });

  test("have chunks that can be read", async () => {
    const { body } = await rpc(network.url, "block", { finality: "final" });
    const [chunk] = body.result.chunks;
    const { body: byHash } = await rpc(network.url, "chunk", { chunk_id: chunk.chunk_hash });
    expect(byHash.result.header.chunk_hash).toBe(chunk.chunk_hash);
    const reference = { block_id: body.result.header.hash, shard_id: chunk.shard_id };
    const { body: byShard } = await rpc(network.url, "chunk", reference);
    expect(byShard.result.header.chunk_hash).toBe(chunk.chunk_hash);
    const { body: missing } = await rpc(network.url, "chunk", {
      chunk_id: "11111111111111111111111111111112",
    });
    expect(missing.error.cause.name).toBe("UNKNOWN_CHUNK");
  });
});

describe("a node", () => {
  test("reports its chain and its height", async () => {
    const { body } = await rpc(network.url, "status", []);
    expect(body.result).toMatchObject({ chain_id: expect.any(String), sync_info: { syncing: false } });
    expect(body.result.sync_info.latest_block_height).toBeGreaterThan(0);
    expect((await rpc(network.url, "health", [])).body).toMatchObject({ result: null });
    expect((await fetch(`${network.url}/status`)).status).toBe(200);
  });

  test("reports the price of gas, now and in a block", async () => {
    const { hash } = await finalBlock(network.url);
    for (const params of [[null], [hash]]) {
      const { body } = await rpc(network.url, "gas_price", params);
      expect(BigInt(body.result.gas_price)).toBeGreaterThanOrEqual(100_000_000n);
    }
  });

  test("reports its validators and the protocol's configuration", async () => {
    const { body: validators } = await rpc(network.url, "validators", [null]);
    expect(validators.result.current_validators.length).toBeGreaterThan(0);
    const { body } = await rpc(network.url, "EXPERIMENTAL_protocol_config", { finality: "final" });
    const { transaction_validity_period, runtime_config } = body.result;
    expect(transaction_validity_period).toBeGreaterThan(0);
    expect(runtime_config.wasm_config.limit_config.max_total_prepaid_gas).toBeGreaterThanOrEqual(3e14);
    expect(runtime_config.storage_amount_per_byte).toBe("10000000000000000000");
  });

  test("refuses requests that it can't read", async () => {
    const { url } = network;
    expect(await rpc(url, "no_such_method", [])).toMatchObject({
      status: 400,
      body: {
        error: {
          name: "REQUEST_VALIDATION_ERROR",
          cause: { name: "METHOD_NOT_FOUND", info: { method_name: "no_such_method" } },
          code: -32601,
        },
      },
    });
    const unreadable = [
      ["send_tx", { signed_tx_base64: "AAAA", wait_until: "FINAL" }],
      ["send_tx", { wait_until: "FINAL" }],
      ["tx", { tx_hash: "not a hash", sender_account_id: "a.test", wait_until: "NONE" }],
      ["query", { request_type: "view_nothing", finality: "final" }],
      ["block", { finality: "maybe" }],
    ] as const;
    for (const [method, params] of unreadable) {
      const { status, body } = await rpc(url, method, params);
      expect({ method, status }).toEqual({ method, status: 400 });
      expect(body.error).toMatchObject({
        name: "REQUEST_VALIDATION_ERROR",
        cause: { name: "PARSE_ERROR" },
        code: -32700,
      });
    }
  });
});
