import { basisPoints } from "../../domain/royalties.ts";
import type { CollectionSettings, MintConfig, Royalties } from "../../domain/settings.ts";

/** Settings in the contract's own form (docs/contract.md, "Types"). Absent fields stay as they are. */
export type ContractSettings = Readonly<Record<string, unknown>>;

/** Settings, or some of them, as the contract takes them: times in Unix milliseconds, royalties in basis points. */
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

const milliseconds = (instant: string | null): number | null =>
  instant === null ? null : Date.parse(instant);

const royaltyPoints = (royalties: Royalties): Record<string, number> =>
  Object.fromEntries(Object.entries(royalties).map(([account, percent]) => [account, pointsOf(percent)]));

const pointsOf = (percent: number): number => {
  const points = basisPoints(percent);
  if (points === null) throw new RangeError("a percentage has at most two decimals");
  return points;
};
