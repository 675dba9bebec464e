import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { FolderError, listFolder } from "../../client/src/folder/index.ts";
import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import { UsageError } from "../command.ts";
import type { Questions } from "../questions.ts";
import { readCollectionFile, readSubtitle } from "./collection-file.ts";
import { settingsFile } from "./folder.ts";
import { readPage } from "./page-settings.ts";
import { type Read, readPercent, readPrice } from "./prices.ts";
import { readTime } from "./times.ts";
import { NUMBERED } from "./titles.ts";

/** What the questions found. */
export interface Answers {
  readonly title: string;
  readonly description: string;
  readonly copies: string;
  /** `name`: the one in each picture's JSON file; `no`: none. */
  readonly subtitle: string;
  /** `none`: nobody mints from a wallet. */
  readonly price: string;
  readonly starts: string;
  readonly perAccount: string;
  /** `none`: without an allowlist. */
  readonly allowlistPrice: string;
  readonly allowlistPerAccount: string;
  /** Account that gets a share of each price; `none`: nobody. */
  readonly salesAccount: string;
  readonly salesPercent: string;
  /** Account that gets a share of resales; `none`: nobody. */
  readonly royaltyAccount: string;
  readonly royaltyPercent: string;
  /** Account that sales are paid out to; `none`: as it is. */
  readonly payout: string;
  /** Last part of the pages' address; `yes`: the title makes it; `no`: no pages. */
  readonly page: string;
}

const problemOf =
  <T>(read: (text: string) => Read<T>, empty: string) =>
  (text: string): string | null => {
    if (text === empty) return null;
    const found = read(text);
    return "problem" in found ? found.problem : null;
  };

const anyNumber = (text: string): string | null =>
  text === "any" || /^[1-9]\d{0,8}$/.test(text) ? null : 'give a whole number or "any"';

/** Whether collectors pay something; `none` is no price. */
const isPaid = (price: string): boolean => {
  const read = readPrice(price);
  return "value" in read && read.value !== "0";
};

/** Asks what `collection.yaml` needs. @param hasNames whether the pictures have JSON files */
export async function askAll(questions: Questions, hasNames: boolean): Promise<Answers> {
  const { ask } = questions;
  const title = await ask("Title of the collection:", "", (text) => (text === "" ? "give a title" : null));
  const description = await ask("Description (may stay empty):", "");
  const copies = await ask("How many NFTs of each picture?", "1", (text) =>
    /^[1-9]\d{0,8}$/.test(text) ? null : "give a whole number",
  );
  const subtitle = await ask(
    `What follows the title of each NFT (${hasNames ? "name: the name in its JSON file; " : ""}no: nothing)?`,
    hasNames ? "name" : NUMBERED,
    problemOf(readSubtitle, "name"),
  );
  const phases = await askPhases(questions);
  const isSold = isPaid(phases.price) || isPaid(phases.allowlistPrice);
  const sales = isSold
    ? await askShare(questions, "each price that is paid", { usual: "50", most: 9_500 })
    : { account: "none", percent: "0" };
  const payout = isSold
    ? await ask(
        "Account for payouts of the remaining sales; only the operator can set it (none: later):",
        "none",
        (text) => (text === "none" || isAccountId(text) ? null : ACCOUNT_ID_RULE),
      )
    : "none";
  const resales = await askShare(questions, "resales", { usual: "5", most: 10_000 });
  const page = await ask(
    "Address of the mint page and gallery, such as night-herons (yes: from the title; no: no pages):",
    "yes",
    problemOf(readPage, "yes"),
  );
  return {
    title,
    description,
    copies,
    subtitle,
    ...phases,
    salesAccount: sales.account,
    salesPercent: sales.percent,
    royaltyAccount: resales.account,
    royaltyPercent: resales.percent,
    payout,
    page,
  };
}

/** Who may mint from a wallet, and at what price. */
async function askPhases({ ask }: Questions) {
  const price = await ask(
    'Price for everybody, such as "1.5 NEAR" or "free" (none: only you mint):',
    "none",
    problemOf(readPrice, "none"),
  );
  const isPublic = price !== "none";
  const starts = isPublic
    ? await ask('From when, such as "2026-12-24 18:00 Europe/Berlin"?', "now", problemOf(readTime, "now"))
    : "now";
  const perAccount = isPublic
    ? await ask("How many may one account mint (any: no limit)?", "any", anyNumber)
    : "any";
  const allowlistPrice = await ask(
    "Price for accounts on an allowlist (none: no allowlist):",
    "none",
    problemOf(readPrice, "none"),
  );
  const allowlistPerAccount =
    allowlistPrice === "none"
      ? "any"
      : await ask("How many may each of these accounts mint at that price (any: no limit)?", "1", anyNumber);
  return { price, starts, perAccount, allowlistPrice, allowlistPerAccount };
}

/** Who gets a share of what, and how much. @param most basis points */
async function askShare(
  { ask }: Questions,
  what: string,
  { usual, most }: { readonly usual: string; readonly most: number },
): Promise<{ readonly account: string; readonly percent: string }> {
  const account = await ask(`Account that gets a share of ${what} (none: nobody):`, "none", (text) =>
    text === "none" || isAccountId(text) ? null : ACCOUNT_ID_RULE,
  );
  if (account === "none") return { account, percent: "0" };
  const percent = await ask("How many percent?", usual, (text) => {
    const points = readPercent(text) ?? 0;
    return points > 0 && points <= most ? null : `give a percentage such as 5 or 7.5, at most ${most / 100}`;
  });
  return { account, percent };
}

/** `collection.yaml` of these answers. */
export function collectionYaml(answers: Answers): string {
  const { price, starts, perAccount, allowlistPrice, allowlistPerAccount } = answers;
  const phases = {
    ...(allowlistPrice !== "none" && {
      allowlist: {
        price: allowlistPrice,
        ...(allowlistPerAccount !== "any" && { per_account: Number(allowlistPerAccount) }),
      },
    }),
    ...(price !== "none" && {
      public: {
        price,
        ...(starts !== "now" && { starts }),
        ...(perAccount !== "any" && { per_account: Number(perAccount) }),
      },
    }),
  };
  const royalties = {
    ...share("sales", answers.salesAccount, answers.salesPercent),
    ...share("resales", answers.royaltyAccount, answers.royaltyPercent),
  };
  const settings = {
    title: answers.title,
    ...(answers.description && { description: answers.description }),
    copies: Number(answers.copies),
    ...(answers.subtitle !== "name" && { subtitle: answers.subtitle }),
    ...(Object.keys(phases).length > 0 && { phases }),
    ...(allowlistPrice !== "none" && { allowlist: "allowlist.csv" }),
    ...(answers.payout !== "none" && { payout: answers.payout }),
    ...(Object.keys(royalties).length > 0 && { royalties }),
    ...(answers.page !== "yes" && { page: answers.page }),
  };
  return `# Every field, also times and transfers: docs/launching.md\n${stringify(settings)}`;
}

const share = (kind: string, account: string, percent: string) =>
  account === "none" ? {} : { [kind]: { [account]: `${percent.replace("%", "").trim()}%` } };

/**
 * Writes the file into a folder of pictures that has none.
 * @returns what to do next
 * @throws FolderError where the folder has no pictures, before anything is asked
 */
export async function initFolder(folder: string, questions: Questions): Promise<string> {
  const known = settingsFile(folder);
  if (known !== null) throw new UsageError(`${folder} has a ${known} already; change it there.`);
  const { assets, problems } = await listFolder(folder);
  if (assets.length === 0) throw new FolderError(problems);
  const text = collectionYaml(
    await askAll(
      questions,
      assets.some(({ reference }) => reference),
    ),
  );
  const checked = readCollectionFile("collection.yaml", text);
  if ("problems" in checked) throw new UsageError(checked.problems.join("\n"));
  const file = join(folder, "collection.yaml");
  writeFileSync(file, text, { flag: "wx" });
  const list = checked.file.phases.some(({ list }) => list)
    ? `Write the accounts into ${join(folder, "allowlist.csv")}, one a line.\n`
    : "";
  return `${file} is written.\n${list}Next: npm run launch -- ${folder}`;
}
