import { basisPoints } from "../../domain/royalties.ts";
import {
  type CollectionSettings,
  type Currency,
  inOrder,
  type MintConfig,
  type Phase,
  type PhaseCounts,
  PUBLIC_PHASE,
  phasesOf,
  type Royalties,
} from "../../domain/settings.ts";

/** Settings in the contract's form (docs/contract.md, "Types"). Absent fields are unchanged. */
export type ContractSettings = Readonly<Record<string, unknown>>;

/** Converts settings to the contract's form: times in Unix milliseconds, royalties in basis points. */
export const contractSettings = (settings: Partial<CollectionSettings>): ContractSettings =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name === "further_phases" ? "phases" : name,
      convert(name, value),
    ]),
  );

const convert = (name: string, value: unknown): unknown => {
  switch (name as keyof CollectionSettings) {
    case "public_mint_config":
    case "private_mint_config":
      return value === null ? null : mintConfig(value as MintConfig);
    case "further_phases":
      return byPlace(value as readonly Phase[]);
    case "initial_royalties":
    case "ongoing_royalties":
      return royaltyPoints(value as Royalties);
    default:
      return value;
  }
};

const mintConfig = (config: MintConfig) => ({
  mint_fee: config.mint_fee,
  starts_at_ms: milliseconds(config.starts_at),
  ends_at_ms: milliseconds(config.ends_at),
  limit_per_account: config.limit_per_account,
  ...(config.currency && { currency: config.currency.contract_id }),
  ...(config.supply != null && { supply: config.supply }),
});

/** Number of the first phase in the contract's `phases`. */
const FIRST_FURTHER = PUBLIC_PHASE + 1;

/** The phases behind the first two, by their places; null leaves one empty. */
const byPlace = (phases: readonly Phase[]) => {
  const places = Math.max(0, ...phases.map(({ phase }) => phase - PUBLIC_PHASE));
  return Array.from({ length: places }, (_, index) => {
    const found = phases.find(({ phase }) => phase === FIRST_FURTHER + index);
    return found ? { ...mintConfig(found), allowlist: found.kind === "allowlist" } : null;
  });
};

export interface ContractMintConfig {
  /** Decimal string: yoctoNEAR, or units of the currency. */
  readonly mint_fee: string;
  /** Account of the NEP-141 token that the fee is in; null: NEAR. */
  readonly currency?: string | null;
  /** Most tokens of all accounts; null: no limit. */
  readonly supply?: number | null;
  /** Tokens minted at this price. */
  readonly minted?: number;
  /** Unix milliseconds. */
  readonly starts_at_ms: number | null;
  readonly ends_at_ms: number | null;
  readonly limit_per_account: number | null;
}

/** A phase behind the first two. */
export interface ContractPhase extends ContractMintConfig {
  /** Whether it has a list of its own. */
  readonly allowlist: boolean;
  /** Accounts on the list. */
  readonly allowlisted?: number;
}

/** All settings as the contract returns them; royalties are in basis points. */
export interface ContractSettingsView
  extends Omit<CollectionSettings, "public_mint_config" | "private_mint_config" | "further_phases"> {
  readonly public_mint_config: ContractMintConfig | null;
  readonly private_mint_config: ContractMintConfig | null;
  /** From phase 3 on; absent: an earlier release, which has none. */
  readonly phases?: readonly (ContractPhase | null)[];
}

/**
 * Converts settings from the contract's form, the inverse of `contractSettings`.
 * @param known settings with the metadata of currencies, which the contract doesn't have
 */
export const settingsFromContract = (
  view: ContractSettingsView,
  known?: CollectionSettings,
): CollectionSettings => {
  const currencies = known ? phasesOf(known).flatMap(({ currency }) => currency ?? []) : [];
  const { phases = [], ...rest } = view;
  return inOrder({
    ...rest,
    public_mint_config: view.public_mint_config && shownConfig(view.public_mint_config, currencies),
    private_mint_config: view.private_mint_config && shownConfig(view.private_mint_config, currencies),
    further_phases: phases.flatMap((phase, index): Phase[] => {
      if (!phase) return [];
      const config = shownConfig(phase, currencies);
      const { currency = null, supply = null } = config;
      const kind = phase.allowlist ? "allowlist" : "public";
      return [{ phase: FIRST_FURTHER + index, kind, ...config, currency, supply }];
    }),
    initial_royalties: percentages(view.initial_royalties),
    ongoing_royalties: percentages(view.ongoing_royalties),
  });
};

const shownConfig = (config: ContractMintConfig, currencies: readonly Currency[]): MintConfig => ({
  mint_fee: config.mint_fee,
  starts_at: instant(config.starts_at_ms),
  ends_at: instant(config.ends_at_ms),
  limit_per_account: config.limit_per_account,
  ...(config.currency != null && { currency: currencyNamed(config.currency, currencies) }),
  ...(config.supply != null && { supply: config.supply }),
});

const currencyNamed = (contractId: string, known: readonly Currency[]): Currency =>
  known.find(({ contract_id: id }) => id === contractId) ?? {
    contract_id: contractId,
    symbol: null,
    decimals: null,
  };

/** What the contract counts of its phases, without those of which it has counted nothing. */
export const phaseCounts = (
  view: Pick<ContractSettingsView, "public_mint_config" | "private_mint_config" | "phases"> & {
    readonly allowlisted: number;
  },
): PhaseCounts => {
  const { private_mint_config: listed, public_mint_config: open, phases = [] } = view;
  const first = listed && { ...listed, allowlist: true, allowlisted: view.allowlisted };
  const second = open && { ...open, allowlist: false, allowlisted: 0 };
  const counts = [first, second, ...phases].flatMap((phase, index) => {
    if (!phase) return [];
    const { minted = 0, allowlist, allowlisted = 0 } = phase;
    if (minted === 0 && (!allowlist || allowlisted === 0)) return [];
    return [[index + 1, { minted, allowlisted: allowlist ? allowlisted : null }] as const];
  });
  return Object.fromEntries(counts);
};

/** RFC 3339 of Unix milliseconds. */
export const instant = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

const percentages = (points: Royalties): Royalties =>
  Object.fromEntries(Object.entries(points).map(([account, share]) => [account, share / 100]));

/** Names of settings that differ from the contract's; the order of accounts is ignored. */
export const settingsThatDiffer = (settings: CollectionSettings, view: ContractSettingsView): string[] => {
  const own = contractSettings(inOrder(settings));
  const theirs: Readonly<Record<string, unknown>> = { phases: [], ...view };
  return Object.keys(own).filter((name) => canonical(own[name]) !== canonical(theirs[name]));
};

/** Fields of a phase that the contract adds: counts, and a currency or a supply that isn't set. */
const isAdded = ([name, value]: [string, unknown]): boolean =>
  name === "minted" ||
  name === "allowlisted" ||
  ((name === "currency" || name === "supply") && value === null);

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) {
    // Phases have places, accounts don't.
    const isAccounts = value.every((entry) => typeof entry === "string");
    return JSON.stringify(isAccounts ? [...value].sort() : value.map(canonical));
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter((field) => !("mint_fee" in value && isAdded(field)));
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
};

const milliseconds = (instant: string | null): number | null =>
  instant === null ? null : Date.parse(instant);

const royaltyPoints = (royalties: Royalties): Record<string, number> =>
  Object.fromEntries(Object.entries(royalties).map(([account, percent]) => [account, pointsOf(percent)]));

const pointsOf = (percent: number): number => {
  const points = basisPoints(percent);
  if (points === null) throw new RangeError("a percentage has at most two decimals");
  return points;
};
