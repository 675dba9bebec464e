/**
 * An embedded chain for development and tests: a NEAR JSON-RPC server that executes real contract code. See
 * docs/devchain.md for what it does as a node does and what differs.
 */
import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Chain } from "./blocks/chain.ts";
import type { GenesisAccount } from "./blocks/order.ts";
import type { SupportedProtocolVersion } from "./protocol/config.ts";
import { type FaultRule, Faults, type InjectedFault, type Moment } from "./rpc/faults.ts";
import type { Node } from "./rpc/reference.ts";
import { serve } from "./rpc/server.ts";

export { chanceOf } from "./rpc/chance.ts";
export type { FaultRule, GenesisAccount, InjectedFault, Moment };

export interface DevchainOptions {
  /** 0 (the default) takes any free port. */
  port?: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /** Where state is kept; absent: in memory only. */
  dataDir?: string;
  /** Time between blocks in milliseconds, 600 by default. */
  blockMs?: number;
  /** No blocks by the clock: only by `devchain_advance`. */
  manual?: boolean;
  /** Accounts to have; those that exist stay as they are. */
  accounts?: GenesisAccount[];
  chainId?: string;
  protocolVersion?: SupportedProtocolVersion;
  /** Blocks during which a transaction can get in after its base block; 86,400 by default, as on mainnet. */
  transactionValidityPeriod?: number;
  /** Blocks of an epoch; 43,200 by default. */
  epochLength?: number;
  /** Blocks after which transactions and old state are forgotten; 5 epochs by default. */
  gcBlocks?: number;
  /** Blocks after which superseded contract data is forgotten; 2,000 by default. */
  dataBlocks?: number;
  /** How long a request waits for a transaction, in milliseconds; 10,000 by default. */
  pollingTimeoutMs?: number;
  /** Milliseconds since 1970, in place of the machine's clock: time may pass faster than it does. */
  clock?: () => number;
  /** Rules for each request by its moment, beside those that `devchain_faults` sets. */
  faultsAt?: (moment: Moment) => readonly FaultRule[];
}

export interface Devchain {
  url: string;
  port: number;
  chain: Chain;
  /** Ends it. Every call returns the same promise. */
  close(): Promise<void>;
}

/** @throws with code EADDRINUSE if the port is taken. */
export async function startDevchain(options: DevchainOptions = {}): Promise<Devchain> {
  const { dataDir, host = "127.0.0.1", blockMs = 600, epochLength = 43_200 } = options;
  if (dataDir) mkdirSync(dataDir, { recursive: true });
  const chain = new Chain({
    path: dataDir ? join(dataDir, "chain.sqlite") : ":memory:",
    chainId: options.chainId ?? "mintage-devnet",
    protocolVersion: options.protocolVersion ?? 88,
    transactionValidityPeriod: options.transactionValidityPeriod ?? 86_400,
    epochLength,
    gcBlocks: options.gcBlocks ?? 5 * epochLength,
    dataBlocks: options.dataBlocks ?? 2000,
    clock: options.clock,
  });
  const faults = new Faults(chain, options.faultsAt);
  const pollingTimeoutMs = options.pollingTimeoutMs ?? 10_000;
  const node: Node = { chain, lag: 0, pollingTimeoutMs, startedAt: Date.now() };
  const server = await serve(node, faults, options.port ?? 0, host).catch(async (error) => {
    await chain.close();
    throw error;
  });
  for (const account of options.accounts ?? []) chain.createAccount(account);
  await chain.produce();
  const stopTimer = options.manual ? () => {} : produceEvery(chain, blockMs);
  const { port } = server.address() as AddressInfo;
  const end = async () => {
    stopTimer();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await chain.close();
    await closed;
  };
  let ended: Promise<void> | undefined;
  return {
    url: `http://${host}:${port}`,
    port,
    chain,
    close() {
      ended ??= end();
      return ended;
    },
  };
}

/** Makes a block every `ms`; one that takes longer puts off the next. */
function produceEvery(chain: Chain, ms: number): () => void {
  let timer: NodeJS.Timeout;
  const tick = async () => {
    const startedAt = performance.now();
    await chain.produce().catch((error) => console.error("a block could not be made:", error));
    timer = setTimeout(tick, Math.max(0, ms - (performance.now() - startedAt)));
    if (chain.isClosed) clearTimeout(timer);
  };
  timer = setTimeout(tick, ms);
  return () => clearTimeout(timer);
}
