/** Nodes whose height, refusals and presence are set by a test. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

const servers: Server[] = [];

/** Ends all nodes that were started. */
export const closeNodes = (): void => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
};

/** A node at a height. It answers with its own balance for every account, which shows which node answered. */
export interface ScriptedNode {
  readonly url: string;
  final: number;
  /** Milliseconds since the epoch of its final block. */
  time: number;
  amount: string;
  /** Status and headers of its answers while it refuses requests. */
  refusal: { readonly status: number; readonly headers: Record<string, string> } | null;
  isUp: boolean;
  /** Methods that it was asked for. */
  readonly asked: string[];
}

/** When the scripted chain begins. Milliseconds since the Unix epoch. */
export const EPOCH = 1_750_000_000_000;

/** Only the part that the service reads. */
const PROTOCOL = {
  protocol_version: 88,
  transaction_validity_period: 100,
  min_gas_price: "100000000",
  runtime_config: {
    min_gas_purchase_price: "1000000000",
    wasm_config: { limit_config: { max_total_prepaid_gas: 1_000_000_000_000_000 } },
  },
};

/** Starts a node. @param amount balance of every account, which shows which node answered */
export const scriptedNode = async (final: number, amount: string): Promise<ScriptedNode> => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { method: string; params: { finality?: string } };
    asked.push(body.method);
    if (!self.isUp) return void response.destroy();
    if (self.refusal) return void response.writeHead(self.refusal.status, self.refusal.headers).end("later");
    const height = self.final + (body.params.finality === "optimistic" ? 2 : 0);
    const header = {
      height,
      hash: `h${height}`,
      prev_hash: `h${height - 1}`,
      timestamp_nanosec: `${BigInt(self.time) * 1_000_000n}`,
      gas_price: "100000000",
    };
    const account = { amount: self.amount, locked: "0", storage_usage: 100, block_height: height };
    const answers: Record<string, object> = {
      block: { result: { header } },
      query: { result: account },
      EXPERIMENTAL_protocol_config: { result: PROTOCOL },
      tx: { error: { cause: { name: "UNKNOWN_TRANSACTION", info: {} } } },
    };
    response.end(JSON.stringify(answers[body.method] ?? { result: self.amount }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: ScriptedNode = { url, final, time: EPOCH, amount, refusal: null, isUp: true, asked };
  return self;
};
