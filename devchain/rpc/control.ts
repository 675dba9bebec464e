/** What a real node doesn't have, for tests: time, accounts and faults on request. */
import type { GenesisAccount } from "../blocks/chain.ts";
import { methodNotFound, parseError } from "./errors.ts";
import type { Faults } from "./faults.ts";
import { text } from "./query.ts";
import type { Node, Params } from "./reference.ts";

const MAX_BLOCKS = 100_000;

function amount(params: Params, name: string): number | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
    throw parseError(`${name}: give a whole number that isn't negative`);
  return value;
}

/** Makes blocks, or moves the clock and makes one block after. */
async function advance({ chain }: Node, params: Params): Promise<unknown> {
  const ms = amount(params, "ms");
  const blocks = amount(params, "blocks") ?? 1;
  if (blocks > MAX_BLOCKS) throw parseError(`blocks: at most ${MAX_BLOCKS} at once`);
  if (ms !== undefined) chain.advanceClock(ms);
  for (let made = 0; made < blocks; made++) await chain.produce();
  return { height: chain.head.height, timestamp_nanosec: `${chain.head.timestamp}` };
}

async function createAccount({ chain }: Node, params: Params): Promise<unknown> {
  const account: GenesisAccount = {
    accountId: text(params, "account_id"),
    publicKey: text(params, "public_key"),
    balance: text(params, "balance"),
  };
  try {
    chain.createAccount(account);
  } catch (error) {
    throw parseError((error as Error).message);
  }
  await chain.produce();
  return { height: chain.head.height, block_hash: chain.head.hash };
}

export async function control(node: Node, faults: Faults, method: string, params: Params): Promise<unknown> {
  switch (method) {
    case "devchain_advance":
      return advance(node, params);
    case "devchain_create_account":
      return createAccount(node, params);
    case "devchain_faults":
      return faults.configure(params);
    case "devchain_status":
      return {
        height: node.chain.head.height,
        final_height: node.chain.finalHeight,
        pool: node.chain.pool.size,
        pending_receipts: node.chain.receipts.length,
        faults: faults.describe(),
      };
    default:
      throw methodNotFound(method);
  }
}
