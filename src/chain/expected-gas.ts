import type { Action } from "./actions.ts";
import type { Priced } from "./cost.ts";

/**
 * Gas that transactions are likely to burn at a price: without the receipts of refunds, which cost nothing. The numbers
 * are measured with the contract of this release on a chain that is otherwise quiet (PV 84 to 88); docs/operations.md says
 * how near they come. Nothing is decided by them: what a write costs at most is counted by the gas that is attached.
 */

const G = 1_000_000_000;

/** A transaction with one receipt, and what its actions add. */
const RECEIPT = 216.1 * G;
const TRANSFER = 230.2 * G;
/** An account that a transfer to an implicit one may make, and pays for in any case. */
const ACCOUNT = 7_700 * G;

/** What a method burns beside its receipt, in Ggas, by its arguments and by which accounts hold tokens of the contract. */
type Rule = (args: () => Arguments, bytes: number, holders: ReadonlySet<string>) => number;

interface Arguments {
  readonly receiver_ids?: readonly string[];
  readonly quantity_per_receiver?: number;
  readonly metadata?: object;
  readonly account_ids?: readonly string[];
  readonly description?: unknown;
  readonly links?: number;
}

/** A receiver beyond the first has a record of its own, which is read and written, or only written. */
const HOLDER = 211;
const NEW_HOLDER = 125;
const FIRST_NEW_HOLDER = 30;

const minted: Rule = (args, _bytes, holders) => {
  const { receiver_ids: receivers = [], quantity_per_receiver: quantity = 1, metadata } = args();
  const [first, ...others] = receivers.map((receiver) => holders.has(receiver));
  const records = others.reduce(
    (sum, holds) => sum + (holds ? HOLDER : NEW_HOLDER),
    first ? 0 : FIRST_NEW_HOLDER,
  );
  const tokens = receivers.length * quantity;
  const further = tokens - receivers.length;
  return 1_758 + records + further * 6.5 + further ** 2 / 5 + override(metadata, tokens);
};

/** Metadata of their own is kept for each token. */
const override = (metadata: object | undefined, tokens: number): number =>
  metadata === undefined ? 0 : 80 + tokens * 90 + JSON.stringify(metadata).length * (0.12 + tokens * 0.04);

const accountsOf = ({ account_ids: accounts = [] }: Arguments): number => accounts.length;

const METHODS: Readonly<Record<string, Rule>> = {
  nft_batch_mint: minted,
  nft_update: (_args, bytes) => 1_790 + bytes * 0.16,
  collection_update: (args, bytes) => (args().description === undefined ? 1_900 : 2_570) + bytes * 0.16,
  collection_create: (_args, bytes) => 1_950 + bytes * 0.096,
  collection_add_assets: (_args, bytes) => 1_750 + bytes * 0.096,
  collection_publish: () => 1_400,
  allowlist_add: (args) => 1_730 + accountsOf(args()) * 17,
  allowlist_remove: (args) => 1_800 + accountsOf(args()) * 33,
  allowlist_clear: () => 1_600,
  drop_create: (args) => 1_720 + (args().links ?? 0) * 0.02,
  drop_extend: (args) => 1_720 + (args().links ?? 0) * 0.02,
  drop_close: () => 1_600,
};

/** Arguments in JSON. Those in borsh are told by their length alone. */
const argumentsOf = (args: Uint8Array): Arguments => JSON.parse(new TextDecoder().decode(args)) as Arguments;

const actionGas = (action: Action, receiverId: string, holders: ReadonlySet<string>): number => {
  if (action.kind === "transfer") return receiverId.includes(".") ? TRANSFER : TRANSFER + ACCOUNT;
  if (action.kind !== "function_call") throw new Error(`nobody asks for the cost of ${action.kind}`);
  const rule = METHODS[action.method];
  if (!rule) throw new Error(`nobody asks for the cost of ${action.method}`);
  return rule(() => argumentsOf(action.args), action.args.length, holders) * G;
};

/** Accounts of which it matters whether they hold tokens: those that a transaction mints to. */
export const receiversOf = ({ actions }: Priced): string[] => {
  const mints = actions.flatMap((action) =>
    action.kind === "function_call" && action.method === "nft_batch_mint" ? [argumentsOf(action.args)] : [],
  );
  return [...new Set(mints.flatMap(({ receiver_ids: receivers = [] }) => receivers))];
};

/**
 * Gas that a transaction of a write that can be quoted is likely to burn. @throws Error for any other
 * @param holders of those that it mints to, the accounts that hold tokens of the contract
 */
export const expectedGasOf = ({ receiverId, actions }: Priced, holders: ReadonlySet<string>): bigint => {
  const gas = actions.reduce((sum, action) => sum + actionGas(action, receiverId, holders), RECEIPT);
  return BigInt(Math.round(gas));
};
