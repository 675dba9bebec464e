import { FolderError } from "../../client/src/folder/index.ts";
import {
  type CollectionDraftInput,
  type Currency,
  type MintageClient,
  NotFoundError,
} from "../../client/src/index.ts";
import type { CollectionFile } from "./collection-file.ts";
import type { CheckedFolder } from "./folder.ts";
import { LISTED, OPEN, phaseName, type WantedPhase } from "./phase-settings.ts";
import { type Currencies, type Read, readPriceIn, readUnits } from "./prices.ts";

/** The two mint configs, and the numbers of their phases. */
const CONFIGS = [
  [OPEN, "public_mint_config"],
  [LISTED, "private_mint_config"],
] as const;

/** A token, or what is wrong with it. */
type Found = Currency | { readonly problem: string };

/** The price of a phase in smallest units, or what is wrong with it. @param found the tokens of all prices */
export function smallestPrice(
  { price, currency }: WantedPhase,
  found: ReadonlyMap<string, Found>,
): Read<string> {
  if (currency === null) return { value: price };
  const { account, at, priceAt } = currency;
  const token = found.get(account);
  if (!token) throw new Error(`The token ${account} was not read.`);
  if ("problem" in token) return { problem: `${at}: ${token.problem}` };
  const read = readPriceIn(token)(price);
  return "value" in read ? read : { problem: `${priceAt}: ${read.problem}.` };
}

/**
 * Reads the tokens that prices are in from the chain.
 * @throws FolderError naming each price that its token can't express, by line and field
 */
export async function readCurrencies(
  client: MintageClient,
  phases: readonly WantedPhase[],
): Promise<Currencies> {
  const names = new Set(phases.flatMap(({ currency }) => currency?.account ?? []));
  const read = async (name: string): Promise<[string, Found]> => {
    const found = await client.currency(name).catch((error: unknown) => {
      if (error instanceof NotFoundError) return { problem: error.message };
      throw error;
    });
    return [name, found];
  };
  const found = await Promise.all(Array.from(names, read));
  const problems = phases.flatMap((phase) => {
    const price = smallestPrice(phase, new Map(found));
    return "problem" in price ? [price.problem] : [];
  });
  if (problems.length > 0) throw new FolderError(problems);
  return new Map(found.flatMap(([name, token]) => ("problem" in token ? [] : [[name, token] as const])));
}

/** What a price in a token may have after the point in a preview, which asks no chain: NEAR's decimals. */
const WRITTEN_DECIMALS = 24;

/** The tokens of prices as the settings write them. One without a symbol has its account instead. */
export const writtenCurrencies = (phases: readonly WantedPhase[]): Currencies =>
  new Map(
    phases.flatMap(({ price, currency }) => {
      if (currency === null) return [];
      const read = readUnits(price);
      const symbol = ("value" in read && read.value.symbol) || currency.account;
      return [[currency.account, { contract_id: currency.account, symbol, decimals: WRITTEN_DECIMALS }]];
    }),
  );

/**
 * The request that drafts a folder's collection. Prices in NEAR of the two phases that have names are the two mint
 * configs.
 * @param currencies the tokens of all prices
 */
export function draftRequest(
  contractUuid: string,
  { draft, phases }: Pick<CollectionFile, "draft" | "phases">,
  currencies: Currencies,
): CollectionDraftInput {
  const configOf = (wanted: WantedPhase) => {
    const read = smallestPrice(wanted, currencies);
    if ("problem" in read) throw new FolderError([read.problem]);
    const { starts_at, ends_at, limit_per_account } = wanted;
    return { mint_fee: read.value, starts_at, ends_at, limit_per_account };
  };
  const further = phases.filter((wanted) => !isConfig(wanted));
  const configs = CONFIGS.flatMap(([number, field]) => {
    const found = phases.find(({ phase }) => phase === number);
    return found && !isConfig(found) ? [] : [[field, found ? configOf(found) : null] as const];
  });
  return {
    contract_uuid: contractUuid,
    ...draft,
    ...Object.fromEntries(configs),
    ...(further.length > 0 && {
      phases: further.map((wanted) => ({
        phase: wanted.phase,
        kind: wanted.list === null ? ("public" as const) : ("allowlist" as const),
        ...configOf(wanted),
        currency: wanted.currency?.account ?? null,
        supply: wanted.supply,
      })),
    }),
  };
}

/** Whether a phase is one that a mint config can describe. */
const isConfig = ({ phase, currency, supply }: WantedPhase): boolean =>
  phase <= OPEN && currency === null && supply === null;

/**
 * Refuses phases that are over: nobody could mint in them, and what is put on-chain for them is paid all the same. A time of
 * the reveal that is over would show what is to be hidden.
 * @param now milliseconds since 1970
 * @throws FolderError naming each
 */
export function requireOpenPhases(
  { file, settingsName }: Pick<CheckedFolder, "file" | "settingsName">,
  now: number,
): void {
  const problems = file.phases.flatMap(({ phase, ends_at: end }) =>
    end && Date.parse(end) <= now
      ? [
          `${settingsName} phases.${phaseName(phase)}: it ended at ${end}. Set a later time in ends, or remove the phase.`,
        ]
      : [],
  );
  const { reveal } = file.draft;
  if (typeof reveal === "string" && Date.parse(reveal) <= now)
    problems.push(
      `${settingsName} reveal: ${reveal} is over. Give a later time, or true to reveal it yourself.`,
    );
  if (problems.length > 0) throw new FolderError(problems);
}
