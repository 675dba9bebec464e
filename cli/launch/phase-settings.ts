import { readPrice, readUnits } from "./prices.ts";
import { insideFolder, readAccount, type SettingsReader, wholeNumber } from "./settings-reader.ts";
import { readTime } from "./times.ts";

/** The numbers of the phases `allowlist` and `public`; higher ones are named by their numbers. */
export const LISTED = 1;
export const OPEN = 2;
const MOST = 8;
const PLAIN_FIELDS = ["price", "currency", "starts", "ends", "per_account", "supply"];
const LISTED_FIELDS = [...PLAIN_FIELDS, "allowlist"];

/** A file of accounts, and where the settings name it. */
export interface ListFile {
  readonly file: string;
  readonly at: string;
}

/** A token that a price is in. */
interface WantedCurrency {
  readonly account: string;
  /** Where the settings name it, and the price. */
  readonly at: string;
  readonly priceAt: string;
}

/** A mint phase as the folder's settings describe it. */
export interface WantedPhase {
  /** Its number on the contract. */
  readonly phase: number;
  /** yoctoNEAR; with a currency, whole units of it as the settings write them, such as `2.5 USDC`. */
  readonly price: string;
  /** Null: NEAR. */
  readonly currency: WantedCurrency | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly limit_per_account: number | null;
  readonly supply: number | null;
  /** The accounts that may mint; null: everyone may. */
  readonly list: ListFile | null;
}

/** What a phase is called in the settings: `allowlist`, `public`, or its number. */
export const phaseName = (phase: number): string =>
  phase === LISTED ? "allowlist" : phase === OPEN ? "public" : String(phase);

/** The number of a phase that is called so; null: none is. */
export const phaseNumber = (name: string): number | null =>
  PHASE_NUMBERS.find((phase) => phaseName(phase) === name) ?? null;

/** The numbers of all phases that a collection may have. */
export const PHASE_NUMBERS: readonly number[] = Array.from({ length: MOST }, (_, index) => index + 1);

/** Reads `phases`. @param listed the file of `allowlist` */
export function readPhases(reader: SettingsReader, listed: ListFile | null): WantedPhase[] {
  reader.onlyFields(["phases"], PHASE_NUMBERS.map(phaseName));
  const named = reader.fields(["phases"]) ?? [];
  return PHASE_NUMBERS.flatMap((phase) => {
    const name = phaseName(phase);
    const path = ["phases", name];
    if (reader.fields(path) === null) {
      if (named.includes(name))
        reader.problem(path, "give its price below it, as in price: free, or leave the phase out");
      return [];
    }
    reader.onlyFields(path, phase > OPEN ? LISTED_FIELDS : PLAIN_FIELDS);
    const list = phase > OPEN ? ownList(reader, path) : phase === LISTED ? listed : null;
    return [{ phase, list, ...priceOf(reader, path), ...limitsOf(reader, path) }];
  });
}

function ownList(reader: SettingsReader, path: readonly string[]): ListFile | null {
  const at = [...path, "allowlist"];
  const file = reader.value(at, insideFolder);
  return file === null ? null : { file, at: reader.place(at) };
}

function limitsOf(reader: SettingsReader, path: readonly string[]) {
  const starts = reader.value([...path, "starts"], readTime);
  const ends = reader.value([...path, "ends"], readTime);
  if (starts && ends && starts >= ends) reader.problem([...path, "ends"], "has to be after starts");
  return {
    starts_at: starts,
    ends_at: ends,
    limit_per_account: reader.value([...path, "per_account"], wholeNumber),
    supply: reader.value([...path, "supply"], wholeNumber),
  };
}

function priceOf(reader: SettingsReader, path: readonly string[]): Pick<WantedPhase, "price" | "currency"> {
  const [price, token] = [
    [...path, "price"],
    [...path, "currency"],
  ];
  if (reader.text(price) === null) reader.problem(price, 'missing: give it, or "free"');
  if (reader.text(token) === null) return { price: reader.value(price, readPrice) ?? "0", currency: null };
  const account = reader.value(token, readAccount) ?? "";
  // What the token makes of it is known once its decimals are.
  reader.value(price, readUnits);
  const currency = { account, at: reader.place(token), priceAt: reader.place(price) };
  return { price: reader.text(price) ?? "", currency };
}
