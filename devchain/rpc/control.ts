/** What a real node doesn't have, for tests: time, accounts and faults on request. */
import type { Orphaning } from "../blocks/chain.ts";
import type { GenesisAccount } from "../blocks/order.ts";
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

/** Makes blocks, after the clock was moved or heights were passed over. */
async function advance({ chain }: Node, faults: Faults, params: Params): Promise<unknown> {
  const ms = amount(params, "ms");
  const heights = amount(params, "heights");
  const blocks = amount(params, "blocks") ?? 1;
  if (blocks > MAX_BLOCKS) throw parseError(`blocks: at most ${MAX_BLOCKS} at once`);
  if (ms !== undefined) chain.advanceClock(ms);
  if (heights !== undefined) {
    chain.skipHeights(heights);
    faults.count("jump", "devchain_advance");
  }
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

/** Drops the newest blocks that aren't final. */
async function orphan({ chain }: Node, faults: Faults, params: Params): Promise<unknown> {
  const how: Orphaning = { blocks: amount(params, "blocks") ?? 1 };
  if (params.heights === "next") how.heights = "next";
  const transactions = await chain.dropBlocks(how);
  faults.count("orphan", "devchain_orphan");
  return { height: chain.head.height, final_height: chain.finalHeight, transactions };
}

/** Takes a key off its account with the next block, without a transaction. */
async function deleteKey({ chain }: Node, faults: Faults, params: Params): Promise<unknown> {
  const deletion = { accountId: text(params, "account_id"), publicKey: text(params, "public_key") };
  const state = chain.stateAt(chain.head.height);
  try {
    chain.deleteKey(deletion);
  } catch (error) {
    throw parseError((error as Error).message);
  }
  const deleted = state.accessKey(deletion.accountId, deletion.publicKey) !== undefined;
  if (deleted) faults.count("delete_key", "devchain_delete_key");
  await chain.produce();
  return { height: chain.head.height, deleted };
}

/** Makes gas dearer or cheaper from the next block on. */
async function setGasPrice({ chain }: Node, params: Params): Promise<unknown> {
  const price = text(params, "price");
  if (!/^[1-9]\d{0,20}$/.test(price)) throw parseError("price: give yoctoNEAR a unit of gas, in digits");
  chain.setGasPrice(BigInt(price));
  // Until a final block shows it.
  for (let made = 0; made < 4; made++) await chain.produce();
  return { gas_price: `${chain.head.gasPrice}` };
}

export async function control(node: Node, faults: Faults, method: string, params: Params): Promise<unknown> {
  switch (method) {
    case "devchain_advance":
      return advance(node, faults, params);
    case "devchain_orphan":
      return orphan(node, faults, params);
    case "devchain_delete_key":
      return deleteKey(node, faults, params);
    case "devchain_create_account":
      return createAccount(node, params);
    case "devchain_gas_price":
      return setGasPrice(node, params);
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
