import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import { UsageError } from "../command.ts";
import type { Questions } from "../questions.ts";
import { readCollectionFile } from "./collection-file.ts";
import { settingsFile } from "./folder.ts";
import { type Read, readPercent, readPrice } from "./prices.ts";
import { readTime } from "./times.ts";

/** What the questions found. */
export interface Answers {
  readonly title: string;
  readonly description: string;
  readonly copies: string;
  /** `none`: nobody mints from a wallet. */
  readonly price: string;
  readonly starts: string;
  readonly perAccount: string;
  /** `none`: without an allowlist. */
  readonly allowlistPrice: string;
  /** Account that gets a share of resales; `none`: nobody. */
  readonly royaltyAccount: string;
  readonly royaltyPercent: string;
}

const problemOf =
  <T>(read: (text: string) => Read<T>, empty: string) =>
  (text: string): string | null => {
    if (text === empty) return null;
    const found = read(text);
    return "problem" in found ? found.problem : null;
  };

/** Asks what `collection.yaml` needs. */
export async function askAll({ ask }: Questions): Promise<Answers> {
  const title = await ask("Title of the collection:", "", (text) => (text === "" ? "give a title" : null));
  const description = await ask("Description (may stay empty):", "");
  const copies = await ask("How many NFTs of each picture?", "1", (text) =>
    /^[1-9]\d{0,8}$/.test(text) ? null : "give a whole number",
  );
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
    ? await ask("How many may one account mint (any: no limit)?", "any", (text) =>
        text === "any" || /^[1-9]\d{0,8}$/.test(text) ? null : 'give a whole number or "any"',
      )
    : "any";
  const allowlistPrice = await ask(
    "Price for accounts on an allowlist (none: no allowlist):",
    "none",
    problemOf(readPrice, "none"),
  );
  const royaltyAccount = await ask("Account that gets a share of resales (none: nobody):", "none", (text) =>
    text === "none" || isAccountId(text) ? null : ACCOUNT_ID_RULE,
  );
  const royaltyPercent =
    royaltyAccount === "none"
      ? "0"
      : await ask("How many percent?", "5", (text) =>
          (readPercent(text) ?? 0) > 0 ? null : "give a percentage such as 5 or 7.5",
        );
  return {
    title,
    description,
    copies,
    price,
    starts,
    perAccount,
    allowlistPrice,
    royaltyAccount,
    royaltyPercent,
  };
}

/** `collection.yaml` of these answers. */
export function collectionYaml(answers: Answers): string {
  const { price, starts, perAccount, allowlistPrice } = answers;
  const phases = {
    ...(allowlistPrice !== "none" && { allowlist: { price: allowlistPrice } }),
    ...(price !== "none" && {
      public: {
        price,
        ...(starts !== "now" && { starts }),
        ...(perAccount !== "any" && { per_account: Number(perAccount) }),
      },
    }),
  };
  const settings = {
    title: answers.title,
    ...(answers.description && { description: answers.description }),
    copies: Number(answers.copies),
    ...(Object.keys(phases).length > 0 && { phases }),
    ...(allowlistPrice !== "none" && { allowlist: "allowlist.csv" }),
    ...(answers.royaltyAccount !== "none" && {
      royalties: {
        resales: { [answers.royaltyAccount]: `${answers.royaltyPercent.replace("%", "").trim()}%` },
      },
    }),
  };
  return `# Every field: docs/launching.md\n${stringify(settings)}`;
}

/** Writes the file into a folder that has none. @returns what to do next */
export async function initFolder(folder: string, questions: Questions): Promise<string> {
  const known = settingsFile(folder);
  if (known !== null) throw new UsageError(`${folder} has a ${known} already; change it there.`);
  const text = collectionYaml(await askAll(questions));
  const checked = readCollectionFile("collection.yaml", text);
  if ("problems" in checked) throw new UsageError(checked.problems.join("\n"));
  const file = join(folder, "collection.yaml");
  writeFileSync(file, text, { flag: "wx" });
  const list =
    checked.file.allowlist === null
      ? ""
      : `Write the accounts into ${join(folder, "allowlist.csv")}, one a line.\n`;
  return `${file} is written.\n${list}Next: npm run launch -- ${folder}`;
}
