import type { CollectionDraftInput } from "../../client/src/index.ts";
import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import { UUID } from "../command.ts";
import { NO_PAGE_FIELDS, type PageFields, readPageFields, type WantedPage } from "./page-settings.ts";
import { LISTED, type ListFile, readPhases, type WantedPhase } from "./phase-settings.ts";
import { type Read, readPercent } from "./prices.ts";
import { insideFolder, line, lines, readAccount, SettingsReader, wholeNumber } from "./settings-reader.ts";
import { readTime } from "./times.ts";

/** What a draft takes of a collection's settings; the contract comes from elsewhere, and prices may need their tokens. */
export type DraftSettings = Omit<
  CollectionDraftInput,
  "contract_uuid" | "public_mint_config" | "private_mint_config" | "phases"
>;

/** What `collection.yaml` says, checked. */
export interface CollectionFile {
  /** Null: the one contract of the key. */
  readonly contract: string | null;
  readonly draft: DraftSettings;
  /** Who may mint from a wallet, by number; empty: nobody. */
  readonly phases: readonly WantedPhase[];
  /** NFTs of each media file. */
  readonly copies: number;
  /** Appended to the title; null: the name in the picture's JSON file, or the NFT's number; empty: nothing. */
  readonly subtitle: string | null;
  /** The account that sales are paid out to; null: as it is. */
  readonly payout: string | null;
  /** How collectors are shown it. */
  readonly page: WantedPage;
  /** What their pages show beside. */
  readonly pageFields: PageFields;
}

/** What a file says, or all that is wrong with it; the files of accounts can be checked all the same. */
export type CheckedFile =
  | { readonly file: CollectionFile }
  | { readonly problems: readonly string[]; readonly lists: readonly ListFile[] };

const FIELDS = [
  "title",
  "description",
  "contract",
  "copies",
  "subtitle",
  "phases",
  "allowlist",
  "royalties",
  "mint_free",
  "transfers",
  "payout",
  "page",
  "reveal",
];
const ROYALTIES = ["sales", "resales"] as const;
/** The limits of the service, which a test compares. */
const MAX_LISTED = 1_000;
const SHARES = {
  sales: { accounts: 10, total: 9_500, why: " (the platform's 5% come before)" },
  resales: { accounts: 9, total: 10_000, why: "" },
};

/**
 * Reads `collection.yaml` or `collection.json`. Other generators write a `collection.json` of their own, with `name` in
 * place of `title`: of those name and description are taken.
 * @param name of the file, as problems name it
 */
export function readCollectionFile(name: string, text: string): CheckedFile {
  const reader = new SettingsReader(name, text);
  if (reader.problems.length > 0) return { problems: reader.problems, lists: [] };
  const fields = reader.fields([]) ?? [];
  const isForeign = name.endsWith(".json") && fields.includes("name") && !fields.includes("title");
  if (!isForeign) reader.onlyFields([], FIELDS);
  const file = isForeign ? foreign(reader) : own(reader);
  return reader.problems.length > 0
    ? { problems: reader.problems.toSorted(byLine), lists: file.phases.flatMap(({ list }) => list ?? []) }
    : { file };
}

const lineOf = (problem: string): number => Number(/^[^: ]+:(\d+) /.exec(problem)?.[1] ?? 0);
const byLine = (one: string, other: string): number => lineOf(one) - lineOf(other);

const foreign = (reader: SettingsReader): CollectionFile => ({
  contract: null,
  draft: {
    title: reader.value(["name"], line(256)) ?? "",
    description: reader.value(["description"], lines(1024)),
  },
  phases: [],
  copies: 1,
  subtitle: null,
  payout: null,
  page: "by_title",
  pageFields: NO_PAGE_FIELDS,
});

function own(reader: SettingsReader): CollectionFile {
  const title = reader.value(["title"], line(256));
  if (title === null && reader.text(["title"]) === null)
    reader.problem(["title"], "missing: give the collection a title");
  const accounts = reader.value(["allowlist"], insideFolder);
  const listed = accounts === null ? null : { file: accounts, at: reader.place(["allowlist"]) };
  const phases = readPhases(reader, listed);
  const hasListed = phases.some(({ phase }) => phase === LISTED);
  if (hasListed && !reader.text(["allowlist"])) {
    reader.problem(["phases", "allowlist"], "name the file of its accounts, as in allowlist: allowlist.csv");
  }
  if (!hasListed && listed !== null) {
    reader.problem(["allowlist"], "say when and at what price these accounts may mint, in phases.allowlist");
  }
  reader.onlyFields(["royalties"], ROYALTIES);
  const { page, fields: pageFields } = readPageFields(reader);
  return {
    contract: reader.value(["contract"], contract),
    draft: {
      title: title ?? "",
      description: reader.value(["description"], lines(1024)),
      bypass_mint_fee_accounts: accountList(reader, ["mint_free"]),
      initial_royalties: shares(reader, "sales"),
      ongoing_royalties: shares(reader, "resales"),
      allow_transfers: reader.value(["transfers"], yesOrNo) ?? true,
      reveal: reader.value(["reveal"], readReveal) ?? false,
    },
    phases,
    copies: reader.value(["copies"], wholeNumber) ?? 1,
    subtitle: reader.value(["subtitle"], readSubtitle),
    payout: reader.value(["payout"], readAccount),
    page,
    pageFields,
  };
}

function shares(reader: SettingsReader, kind: (typeof ROYALTIES)[number]): Record<string, number> {
  const path = ["royalties", kind];
  const limit = SHARES[kind];
  const found: Record<string, number> = {};
  let total = 0;
  const names = reader.fields(path) ?? [];
  for (const account of names) {
    if (!isAccountId(account)) reader.problem([...path, account], ACCOUNT_ID_RULE);
    const points = readPercent(reader.text([...path, account]) ?? "");
    if (points === null || points < 1 || points > limit.total) {
      reader.problem(
        [...path, account],
        `give a percentage from 0.01 to ${limit.total / 100} with at most two decimals`,
      );
    } else {
      total += points;
      found[account] = points / 100;
    }
  }
  if (names.length > limit.accounts)
    reader.problem(path, `name at most ${limit.accounts} accounts; there are ${names.length}`);
  if (total > limit.total) {
    reader.problem(path, `keep the sum at or below ${limit.total / 100}%${limit.why}; it is ${total / 100}%`);
  }
  return found;
}

function accountList(reader: SettingsReader, path: readonly string[]): string[] {
  const count = reader.length(path) ?? 0;
  if (count > MAX_LISTED) reader.problem(path, `name at most ${MAX_LISTED} accounts; there are ${count}`);
  const found: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const account = reader.text([...path, index]);
    if (account !== null && isAccountId(account)) found.push(account);
    else reader.problem([...path, index], ACCOUNT_ID_RULE);
  }
  return [...new Set(found)];
}

const yesOrNo = (text: string): Read<boolean> =>
  /^(true|yes|false|no)$/i.test(text)
    ? { value: /^(true|yes)$/i.test(text) }
    : { problem: `give yes or no; it is "${text}"` };

/** Whether assets are hidden until a reveal, and if at a time, when. */
const readReveal = (text: string): Read<boolean | string> => {
  const read = yesOrNo(text);
  if ("value" in read || !/^\d/.test(text)) return read;
  return readTime(text);
};

const contract = (text: string): Read<string> =>
  UUID.test(text)
    ? { value: text.toLowerCase() }
    : { problem: "give the contract's uuid, or leave it out to use the key's only contract" };

/** `no` is none. */
export const readSubtitle = (text: string): Read<string> =>
  /^(no|false)$/i.test(text) ? { value: "" } : line(256)(text);
