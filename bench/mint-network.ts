/**
 * The networks that mints are measured on: an embedded chain, or one that is given by its address. Both delay each call
 * by the same time and count those of the service.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Account, JsonRpcProvider, KeyPair, type KeyPairString } from "near-api-js";
import { type BenchService, type Network, SERVICE_NODE } from "../testing/service.ts";

/** yoctoNEAR for the plain loop's account: a thousand NEAR on a chain of our own, on another what 100 calls at once set aside for gas. */
const PLAIN_BALANCE = 10n ** 27n;
const PLAIN_ELSEWHERE = 5n * 10n ** 24n;

/** What a measurement asks of a network beside the service. */
export interface Measured {
  /** Calls that the service has made so far. */
  calls(): Promise<number>;
  /** Calls without delay, for what isn't measured. */
  rpc<T>(method: string, params: unknown): Promise<T>;
  /** A new account with one key, whose calls are delayed. */
  plainAccount(): Promise<Account>;
  /** How often the bench may look for the next block. Milliseconds. */
  readonly lookMs: number;
}

const request = async <T>(url: string, method: string, params: unknown): Promise<T> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: T; error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result as T;
};

const newAccount = (parent: string) => {
  const key = KeyPair.fromRandom("ed25519");
  const name = `plain${randomBytes(4).toString("hex")}`;
  const accountId = parent === "" ? name : `${name}.${parent}`;
  return { key, accountId, publicKey: key.getPublicKey().toString() };
};

/** A provider whose calls take so much longer. */
const delayed = (url: string, latencyMs: number): JsonRpcProvider => {
  const provider = new JsonRpcProvider({ url });
  const send = provider.sendJsonRpc.bind(provider);
  return Object.assign(provider, {
    sendJsonRpc: async (...call: Parameters<typeof send>) => {
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      return send(...call);
    },
  });
};

/** The embedded chain of a service. It delays the service's calls itself, and counts those that it has delayed. */
export const embedded = async ({ rpcUrl }: BenchService, latencyMs: number): Promise<Measured> => {
  const rpc = <T>(method: string, params: unknown) => request<T>(rpcUrl, method, params);
  await rpc("devchain_faults", { set: [{ kind: "delay", ms: latencyMs, node: SERVICE_NODE }] });
  return {
    lookMs: 5,
    rpc,
    calls: async () => {
      const { injected } = await rpc<{ injected: Record<string, number> }>("devchain_faults", {});
      return Object.values(injected).reduce((sum, count) => sum + count, 0);
    },
    plainAccount: async () => {
      const { key, accountId, publicKey } = newAccount("");
      const account = { account_id: accountId, public_key: publicKey, balance: PLAIN_BALANCE.toString() };
      await rpc("devchain_create_account", account);
      return new Account(accountId, delayed(rpcUrl, latencyMs), key.toString() as KeyPairString);
    },
  };
};

/** A network behind an address of this process, which delays and counts what goes to it. */
export interface Given extends Network {
  readonly measured: Measured;
}

/**
 * A network by the address of a node, and an account of it that pays for everything.
 * @param latencyMs delay of each call beside its own time
 */
export const givenNetwork = async (
  nodeUrl: string,
  accountId: string,
  privateKey: string,
  latencyMs: number,
): Promise<Given> => {
  let calls = 0;
  const server = createServer((incoming, outgoing) => {
    const forward = async () => {
      if (incoming.url === SERVICE_NODE) calls += 1;
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      const answer = await fetch(nodeUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: Buffer.concat(chunks),
      });
      outgoing.writeHead(answer.status, { "content-type": "application/json" });
      outgoing.end(Buffer.from(await answer.arrayBuffer()));
    };
    forward().catch((error: unknown) => {
      process.stderr.write(`  ${String(error)}\n`);
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rpc = <T>(method: string, params: unknown) => request<T>(nodeUrl, method, params);
  const { chain_id: name } = await rpc<{ chain_id: string }>("status", []);
  const measured: Measured = {
    lookMs: 50,
    rpc,
    calls: async () => calls,
    plainAccount: async () => {
      const { key, accountId: plainId, publicKey } = newAccount(accountId);
      const parent = new Account(
        accountId,
        new JsonRpcProvider({ url: nodeUrl }),
        privateKey as KeyPairString,
      );
      await parent.createSubAccount({
        accountOrPrefix: plainId,
        publicKey,
        nearToTransfer: PLAIN_ELSEWHERE,
      });
      return new Account(plainId, delayed(nodeUrl, latencyMs), key.toString() as KeyPairString);
    },
  };
  const stop = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { rpcUrl, name, accountId, privateKey, stop, measured };
};
