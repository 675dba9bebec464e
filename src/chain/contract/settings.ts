import { basisPoints } from "../../domain/royalties.ts";
import { type CollectionSettings, inOrder, type MintConfig, type Royalties } from "../../domain/settings.ts";

/** Settings in the contract's form (docs/contract.md, "Types"). Absent fields are unchanged. */
export type ContractSettings = Readonly<Record<string, unknown>>;

/** Converts settings to the contract's form: times in Unix milliseconds, royalties in basis points. */
export const contractSettings = (settings: Partial<CollectionSettings>): ContractSettings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, convert(name, value)]));

const convert = (name: string, value: unknown): unknown => {
  switch (name as keyof CollectionSettings) {
    case "public_mint_config":
    case "private_mint_config":
      return value === null ? null : mintConfig(value as MintConfig);
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
});

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

/** All settings as the contract returns them; royalties are in basis points. */
export interface ContractSettingsView
  extends Omit<CollectionSettings, "public_mint_config" | "private_mint_config"> {
  readonly public_mint_config: ContractMintConfig | null;
  readonly private_mint_config: ContractMintConfig | null;
}

/** Converts settings from the contract's form, the inverse of `contractSettings`. */
export const settingsFromContract = (view: ContractSettingsView): CollectionSettings =>
  inOrder({
    ...view,
    public_mint_config: view.public_mint_config && shownConfig(view.public_mint_config),
    private_mint_config: view.private_mint_config && shownConfig(view.private_mint_config),
    initial_royalties: percentages(view.initial_royalties),
    ongoing_royalties: percentages(view.ongoing_royalties),
  });

/** Converts a mint configuration from the contract's form. */
export const shownConfig = (config: ContractMintConfig): MintConfig => ({
  mint_fee: config.mint_fee,
  starts_at: instant(config.starts_at_ms),
  ends_at: instant(config.ends_at_ms),
  limit_per_account: config.limit_per_account,
});

/** RFC 3339 of Unix milliseconds. */
export const instant = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

const percentages = (points: Royalties): Royalties =>
  Object.fromEntries(Object.entries(points).map(([account, share]) => [account, share / 100]));

/** Names of settings that differ from the contract's; the order of accounts is ignored. */
export const settingsThatDiffer = (
  settings: CollectionSettings,
  view: ContractSettingsView,
): (keyof CollectionSettings)[] => {
  const own = contractSettings(inOrder(settings));
  return (Object.keys(own) as (keyof CollectionSettings)[]).filter(
    (name) => canonical(own[name]) !== canonical(settable(view[name])),
  );
};

/** A setting without what the contract adds: the tokens minted at a price, and a currency or a supply that isn't set. */
const settable = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("mint_fee" in value)) return value;
  const added = ([name, field]: [string, unknown]) =>
    name === "minted" || ((name === "currency" || name === "supply") && field === null);
  return Object.fromEntries(Object.entries(value).filter((field) => !added(field)));
};

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return JSON.stringify([...value].sort());
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
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
