// chain/expected/: gas that calls are likely to burn, from what their contract shows.

import type { Action } from "../actions.ts";
import type { ContractAsset, ContractCollection, ContractToken, ContractViews } from "../contract/views.ts";
import type { Priced } from "../cost.ts";
import { NodesLagError } from "../errors.ts";
import { type AllowlistArguments, addWork, clearWork, removeWork } from "./allowlist.ts";
import {
  type DropArguments,
  dropCloseWork,
  dropCreateWork,
  dropExtendWork,
  type NewDropArguments,
} from "./drops.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { type MintArguments, mintWork } from "./mint.ts";
import { callGas } from "./protocol.ts";
import { onOpenPage, PAGE_TOKENS } from "./records.ts";
import { type SettingsArguments, settingsWork } from "./settings-update.ts";
import { tokenUpdateWork, type UpdateArguments } from "./token-update.ts";
import type { Place } from "./trie.ts";
import type { Work } from "./work.ts";

const G = 1_000_000_000;

/** A transfer with its transaction and receipt, Ggas; and an account that one to an implicit account pays for. */
const TRANSFER = 446.3;
const ACCOUNT = 7_700;

/** A method's call: its arguments as they are sent, and its contract. */
interface Call extends Receiver {
  readonly args: Uint8Array;
}

/** Arguments in JSON. */
const parsed = <Arguments>({ args }: Call): Arguments =>
  JSON.parse(new TextDecoder().decode(args)) as Arguments;

/** Assets that are looked at for how many copies the others have. */
const SAMPLED = 100;

/** A collection, and what its records' sizes and places depend on. */
interface Known {
  readonly collection: ContractCollection;
  readonly place: Place;
  /** The most copies that one of its first assets began with. */
  readonly mostCopies: number;
  /** All its assets; null: they are more than that. */
  readonly assets: readonly ContractAsset[] | null;
}

const knownOf = async ({ views, depth }: Call, id: number): Promise<Known> => {
  const [collection, assets, next] = await Promise.all([
    views.collection(id),
    views.assets(id, 0, SAMPLED),
    id === 1 ? views.collection(2) : null,
  ]);
  // The service knows it, so that a node which doesn't is behind.
  if (collection === null) throw new NodesLagError();
  const mostCopies = assets.reduce((most, { copies }) => Math.max(most, copies), 1);
  const isWhole = collection.assets <= SAMPLED;
  return {
    collection,
    mostCopies,
    assets: isWhole ? assets : null,
    place: { id, hasOthers: id > 1 || next !== null, depth },
  };
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

/** The tokens of the page that is being filled, or the last one before it. */
const openPageOf = (
  call: Call,
  { collection_id: id, minted }: ContractCollection,
): Promise<ContractToken[]> =>
  tokensOf(call, id, Math.max(1, minted - Math.max(onOpenPage(minted), 1) + 1), minted);

const mint = async (call: Call): Promise<Work> => {
  const args = parsed<MintArguments>(call);
  const held = Promise.all(
    [...new Set(args.receiver_ids)].map(
      async (account) => [account, Number(await call.views.supplyOfOwner(account))] as const,
    ),
  );
  const known = await knownOf(call, args.collection_id);
  const { minted } = known.collection;
  const newest = await tokensOf(call, args.collection_id, Math.max(1, minted - NEWEST + 1), minted);
  return mintWork(args, call.args.length, { ...known, newest, held: new Map(await held) });
};

const tokenUpdate = async (call: Call): Promise<Work> => {
  const args = parsed<UpdateArguments>(call);
  const [id, number] = args.token_id.split(":").map(Number) as [number, number];
  const known = await knownOf(call, id);
  const first = number - ((number - 1) % PAGE_TOKENS);
  const last = Math.min(first + PAGE_TOKENS - 1, known.collection.minted);
  return tokenUpdateWork(args, call.args.length, { ...known, page: await tokensOf(call, id, first, last) });
};

const settings = async (call: Call): Promise<Work> => {
  const args = parsed<SettingsArguments>(call);
  const known = await knownOf(call, args.collection_id);
  return settingsWork(args, call.args.length, { ...known, newest: await openPageOf(call, known.collection) });
};

/** Accounts of a list that are looked up: the others are taken to be like them. */
const LOOKED_UP = 24;

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
    const known = await knownOf(call, args.collection_id);
    const accounts = known.collection.allowlisted === 0 ? [] : (args.account_ids ?? []);
    const listed = await listedOf(call, args.collection_id, accounts);
    return work(args, call.args.length, { ...known, listed });
  };

const clear = async (call: Call): Promise<Work> => {
  const { collection_id: id } = parsed<AllowlistArguments>(call);
  return clearWork(call.args.length, await knownOf(call, id));
};

/** A call whose arguments are all that it depends on. */
const plain =
  (method: string) =>
  ({ args }: Call): Work => ({ host: callGas(method, args.length), counts: { argument: args.length } });

const dropCreate = async (call: Call): Promise<Work> => {
  const args = parsed<NewDropArguments & { readonly collection_id: number }>(call);
  const known = await knownOf(call, args.collection_id);
  const open = await openPageOf(call, known.collection);
  return dropCreateWork(args, call.args.length, { ...known, open, drop: null });
};

/** A drop that is there, and its collection. */
const dropOf = async (call: Call, id: number) => {
  const drop = await call.views.drop(id);
  if (drop === null) throw new NodesLagError();
  const known = await knownOf(call, drop.collection_id);
  return { ...known, drop, open: await openPageOf(call, known.collection) };
};

const dropExtend = async (call: Call): Promise<Work> => {
  const args = parsed<DropArguments & { readonly drop_id: number }>(call);
  return dropExtendWork(args, call.args.length, await dropOf(call, args.drop_id));
};

const dropClose = async (call: Call): Promise<Work> => {
  const { drop_id: id } = parsed<{ readonly drop_id: number }>(call);
  return dropCloseWork(call.args.length, await dropOf(call, id));
};

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
  drop_create: dropCreate,
  drop_extend: dropExtend,
  drop_close: dropClose,
};

/** A contract to which a transaction goes. */
export interface Receiver {
  readonly views: ContractViews;
  /** Nodes from the state's root to where its records part (`depthAmong`). */
  readonly depth: number;
}

/** What an action is likely to take. */
export interface Taken {
  /** Gas units. */
  readonly gas: bigint;
  /** See `Work`. */
  readonly lack: Work["lack"];
}

const ggas = (amount: number): bigint => BigInt(Math.round(amount * G));

const takenBy = async (action: Action, receiverId: string, receiver: Receiver): Promise<Taken> => {
  if (action.kind === "transfer") {
    return { gas: ggas(receiverId.includes(".") ? TRANSFER : TRANSFER + ACCOUNT), lack: undefined };
  }
  const method = action.kind === "function_call" ? action.method : action.kind;
  const [rule, instructions] = [RULES[method], INSTRUCTIONS[method]];
  if (action.kind !== "function_call" || !rule || !instructions) {
    throw new Error(`nobody asks for the cost of ${method}`);
  }
  const { host, counts, lack } = await rule({ args: action.args, ...receiver });
  const own = Object.entries(counts).reduce(
    (sum, [name, count]) => sum + (instructions[name] ?? 0) * count,
    instructions.always ?? 0,
  );
  return { gas: ggas(host + own), lack };
};

/**
 * What a transaction of a write that can be quoted is likely to take: the gas that it burns, without the receipts of
 * refunds, which cost nothing, and what its contract lacks for it. Nothing is decided by it: what a write costs at most is
 * counted by the gas that is attached, and by the most that it can store.
 * @throws Error for any other transaction; ChainUnavailableError
 */
export const expectationOf = async ({ receiverId, actions }: Priced, receiver: Receiver): Promise<Taken> => {
  const taken = await Promise.all(actions.map((action) => takenBy(action, receiverId, receiver)));
  const gas = taken.reduce((sum, each) => sum + each.gas, 0n);
  return { gas, lack: taken.find(({ lack }) => lack !== undefined)?.lack };
};
