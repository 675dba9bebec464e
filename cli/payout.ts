/** `npm run payout`: what collections have earned, and its way to the integration's account. */
import { parseArgs } from "node:util";
import type { MintageClient, PayoutAnswer } from "../client/src/index.ts";
import { ACCOUNT_ID_RULE, isAccountId } from "./account-ids.ts";
import { commandClient, keyAccess, run, UsageError } from "./command.ts";
import { readNear, unitsText } from "./launch/prices.ts";
import { earlierPayout, newPayout, payOut } from "./payout/sent.ts";
import { agreed } from "./questions.ts";
import { near, table } from "./table.ts";

const USAGE = `npm run payout [-- sales | <NEAR> | all] [options]

Without an amount it shows what each collection has earned and the unpaid sum.
With one it pays to the account that the operator has set
(npm run admin -- payout account). If a run is interrupted, run it again: the
payout is made once.

  sales    what was earned and isn't paid out yet
  <NEAR>   this much of the wallet's money, such as 2.5
  all      all but 1.01 NEAR: also the money that gas is paid from

  --currency <account>
           pays units of this NEP-141 token: all, which is what the wallet has and
           what waits for it at its contracts, or a number of its smallest units

  --yes    skips the confirmation
  --json   one line of JSON instead of a table

MINTAGE_URL and MINTAGE_API_KEY name another service than the one of npm start.`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      currency: { type: "string" },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [what] = positionals;
  if (values.help || positionals.length > 1) throw new UsageError(USAGE);
  const { currency } = values;
  if (currency === undefined) return { ...values, amount: what === undefined ? null : amountOf(what) };
  if (!isAccountId(currency)) throw new UsageError(`--currency: ${ACCOUNT_ID_RULE}.`);
  if (what === undefined || !/^(all|[1-9]\d*)$/.test(what))
    throw new UsageError("With --currency give all, or a number of the token's smallest units.");
  return { ...values, amount: what };
}

function amountOf(text: string): string {
  if (text === "sales" || text === "all") return text;
  const read = readNear(text);
  if ("value" in read && read.value !== "0") return read.value;
  const problem = "problem" in read ? read.problem : "give more than 0";
  throw new UsageError(`Give sales, all or an amount: ${problem}.`);
}

async function showEarned(client: MintageClient, json: boolean): Promise<void> {
  const rows: { collection_uuid: string; title: string; minted: number; earned: string | null }[] = [];
  for await (const { collection_uuid, title, minted, earned } of client.collections.list())
    rows.push({ collection_uuid, title, minted, earned });
  const unpaid = (await client.me()).wallet.unpaid_sales;
  if (json) {
    process.stdout.write(`${JSON.stringify({ unpaid_sales: unpaid, collections: rows })}\n`);
    return;
  }
  const shown = rows.map(({ earned, ...row }) => ({ ...row, "earned, NEAR": near(earned) }));
  const rest =
    unpaid === "0"
      ? "Nothing is unpaid, apart from sales of the last minute."
      : `Unpaid: ${near(unpaid)} NEAR. npm run payout -- sales pays it out.`;
  process.stdout.write(`${table(shown)}\n\n${rest}\n`);
}

function paidText({ amount, currency }: PayoutAnswer): string {
  if (currency === null) return `${near(amount)} NEAR`;
  const { symbol, decimals } = currency;
  return symbol === null || decimals === null ? amount : `${unitsText(amount, decimals)} ${symbol}`;
}

async function payout(): Promise<void> {
  const { amount, currency, yes, json } = readArguments();
  const client = commandClient();
  if (amount === null) return showEarned(client, json);
  const { wallet } = await client.me();
  const paying = { client, baseUrl: keyAccess().baseUrl, walletId: wallet.account_id ?? "" };
  const told = (paid: PayoutAnswer) =>
    json ? `${JSON.stringify(paid)}\n` : `${paidText(paid)} were paid to ${paid.account_id}.\n`;
  const wanted = { amount, currency };
  const before = await earlierPayout(paying, wanted);
  if (before !== null) {
    process.stderr.write("This is the payout that an earlier run sent. Run it again for another one.\n");
    process.stdout.write(told(before));
    return;
  }
  const body = newPayout(wanted);
  const quote = await client.quote({ method: "POST", path: "/wallet/payout", body });
  const takes = amount === "all" && currency === undefined ? " That includes the money for gas." : "";
  process.stderr.write(
    `At most ${near(quote.cost.at_most)} NEAR leave the wallet ${wallet.account_id}, gas included.${takes}\n`,
  );
  if (!yes && !(await agreed("Pay it out?"))) {
    process.stderr.write("Nothing was sent.\n");
    return;
  }
  process.stdout.write(told(await payOut(paying, body, quote)));
}

await run(payout);
