/** `npm run chain -- …`: accounts on the chain that `npm start` runs on this machine. */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ACCOUNT_ID_RULE, isAccountId } from "./account-ids.ts";
import { collectionOf, commandClient, localChain, run, UsageError } from "./command.ts";
import { readNear } from "./launch/prices.ts";
import { ContractRefusal, LocalChain } from "./local-chain.ts";
import { near, table } from "./table.ts";

const USAGE = `npm run chain -- <command> [--json]

  account <account> [--near N]   makes an account with a key and N NEAR (100)
  accounts                       lists the accounts made so
  give <account> <N>             gives an account N NEAR
  mint <account> <collection>    mints from the account, as its wallet would
  accept <account> <contract>    accepts a contract that was proposed to the account

They work on the chain of npm start, where NEAR is worth nothing. Keys are kept
in .mintage/devchain/accounts, in the form of near-cli's credentials.`;

const DEFAULT_NEAR = "100";

/** How old the service's answer about an account's price may be, milliseconds (GET …/eligibility). */
const PRICE_LASTS_MS = 5_000;

function accountOf(text = ""): string {
  if (!isAccountId(text)) throw new UsageError(`"${text}": ${ACCOUNT_ID_RULE}.`);
  return text;
}

function yoctoOf(name: string, text = ""): string {
  const read = readNear(text);
  if ("problem" in read) throw new UsageError(`${name}: ${read.problem}.`);
  return read.value;
}

interface Result {
  readonly data: unknown;
  readonly text: string;
}

/** Mints from a wallet at the price that is open to it. */
async function mintFrom(chain: LocalChain, account: string, collectionUuid: string): Promise<Result> {
  const client = commandClient();
  const collection = await client.collections.get(collectionUuid);
  const mint = async (): Promise<Result> => {
    const may = await client.collections.eligibility(collectionUuid, account);
    if (!may.allowed || may.mint_fee === null)
      throw new UsageError(`${account} may not mint: ${may.message ?? may.code}`);
    const id = await chain.mint(account, collection.contract_address, collection.collection_id, may.mint_fee);
    return {
      data: { token_id: id, mint_fee: may.mint_fee },
      text: `${account} has token ${id}, for ${near(may.mint_fee)} NEAR.`,
    };
  };
  return mint().catch(async (error: unknown) => {
    if (!(error instanceof ContractRefusal)) throw error;
    process.stderr.write(
      "The contract rejects this price, which is some seconds old. Requesting a new one …\n",
    );
    await pause(PRICE_LASTS_MS);
    return mint();
  });
}

async function carryOut(words: readonly string[], nearText: string): Promise<Result> {
  const { rpcUrl, accounts } = localChain();
  const chain = new LocalChain(rpcUrl, accounts);
  const [command, first, second, ...rest] = words;
  if (command === "account" && second === undefined) {
    const yocto = yoctoOf("--near", nearText);
    const made = await chain.make(accountOf(first), yocto);
    const { private_key } = made;
    return {
      data: made,
      text: `${made.account_id} has ${near(yocto)} NEAR. Its key, valid on this chain only:\n${private_key}`,
    };
  }
  if (command === "accounts" && first === undefined) {
    const rows = [];
    for (const { account_id, public_key } of chain.accounts()) {
      rows.push({ account_id, balance: await chain.balance(account_id), public_key });
    }
    return {
      data: rows,
      text: table(rows.map((row) => ({ ...row, balance: row.balance && `${near(row.balance)} NEAR` }))),
    };
  }
  if (command === "give" && rest.length === 0) {
    const account = accountOf(first);
    await chain.give(account, yoctoOf("<N>", second));
    const balance = await chain.balance(account);
    return { data: { account_id: account, balance }, text: `${account} has ${near(balance)} NEAR.` };
  }
  if (command === "mint" && first && second && rest.length === 0)
    return mintFrom(chain, accountOf(first), collectionOf(second));
  if (command === "accept" && first && second && rest.length === 0) {
    const [account, contract] = [accountOf(first), accountOf(second)];
    await chain.accept(account, contract);
    return {
      data: { account_id: contract, owner_id: account },
      text: `${account} is the owner of ${contract} now.`,
    };
  }
  throw new UsageError(words.length > 0 ? `No command takes "${words.join(" ")}".\n\n${USAGE}` : USAGE);
}

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      near: { type: "string", default: DEFAULT_NEAR },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) throw new UsageError(USAGE);
  const { data, text } = await carryOut(positionals, values.near);
  process.stdout.write(`${values.json ? JSON.stringify(data) : text}\n`);
});
