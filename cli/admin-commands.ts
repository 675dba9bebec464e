import type { AdminClient } from "../client/src/admin.ts";
import type {
  ChainTransactionResult,
  Contract,
  Integration,
  Key,
  Limits,
  LimitsInput,
  Recovery,
  Rotation,
  StuckTransaction,
  Wallet,
} from "../client/src/index.ts";
import { UsageError } from "./command.ts";
import { handOverContract } from "./contract-hand-over.ts";
import { upgradeContracts } from "./contract-upgrade.ts";
import { readNear } from "./launch/prices.ts";
import { type Cell, near, table } from "./table.ts";

/** Options that commands share; each takes those that its line names. */
export interface CommandOptions {
  readonly name?: string;
  readonly symbol?: string;
  readonly role?: string;
  readonly expires?: string;
  readonly admin?: string;
  readonly effect?: string;
  readonly all?: boolean;
  readonly deleted?: boolean;
  readonly "leave-funds"?: boolean;
  readonly to?: string;
  readonly withdraw?: boolean;
  readonly leave?: boolean;
  readonly "dry-run"?: boolean;
}

/** What a command found: as data for scripts, as text for people. */
interface Result {
  readonly data: unknown;
  readonly text: string;
}

/** A command of the operator's. */
export interface Command {
  /** Its arguments and options, as the help shows them. */
  readonly takes: string;
  readonly does: string;
  readonly run: (admin: AdminClient, words: readonly string[], options: CommandOptions) => Promise<Result>;
}

const integrationRow = (one: Integration) => ({
  integration: one.integration_uuid,
  name: one.name,
  state: one.state,
  wallet: one.wallet_account_id,
  "wallet is": one.wallet_state,
  created: one.created_at,
});

const keyRow = (one: Key) => ({
  key: one.key_uuid,
  name: one.name,
  prefix: one.prefix,
  role: one.role,
  expires: one.expires_at,
  "last used": one.last_used_at,
  revoked: one.revoked_at,
});

const contractRow = (one: Contract) => ({
  contract: one.contract_uuid,
  account: one.account_id,
  state: one.state,
  code: one.code_hash,
});

/** A transaction in short, for people; scripts get all of it. */
const transactionRow = (one: ChainTransactionResult) => ({
  transaction: one.transaction_hash,
  status: one.status,
  signer: one.signer_id,
  receiver: one.receiver_id,
  burnt: one.tokens_burnt === null ? null : `${near(one.tokens_burnt)} NEAR`,
  failure: one.failure_message,
});

const stuckRow = (one: StuckTransaction) => ({
  integration: one.integration_uuid ?? "platform",
  operation: one.operation_uuid,
  step: one.step,
  state: one.state,
  transaction: one.transaction?.transaction_hash,
});

/** Lists of transactions, which have more fields than a line has room for. */
const TRANSACTIONS = ["tx_results", "transactions"];

/** One thing, a line a field; amounts in NEAR, lists counted and shown below. */
function details(thing: Readonly<Record<string, unknown>>): string {
  const lists: string[] = [];
  const rows: Record<string, Cell>[] = [];
  for (const [field, value] of Object.entries(thing)) {
    if (Array.isArray(value)) {
      rows.push({ field, value: String(value.length) });
      if (value.length > 0) lists.push(`\n${field}\n${listOf(field, value)}`);
    } else rows.push({ field, value: cell(field, value) });
  }
  return [table(rows), ...lists].join("\n");
}

/** What is nested as a list: transactions in short, rows as a table, texts a line each. */
const listOf = (field: string, values: readonly unknown[]): string => {
  if (TRANSACTIONS.includes(field)) return table((values as ChainTransactionResult[]).map(transactionRow));
  if (values.every((value) => typeof value === "string")) return values.join("\n");
  return rowsOf(values as Record<string, unknown>[]);
};

/** Any rows, with what is nested in them as JSON. */
const rowsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string =>
  table(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([field, value]) => [field, cell(field, value)])),
    ),
  );

function cell(field: string, value: unknown): Cell {
  if (field === "balance") return value === null ? null : `${near(value as string)} NEAR`;
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value as Cell;
}

const shown = <T extends object>(data: T): Result => ({
  data,
  text: details(data as Record<string, unknown>),
});
const listed = <T>(data: readonly T[], row: (one: T) => Record<string, Cell>): Result => ({
  data,
  text: table(data.map(row)),
});

function needed(value: string | undefined, option: string): string {
  if (!value) throw new UsageError(`${option} is missing.`);
  return value;
}

function roleOf(text: string | undefined): "full" | "read" {
  if (text === undefined || text === "full" || text === "read") return text ?? "full";
  throw new UsageError(`--role has to be full or read; it is "${text}".`);
}

function effectOf(text: string | undefined): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new UsageError("--effect has to be yes or no: whether the chain has what the operation was to do.");
}

/** The limits that an operator sets. The type refuses a list that lacks one. */
const LIMITS: Readonly<Record<keyof LimitsInput, true>> = {
  requests: true,
  drafts: true,
  stored_bytes: true,
  database_bytes: true,
  keys: true,
  operations_waiting: true,
  spending_per_day: true,
};

function limitSet(name: string, text: string): LimitsInput {
  if (!Object.hasOwn(LIMITS, name)) {
    throw new UsageError(`There is no limit "${name}"; there are ${Object.keys(LIMITS).join(", ")}.`);
  }
  if (text === "default") return { [name]: null };
  if (name === "spending_per_day") return { spending_per_day: yoctoOf(name, text) };
  if (/^\d{1,15}$/.test(text)) return { [name]: Number(text) };
  throw new UsageError(
    `The limit ${name} has to be a whole number of at most 15 digits, or "default"; it is "${text}".`,
  );
}

/** An amount of NEAR in yoctoNEAR. */
function yoctoOf(name: string, text: string): string {
  const read = readNear(text);
  if ("value" in read) return read.value;
  throw new UsageError(
    `The limit ${name} has to be an amount of NEAR such as 2.5, or "default"; it is "${text}".`,
  );
}

/** Limits, a line each, with what is used of them. */
const limitsShown = (limits: Limits): Result => {
  const { used, period_s, ...others } = limits;
  const rows = Object.entries(others).map(([limit, value]) => ({
    limit: limit === "requests" ? `requests of a key in ${period_s} s` : limit,
    value: limitValue(limit, value),
    used: limit in used ? limitValue(limit, used[limit as keyof typeof used]) : null,
  }));
  return { data: limits, text: table(rows) };
};

const limitValue = (limit: string, value: string | number | null): string | null =>
  limit === "spending_per_day" && value !== null ? `${near(String(value))} NEAR` : String(value ?? "–");

const walletShown = (status: Wallet): Result => shown(status);

/**
 * Each call does a bounded part of the wallets and of the webhooks: repeated until nothing remains, or all that remains
 * has failed. A failing wallet doesn't end it, since others wait behind it.
 */
async function rotateAll(admin: AdminClient): Promise<Rotation> {
  const resealed: string[] = [];
  const failed = new Map<string, Rotation["failed"][number]>();
  let webhooks: WebhooksRotated = { resealed: 0, failed: [], remaining: 0 };
  for (;;) {
    const step = await admin.secrets.rotate();
    webhooks = withStep(webhooks, step.webhooks);
    const isNew = step.failed.some(({ integration_uuid: uuid }) => !failed.has(uuid));
    for (const failure of step.failed) failed.set(failure.integration_uuid, failure);
    for (const uuid of step.resealed) failed.delete(uuid);
    resealed.push(...step.resealed);
    const moved = step.resealed.length > 0 || isNew;
    const isDone = failed.size >= step.remaining || !moved;
    const areWebhooksDone = step.webhooks.resealed === 0 || step.webhooks.remaining === 0;
    if (isDone && areWebhooksDone) return { ...step, resealed, failed: [...failed.values()], webhooks };
  }
}

type WebhooksRotated = Rotation["webhooks"];

/** What all calls did to webhooks' secrets: those that fail are tried again by later calls. */
const withStep = (before: WebhooksRotated, step: WebhooksRotated): WebhooksRotated => ({
  resealed: before.resealed + step.resealed,
  failed: [...new Set([...before.failed, ...step.failed])],
  remaining: step.remaining,
});

/** What only the database knew, and what the operator does about it: the table of docs/running.md, "Rolling the database back". */
export const LOST_WITH_DATABASE: readonly (readonly [lost: string, remedy: string])[] = [
  ["keys issued since that moment", "their holders are answered 401; issue new ones"],
  ["revocations of keys since then: those keys are valid again", "revoke them again"],
  [
    "integrations suspended, renamed or deleted since",
    "they are as they were then: suspend and delete them again",
  ],
  [
    "contracts adopted since then, unless they have collections",
    "adopt them again; they get another contract_uuid",
  ],
  [
    "changes of drafts that are not finalized, and their files",
    "they are as they were then, or gone; tell their owners",
  ],
  ["the answers to writes that don't touch the chain", "a repeated upload or draft is carried out again"],
  [
    "Idempotency-Keys that joined a finalization in progress",
    "nothing: a repetition is answered 409 draft_finalized",
  ],
  ["webhooks made, changed or deleted since", "they are as they were then; tell their owners"],
  ["payout accounts and limits set since", "set them again"],
  ["pages for collectors changed since", "they are as they were then; set them up again"],
  [
    "counts and settings that collectors and admins changed from wallets",
    "nothing: the scheduled job reads them from the chain",
  ],
];

const lostText = (): string => {
  const rows = LOST_WITH_DATABASE.map(([lost, remedy]) => ({
    "lost with the database": lost,
    "what to do": remedy,
  }));
  return `No journal has the following; see to it yourself:\n${table(rows)}`;
};

/** Each call does a bounded part: repeated until all is done. */
async function recoverAll(admin: AdminClient): Promise<Omit<Recovery, "next">> {
  const { next, ...total } = await admin.database.recover(null);
  for (let cursor = next; cursor !== null; ) {
    const { next: after, unrestored, ...counts } = await admin.database.recover(cursor);
    cursor = after;
    total.unrestored.push(...unrestored);
    for (const [name, count] of Object.entries(counts)) total[name as keyof typeof counts] += count;
  }
  return total;
}

/** Every command by the words that call it. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  integrations: {
    takes: "[--deleted]",
    does: "lists integrations with their wallets, or those that were deleted",
    run: async (admin, _, { deleted }) =>
      listed(await (deleted ? admin.integrations.listDeleted() : admin.integrations.list()), integrationRow),
  },
  "integration create": {
    takes: "--name TEXT",
    does: "makes an integration and its funded wallet",
    run: async (admin, _, { name }) => shown(await admin.integrations.create(needed(name, "--name"))),
  },
  "integration show": {
    takes: "<integration>",
    does: "shows one integration",
    run: async (admin, [uuid = ""]) => shown(await admin.integrations.get(uuid)),
  },
  "integration rename": {
    takes: "<integration> --name TEXT",
    does: "gives it another name",
    run: async (admin, [uuid = ""], { name }) =>
      shown(await admin.integrations.change(uuid, { name: needed(name, "--name") })),
  },
  "integration suspend": {
    takes: "<integration>",
    does: "refuses its keys until it is resumed; what it had accepted goes on",
    run: async (admin, [uuid = ""]) => shown(await admin.integrations.change(uuid, { suspended: true })),
  },
  "integration resume": {
    takes: "<integration>",
    does: "takes its keys again",
    run: async (admin, [uuid = ""]) => shown(await admin.integrations.change(uuid, { suspended: false })),
  },
  "integration delete": {
    takes: "<integration> [--leave-funds]",
    does: "deletes a suspended one; what is on the chain stays",
    run: async (admin, [uuid = ""], options) =>
      shown(await admin.integrations.delete(uuid, options["leave-funds"])),
  },
  limits: {
    takes: "<integration>",
    does: "shows its limits, and what it uses of them",
    run: async (admin, [uuid = ""]) => limitsShown(await admin.limits.get(uuid)),
  },
  "payout account": {
    takes: "<integration> <account>",
    does: "sets the account that its wallet's money is paid out to, or none",
    run: async (admin, [uuid = "", account = ""]) =>
      shown(await admin.integrations.setPayoutAccount(uuid, account === "none" ? null : account)),
  },
  "limits set": {
    takes: "<integration> <limit> <value>",
    does: "sets one of them: a number (of NEAR for spending_per_day), or default",
    run: async (admin, [uuid = "", name = "", value = ""]) =>
      limitsShown(await admin.limits.set(uuid, limitSet(name, value))),
  },
  keys: {
    takes: "<integration>",
    does: "lists its keys",
    run: async (admin, [uuid = ""]) => listed(await admin.keys.list(uuid), keyRow),
  },
  "key issue": {
    takes: "<integration> --name TEXT [--role full|read] [--expires TIME]",
    does: "issues a key and shows it, once",
    run: async (admin, [uuid = ""], { name, role, expires }) =>
      shown(
        await admin.keys.issue(uuid, {
          name: needed(name, "--name"),
          role: roleOf(role),
          ...(expires && { expires_at: expires }),
        }),
      ),
  },
  "key revoke": {
    takes: "<integration> <key>",
    does: "revokes a key",
    run: async (admin, [uuid = "", key = ""]) => shown(await admin.keys.revoke(uuid, key)),
  },
  wallet: {
    takes: "<integration>",
    does: "shows its wallet: balance, lanes, queue",
    run: async (admin, [uuid = ""]) => walletShown(await admin.wallets.status(uuid)),
  },
  "wallet create": {
    takes: "<integration>",
    does: "makes its wallet where making it failed before",
    run: async (admin, [uuid = ""]) => shown(await admin.wallets.create(uuid)),
  },
  "wallet restore": {
    takes: "<integration>",
    does: "restores a lost wallet from its sealed key",
    run: async (admin, [uuid = ""]) => walletShown(await admin.wallets.restore(uuid)),
  },
  "wallet activate": {
    takes: "<integration>",
    does: "lets a restored wallet sign again",
    run: async (admin, [uuid = ""]) => walletShown(await admin.wallets.activate(uuid)),
  },
  platform: {
    takes: "",
    does: "shows the platform's own wallet",
    run: async (admin) => walletShown(await admin.wallets.platform()),
  },
  contracts: {
    takes: "<integration>",
    does: "lists its contracts",
    run: async (admin, [uuid = ""]) => listed(await admin.contracts.list(uuid), contractRow),
  },
  "contract deploy": {
    takes: "<integration> --name TEXT --symbol TEXT [--admin ACCOUNT]",
    does: "deploys a contract",
    run: async (admin, [uuid = ""], { name, symbol, admin: adminId }) =>
      shown(
        await admin.contracts.deploy(uuid, {
          name: needed(name, "--name"),
          symbol: needed(symbol, "--symbol"),
          ...(adminId && { admin_id: adminId }),
        }),
      ),
  },
  "contract adopt": {
    takes: "<integration> <account>",
    does: "takes over a contract after checking its code",
    run: async (admin, [uuid = "", account = ""]) => shown(await admin.contracts.adopt(uuid, account)),
  },
  "contract hand-over": {
    takes: "<contract> --to ACCOUNT [--leave] | --withdraw",
    does: "proposes another owner, who has to accept; --leave: without the service as admin",
    run: (admin, [uuid = ""], options) => handOverContract(admin, uuid, options),
  },
  "contract accept": {
    takes: "<integration> <account>",
    does: "has the integration's wallet accept a contract, and takes it over",
    run: async (admin, [uuid = "", account = ""]) => {
      await admin.contracts.accept(uuid, account);
      // It was adopted before: by this command, or because it went from here to somebody who gives it back.
      const known = (await admin.contracts.list(uuid)).find((one) => one.account_id === account);
      return shown(known ?? (await admin.contracts.adopt(uuid, account)));
    },
  },
  "contract upgrade": {
    takes: "[<contract>] [--all] [--dry-run]",
    does: "upgrades one contract or all to this release, or says what that takes",
    run: (admin, [name], options) => upgradeContracts(admin, name, options),
  },
  stuck: {
    takes: "",
    does: "lists transactions that wait for an operator",
    run: async (admin) => listed(await admin.transactions.stuck(), stuckRow),
  },
  operation: {
    takes: "<operation> [<integration>]",
    does: "shows what became of a write, with its transactions; of an old one with its integration",
    run: async (admin, [uuid = "", integration]) => shown(await admin.operations.get(uuid, integration)),
  },
  "operation settle": {
    takes: "<operation> --effect yes|no",
    does: "ends an unknown one as you found it on the chain",
    run: async (admin, [uuid = ""], { effect }) =>
      shown(await admin.operations.settle(uuid, { had_effect: effectOf(effect) })),
  },
  "database recover": {
    takes: "",
    does: "restores what a rolled-back database has lost",
    run: async (admin) => {
      const total = await recoverAll(admin);
      return { data: total, text: `${shown(total).text}\n\n${lostText()}` };
    },
  },
  "secret rotate": {
    takes: "",
    does: "seals all wallets under the newest version of WALLET_SECRETS",
    run: async (admin) => shown(await rotateAll(admin)),
  },
};
