import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ChainUnavailableError, RpcError } from "../../src/chain/errors.ts";
import { ChainRpc, Connections, LONGEST_QUEUE_MS, MAX_CONNECTIONS } from "../../src/chain/rpc.ts";
import { sendTransaction, transactionStatus } from "../../src/chain/send.ts";
import { accountBalance, viewFunction } from "../../src/chain/views.ts";

const servers: Server[] = [];

/** A node with scripted answers. */
const node = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const answering = (body: unknown, status = 200) =>
  node((_request, response) => {
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
const sound = (result: unknown) => answering({ jsonrpc: "2.0", id: 1, result });
const refusing = (name: string, rest: Record<string, unknown> = {}, status = 200) =>
  answering(
    { jsonrpc: "2.0", id: 1, error: { name: "HANDLER_ERROR", cause: { name, info: {} }, ...rest } },
    status,
  );

/** Connections that are all in use until `end`. */
const busyConnections = () => {
  const connections = new Connections();
  const ends: (() => void)[] = [];
  const busy = Array.from({ length: MAX_CONNECTIONS }, () =>
    connections.use(() => new Promise<void>((resolve) => ends.push(resolve))),
  );
  const end = async () => {
    for (const done of ends) done();
    await Promise.all(busy);
  };
  return { connections, end };
};

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("a call to the nodes", () => {
  test.each([
    ["is not there", async () => "http://127.0.0.1:9"],
    ["answers nonsense", () => answering("<html>")],
    ["is overloaded", () => answering("slow down", 429)],
    ["fails", () => answering("oops", 502)],
    ["is out of step", () => refusing("NOT_SYNCED_YET")],
    ["has no block yet", () => refusing("NO_SYNCED_BLOCKS")],
    ["can't reach the account's shard", () => refusing("UNAVAILABLE_SHARD")],
    ["doesn't track the account's shard", () => refusing("DOES_NOT_TRACK_SHARD")],
  ])("goes to the next node if the first %s, and the first is paused", async (_name, bad) => {
    const [first, second] = [await bad(), await sound("fine")];
    let now = 1_000_000;
    const rpc = new ChainRpc([first, second], [], () => now);
    expect(await rpc.call("status", [])).toBe("fine");
    expect(rpc.order()).toEqual([second, first]);
    now += 61_000;
    expect(rpc.order()).toEqual([first, second]);
  });

  test("goes to the next node if the first took too long for a query, and not if it waited for a transaction", async () => {
    const rpc = new ChainRpc([await refusing("TIMEOUT_ERROR"), await sound("fine")], []);
    await expect(rpc.call("tx", {})).rejects.toMatchObject({ causeName: "TIMEOUT_ERROR" });
    expect(await rpc.call("query", {})).toBe("fine");
  });

  test("goes to the next node after an internal error, and pauses a node that returns only such errors", async () => {
    const first = await node(async (request, response) => {
      const { method } = (await json(request)) as { method: string };
      const error = { cause: { name: "INTERNAL_ERROR", info: {} } };
      response.end(JSON.stringify(method === "tx" ? { error } : { result: "fine" }));
    });
    const second = await sound("fine");
    const rpc = new ChainRpc([first, second]);
    expect(await rpc.call("status", [])).toBe("fine");
    // If a node can't answer one question, its other answers are still good.
    for (let again = 0; again < 2; again++) {
      expect(await rpc.call("tx", {})).toBe("fine");
      expect(rpc.order()).toEqual([first, second]);
    }
    expect(await rpc.call("tx", {})).toBe("fine");
    expect(rpc.order()).toEqual([second, first]);
  });

  test("that times out pauses the node, unless the call ignores timeouts", async () => {
    const slow = await node(() => undefined);
    const nodes = [slow, await sound("fine")];
    const patience = { timeoutMs: 1_500 };
    const sparing = new ChainRpc(nodes, [], Date.now, { ignoreTimeouts: true });
    expect(await sparing.call("status", [], patience)).toBe("fine");
    expect(sparing.order()).toEqual(nodes);
    expect(await new ChainRpc(nodes).call("status", [], patience)).toBe("fine");
    expect(sparing.order()).toEqual(nodes.toReversed());
  });

  test("that fails at the same time as others counts as one failure", async () => {
    const [first, second] = ["http://127.0.0.1:9/side-by-side", await sound("fine")];
    let now = 1_000_000;
    const rpc = new ChainRpc([first, second], [], () => now);
    await Promise.all(Array.from({ length: 6 }, () => rpc.call("status", [])));
    now += 2_001;
    expect(rpc.order()).toEqual([first, second]);
  });

  test("goes to the preferred endpoint while that one works", async () => {
    const rpc = new ChainRpc(["http://a.test", "http://b.test"]);
    expect(rpc.order({ endpoint: "http://b.test" })).toEqual(["http://b.test", "http://a.test"]);
  });

  test("ends with a typed error of the node, whatever the HTTP status", async () => {
    const rpc = new ChainRpc([await refusing("UNKNOWN_BLOCK", {}, 400), await sound("never asked")]);
    await expect(rpc.call("block", {})).rejects.toMatchObject({
      name: "RpcError",
      causeName: "UNKNOWN_BLOCK",
    });
  });

  test('ends with "nothing was sent" if no node answers', async () => {
    const rpc = new ChainRpc([await answering("oops", 500)]);
    const error = await rpc.call("status", []).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ChainUnavailableError);
    expect(error).toMatchObject({ status: 503, details: { outcome: "not_submitted", retryable: true } });
  });

  test("waits while six other calls are open", async () => {
    let open = 0;
    let most = 0;
    const url = await node((_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end(JSON.stringify({ result: true }));
      }, 60);
    });
    const rpc = new ChainRpc([url]);
    const calls = Array.from({ length: 40 }, () => rpc.call("status", []));
    expect(await Promise.all(calls)).toEqual(Array(40).fill(true));
    expect(most).toBe(MAX_CONNECTIONS);
  });

  test("has its whole timeout after it got a connection, however long it waited for that", async () => {
    const url = await sound(true);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    // The platform's own isn't faked with the timers.
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), ms);
      return controller.signal;
    });
    try {
      const { connections, end } = busyConnections();
      const rpc = new ChainRpc([url], [], undefined, { connections });
      const late = rpc.call("status", [], { timeoutMs: 6_000 });
      await vi.advanceTimersByTimeAsync(7_000);
      await end();
      expect(await late).toBe(true);
      expect(timeout).toHaveBeenCalledWith(6_000);
    } finally {
      timeout.mockRestore();
      vi.useRealTimers();
    }
  });

  test("is given up after half a minute without a connection, and then takes no connection", async () => {
    vi.useFakeTimers();
    try {
      const { connections, end } = busyConnections();
      const late = connections.use(async () => "late").catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(LONGEST_QUEUE_MS - 1_000);
      const patient = connections.use(async () => "patient");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await late).toMatchObject({ code: "chain_unavailable", details: { outcome: "not_submitted" } });
      await end();
      expect(await patient).toBe("patient");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the answer to a sent transaction", () => {
  const bytes = new Uint8Array([1]);
  const data = (error: unknown) => ({ data: { TxExecutionError: { InvalidTxError: error } } });

  test.each([
    ["a reason without details", () => refusing("INVALID_TRANSACTION", data("Expired")), "Expired"],
    [
      "one with details",
      () => refusing("INVALID_TRANSACTION", data({ InvalidNonce: { tx_nonce: 1 } })),
      "InvalidNonce",
    ],
  ])("is a refusal that names %s", async (_name, answer, reason) => {
    expect(await sendTransaction(new ChainRpc([await answer()]), bytes)).toEqual({ kind: "refused", reason });
  });

  test.each([
    ["a timeout", () => refusing("TIMEOUT_ERROR")],
    ["a node that is not there", async () => "http://127.0.0.1:9"],
    ["an invalid transaction without a reason", () => refusing("INVALID_TRANSACTION")],
  ])("leaves the outcome open if it is %s", async (_name, answer) => {
    expect(await sendTransaction(new ChainRpc([await answer()]), bytes)).toEqual({ kind: "unclear" });
  });
});

describe("a transaction's status", () => {
  const outcome = { block_hash: "b", outcome: { gas_burnt: 1, tokens_burnt: "1", logs: [] } };
  const view = (level: string, status: unknown) => ({
    final_execution_status: level,
    status,
    transaction_outcome: outcome,
    receipts_outcome: [],
  });
  const invalid = { Failure: { InvalidTxError: { InvalidNonce: {} } } };

  test.each([
    ["FINAL", { SuccessValue: "" }, "final", undefined],
    ["FINAL", { Failure: { ActionError: {} } }, "final", undefined],
    ["FINAL", invalid, "not_applied", undefined],
    ["INCLUDED", invalid, "not_applied", undefined],
    ["EXECUTED_OPTIMISTIC", { SuccessValue: "" }, "pending", true],
    ["INCLUDED", "Started", "pending", true],
    ["NONE", undefined, "pending", false],
  ])("of %s with %o is %s", async (level, status, kind, included) => {
    const rpc = new ChainRpc([await sound(view(level, status))]);
    expect(await transactionStatus(rpc, "hash", "signer")).toMatchObject({
      kind,
      ...(included !== undefined && { included }),
    });
  });

  test.each(["UNKNOWN_TRANSACTION", "TIMEOUT_ERROR"])(
    "is unknown after the node's error %s, which proves nothing",
    async (cause) => {
      const rpc = new ChainRpc([await refusing(cause)]);
      expect(await transactionStatus(rpc, "hash", "signer")).toEqual({ kind: "unknown" });
    },
  );
});

describe("a view call", () => {
  test("returns the JSON that the contract returned", async () => {
    const result = [...new TextEncoder().encode('{"a":1}')];
    expect(
      await viewFunction(new ChainRpc([await sound({ result, block_height: 1 })]), {
        contractId: "c",
        method: "m",
      }),
    ).toEqual({ value: { a: 1 }, height: 1 });
  });

  test.each([
    [
      "as text",
      () =>
        sound({
          error:
            'wasm execution failed with error: HostError(GuestPanic { panic_msg: "Smart contract panicked: E_SOLD_OUT: None are left." })',
          block_height: 1,
        }),
    ],
    [
      "as a cause",
      () =>
        answering({
          error: {
            cause: {
              name: "CONTRACT_EXECUTION_ERROR",
              info: { vm_error: "Smart contract panicked: E_SOLD_OUT: None are left." },
            },
          },
        }),
    ],
  ])("that panics returns the contract's error code, given %s", async (_name, answer) => {
    const error = await viewFunction(new ChainRpc([await answer()]), { contractId: "c", method: "m" }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ name: "ViewError", contractCode: "E_SOLD_OUT", message: "None are left." });
  });

  test("is answered, or refused, only by a node that has reached the requested height", async () => {
    const result = [...new TextEncoder().encode('"new"')];
    const [late, refused, current] = [
      await sound({ result: [...new TextEncoder().encode('"old"')], block_height: 9 }),
      await answering({ error: { cause: { name: "UNKNOWN_ACCOUNT", info: { block_height: 9 } } } }),
      await sound({ result, block_height: 10 }),
    ];
    const viewAt = (nodes: string[], atLeast: number) =>
      viewFunction(new ChainRpc(nodes), { contractId: "c", method: "m" }, "final", { atLeast });
    expect(await viewAt([late, refused, current], 10)).toEqual({ value: "new", height: 10 });
    expect(await viewAt([late, current], 9)).toEqual({ value: "old", height: 9 });
    await expect(viewAt([late, refused], 10)).rejects.toMatchObject({
      name: "NodesLagError",
      code: "chain_unavailable",
      details: { outcome: "not_submitted", retryable: true },
    });
  });

  test("of a missing account is null, and an existing account's balance excludes what storage requires", async () => {
    expect(await accountBalance(new ChainRpc([await refusing("UNKNOWN_ACCOUNT")]), "a")).toBeNull();
    const account = { amount: `${10n ** 24n}`, locked: "0", storage_usage: 10_000, block_height: 5 };
    const balance = await accountBalance(new ChainRpc([await sound(account)]), "a");
    expect(balance).toMatchObject({ total: 10n ** 24n, available: 10n ** 24n - 10n ** 23n, height: 5 });
    const small = await accountBalance(new ChainRpc([await sound({ ...account, storage_usage: 770 })]), "a");
    expect(small?.available).toBe(10n ** 24n);
  });
});

test("an error of a node has its name and its details", () => {
  expect(new RpcError("UNKNOWN_BLOCK", { a: 1 }, "text")).toMatchObject({
    causeName: "UNKNOWN_BLOCK",
    info: { a: 1 },
  });
});
