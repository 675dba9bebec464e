import type { CollectionDraftInput } from "../../client/src/index.ts";
import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import { UUID } from "../command.ts";
import { type PageFields, readPageFields, type WantedPage } from "./page-settings.ts";
import { type Read, readPercent, readPrice } from "./prices.ts";
import { SettingsReader } from "./settings-reader.ts";
import { readTime } from "./times.ts";

/** What a draft takes of a collection's settings; the contract comes from elsewhere. */
export type DraftSettings = Omit<CollectionDraftInput, "contract_uuid">;

/** What `collection.yaml` says, checked. */
export interface CollectionFile {
  /** Null: the one contract of the key. */
  readonly contract: string | null;
  readonly draft: DraftSettings;
  /** NFTs of each media file. */
  readonly copies: number;
  /** Appended to the title; null: the name in the picture's JSON file, or the NFT's number; empty: nothing. */
  readonly subtitle: string | null;
  /** The file of accounts, as a path below the folder. */
  readonly allowlist: string | null;
  /** The account that sales are paid out to; null: as it is. */
  readonly payout: string | null;
  /** How collectors are shown it. */
  readonly page: WantedPage;
  /** What their pages show beside. */
  readonly pageFields: PageFields;
}

/** What a file says, or all that is wrong with it; the allowlist's file can be checked all the same. */
export type CheckedFile =
  | { readonly file: CollectionFile }
  | { readonly problems: readonly string[]; readonly allowlist: string | null };

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
const PHASES = ["public", "allowlist"] as const;
const PHASE_FIELDS = ["price", "starts", "ends", "per_account"];
const ROYALTIES = ["sales", "resales"] as const;
/** The limits of the service, which a test compares. */
const MAX_COPIES = 4_294_967_295;
const MAX_LISTED = 1_000;
const SHARES = {
  sales: { accounts: 10, total: 9_500, why: " (the platform's 5% come before)" },
  resales: { accounts: 9, total: 10_000, why: "" },
};

type MintPhase = NonNullable<CollectionDraftInput["public_mint_config"]>;

/**
 * Reads `collection.yaml` or `collection.json`. Other generators write a `collection.json` of their own, with `name` in
 * place of `title`: of those name and description are taken.
 * @param name of the file, as problems name it
 */
export function readCollectionFile(name: string, text: string): CheckedFile {
  const reader = new SettingsReader(name, text);
  if (reader.problems.length > 0) return { problems: reader.problems, allowlist: null };
  const fields = reader.fields([]) ?? [];
  const isForeign = name.endsWith(".json") && fields.includes("name") && !fields.includes("title");
  if (!isForeign) reader.onlyFields([], FIELDS);
  const file = isForeign ? foreign(reader) : own(reader);
  return reader.problems.length > 0
    ? { problems: reader.problems.toSorted(byLine), allowlist: file.allowlist }
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
  copies: 1,
  subtitle: null,
  allowlist: null,
  payout: null,
  page: "by_title",
  pageFields: { accent: null, cover: null, creator: null, about: null, links: null },
});

function own(reader: SettingsReader): CollectionFile {
  const title = reader.value(["title"], line(256));
  if (title === null && reader.text(["title"]) === null)
    reader.problem(["title"], "missing: give the collection a title");
  const allowlist = reader.value(["allowlist"], insideFolder);
  reader.onlyFields(["phases"], PHASES);
  const privatePhase = phase(reader, "allowlist");
  if (privatePhase && !reader.text(["allowlist"])) {
    reader.problem(["phases", "allowlist"], "name the file of its accounts, as in allowlist: allowlist.csv");
  }
  if (!privatePhase && allowlist !== null) {
    reader.problem(["allowlist"], "say when and at what price these accounts may mint, in phases.allowlist");
  }
  reader.onlyFields(["royalties"], ROYALTIES);
  const { page, fields: pageFields } = readPageFields(reader);
  return {
    contract: reader.value(["contract"], contract),
    draft: {
      title: title ?? "",
      description: reader.value(["description"], lines(1024)),
      public_mint_config: phase(reader, "public"),
      private_mint_config: privatePhase,
      bypass_mint_fee_accounts: accounts(reader, ["mint_free"]),
      initial_royalties: shares(reader, "sales"),
      ongoing_royalties: shares(reader, "resales"),
      allow_transfers: reader.value(["transfers"], yesOrNo) ?? true,
      reveal: reader.value(["reveal"], readReveal) ?? false,
    },
    copies: reader.value(["copies"], wholeNumber) ?? 1,
    subtitle: reader.value(["subtitle"], readSubtitle),
    allowlist,
    payout: reader.value(["payout"], account),
    page,
    pageFields,
  };
}

function phase(reader: SettingsReader, name: (typeof PHASES)[number]): MintPhase | null {
  const path = ["phases", name];
  const isNamed = reader.fields(["phases"])?.includes(name) ?? false;
  if (reader.fields(path) === null) {
    if (isNamed) reader.problem(path, "give its price below it, as in price: free, or leave the phase out");
    return null;
  }
  reader.onlyFields(path, PHASE_FIELDS);
  if (reader.text([...path, "price"]) === null)
    reader.problem([...path, "price"], 'missing: give it, or "free"');
  const starts = reader.value([...path, "starts"], readTime);
  const ends = reader.value([...path, "ends"], readTime);
  if (starts && ends && starts >= ends) reader.problem([...path, "ends"], "has to be after starts");
  return {
    mint_fee: reader.value([...path, "price"], readPrice) ?? "0",
    starts_at: starts,
    ends_at: ends,
    limit_per_account: reader.value([...path, "per_account"], wholeNumber),
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

function accounts(reader: SettingsReader, path: readonly string[]): string[] {
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

const account = (text: string): Read<string> =>
  isAccountId(text) ? { value: text } : { problem: ACCOUNT_ID_RULE };

/** A number of NFTs, or of accounts. */
export const wholeNumber = (text: string): Read<number> =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_COPIES
    ? { value: Number(text) }
    : { problem: `give a whole number from 1 to ${MAX_COPIES}; it is "${text}"` };

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

const insideFolder = (text: string): Read<string> =>
  /^(?!.*(?:^|[/\\])\.\.(?:[/\\]|$))[^/\\].*\.(csv|txt)$/i.test(text)
    ? { value: text }
    : { problem: `name a .csv or .txt file in this folder; it is "${text}"` };

/** `no` is none. */
export const readSubtitle = (text: string): Read<string> =>
  /^(no|false)$/i.test(text) ? { value: "" } : line(256)(text);

/** The service's rule for texts. @param most code points */
const text =
  (most: number, control: RegExp) =>
  (value: string): Read<string> => {
    const length = [...value].length;
    if (length > most) return { problem: `use at most ${most} characters; there are ${length}` };
    return control.test(value) ? { problem: "remove the control characters" } : { value };
  };
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const line = (most: number) => text(most, /[\u0000-\u001f\u007f-\u009f]/);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const lines = (most: number) => text(most, /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
