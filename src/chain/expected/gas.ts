// chain/expected/: gas that calls are likely to burn, from what their contract shows.

import type { Action } from "../actions.ts";
import type { ContractCollection, ContractToken, ContractViews } from "../contract/views.ts";
import type { Priced } from "../cost.ts";
import { NodesLagError } from "../errors.ts";
import { type AllowlistArguments, addWork, clearWork, removeWork } from "./allowlist.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { type MintArguments, mintWork } from "./mint.ts";
import { callGas } from "./protocol.ts";
import { onOpenPage, PAGE_TOKENS } from "./records.ts";
import { type SettingsArguments, settingsWork } from "./settings-update.ts";
import { tokenUpdateWork, type UpdateArguments } from "./token-update.ts";
import type { Work } from "./work.ts";

const G = 1_000_000_000;

/** A transfer with its transaction and receipt, Ggas; and an account that one to an implicit account pays for. */
const TRANSFER = 446.3;
const ACCOUNT = 7_700;

/** A method's call: its arguments as they are sent, and its contract. */
interface Call {
  readonly args: Uint8Array;
  readonly views: ContractViews;
}

/** Arguments in JSON. */
const parsed = <Arguments>({ args }: Call): Arguments =>
  JSON.parse(new TextDecoder().decode(args)) as Arguments;

const collectionOf = async ({ views }: Call, id: number): Promise<ContractCollection> => {
  const collection = await views.collection(id);
  // The service knows it, so that a node which doesn't is behind.
  if (collection === null) throw new NodesLagError();
  return collection;
};

/** Tokens of a collection by their numbers, without those that were burnt. */
const tokensOf = async (
  { views }: Call,
  collection: number,
  from: number,
  to: number,
): Promise<ContractToken[]> => {
  const ids = Array.from({ length: to - from + 1 }, (_, place) => `${collection}:${from + place}`);
  return ids.length === 0 ? [] : (await views.tokens(ids)).filter((token) => token !== null);
};

/** Tokens that a mint's event may name: those of the mint before it. */
const NEWEST = 100;

const mint = async (call: Call): Promise<Work> => {
  const args = parsed<MintArguments>(call);
  const held = Promise.all(
    [...new Set(args.receiver_ids)].map(
      async (account) => [account, Number(await call.views.supplyOfOwner(account))] as const,
    ),
  );
  const collection = await collectionOf(call, args.collection_id);
  const { minted } = collection;
  const newest = await tokensOf(call, args.collection_id, Math.max(1, minted - NEWEST + 1), minted);
  return mintWork(args, call.args.length, { collection, newest, held: new Map(await held) });
};

const tokenUpdate = async (call: Call): Promise<Work> => {
  const args = parsed<UpdateArguments>(call);
  const [id, number] = args.token_id.split(":").map(Number) as [number, number];
  const collection = await collectionOf(call, id);
  const first = number - ((number - 1) % PAGE_TOKENS);
  const page = await tokensOf(call, id, first, Math.min(first + PAGE_TOKENS - 1, collection.minted));
  return tokenUpdateWork(args, call.args.length, { collection, page });
};

const settings = async (call: Call): Promise<Work> => {
  const args = parsed<SettingsArguments>(call);
  const collection = await collectionOf(call, args.collection_id);
  const { minted } = collection;
  const first = minted - Math.max(onOpenPage(minted), 1) + 1;
  const newest = await tokensOf(call, args.collection_id, Math.max(1, first), minted);
  return settingsWork(args, call.args.length, { collection, newest });
};

/** Accounts of a list that are looked up: the others are taken to be like them. */
const LOOKED_UP = 12;

/** How many of some accounts are on a collection's list, most likely. */
const listedOf = async ({ views }: Call, id: number, accounts: readonly string[]): Promise<number> => {
  const step = Math.max(1, Math.floor(accounts.length / LOOKED_UP));
  const some = accounts.filter((_, place) => place % step === 0).slice(0, LOOKED_UP);
  const found = await Promise.all(some.map((account) => views.isAllowlisted(id, account)));
  return Math.round((found.filter(Boolean).length / Math.max(some.length, 1)) * accounts.length);
};

const allowlist =
  (work: typeof addWork) =>
  async (call: Call): Promise<Work> => {
    const args = parsed<AllowlistArguments>(call);
    const collection = await collectionOf(call, args.collection_id);
    const accounts = collection.allowlisted === 0 ? [] : (args.account_ids ?? []);
    const listed = await listedOf(call, args.collection_id, accounts);
    return work(args, call.args.length, { collection, listed });
  };

const clear = async (call: Call): Promise<Work> => {
  const { collection_id: id } = parsed<AllowlistArguments>(call);
  return clearWork(call.args.length, await collectionOf(call, id));
};

/** A call whose arguments are all that it depends on. */
const plain =
  (method: string) =>
  ({ args }: Call): Work => ({ host: callGas(method, args.length), counts: { argument: args.length } });

const drop =
  (method: string) =>
  (call: Call): Work => ({
    host: callGas(method, call.args.length),
    counts: { links: parsed<{ links?: number }>(call).links ?? 0 },
  });

const RULES: Readonly<Record<string, (call: Call) => Work | Promise<Work>>> = {
  nft_batch_mint: mint,
  nft_update: tokenUpdate,
  collection_update: settings,
  allowlist_add: allowlist(addWork),
  allowlist_remove: allowlist(removeWork),
  allowlist_clear: clear,
  collection_create: plain("collection_create"),
  collection_add_assets: plain("collection_add_assets"),
  collection_publish: plain("collection_publish"),
  drop_create: drop("drop_create"),
  drop_extend: drop("drop_extend"),
  drop_close: drop("drop_close"),
};

const actionGas = async (action: Action, receiverId: string, views: ContractViews): Promise<number> => {
  if (action.kind === "transfer") return receiverId.includes(".") ? TRANSFER : TRANSFER + ACCOUNT;
  const method = action.kind === "function_call" ? action.method : action.kind;
  const [rule, instructions] = [RULES[method], INSTRUCTIONS[method]];
  if (action.kind !== "function_call" || !rule || !instructions) {
    throw new Error(`nobody asks for the cost of ${method}`);
  }
  const { host, counts } = await rule({ args: action.args, views });
  return Object.entries(counts).reduce(
    (sum, [name, count]) => sum + (instructions[name] ?? 0) * count,
    host + (instructions.always ?? 0),
  );
};

/**
 * Gas that a transaction of a write that can be quoted is likely to burn, without the receipts of refunds, which cost
 * nothing. Nothing is decided by it: what a write costs at most is counted by the gas that is attached.
 * @param views of the contract that it goes to
 * @throws Error for any other transaction; ChainUnavailableError
 */
export const expectedGasOf = async (
  { receiverId, actions }: Priced,
  views: ContractViews,
): Promise<bigint> => {
  const gas = await Promise.all(actions.map((action) => actionGas(action, receiverId, views)));
  return BigInt(Math.round(gas.reduce((sum, each) => sum + each, 0) * G));
};
