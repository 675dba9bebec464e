import type { Issue } from "./issues.ts";

export interface MintConfig {
  /** yoctoNEAR, a decimal string. */
  readonly mint_fee: string;
  /** RFC 3339 in UTC; null means open. */
  readonly starts_at: string | null;
  /** RFC 3339 in UTC; null means open. */
  readonly ends_at: string | null;
  /** Mints an account may make at this price; null means any number. */
  readonly limit_per_account: number | null;
}

/** Account id to percent with at most two decimals, such as `{"alice.near": 12.5}`. */
export type Royalties = Readonly<Record<string, number>>;

/** The settings of a draft or a collection, complete: every field has its value or null. */
export interface CollectionSettings {
  readonly title: string;
  readonly description: string | null;
  readonly public_mint_config: MintConfig | null;
  readonly private_mint_config: MintConfig | null;
  readonly bypass_mint_fee_accounts: readonly string[];
  readonly initial_royalties: Royalties;
  readonly ongoing_royalties: Royalties;
  readonly allow_approvals: boolean;
  readonly approvals_allowed_accounts: readonly string[] | null;
  readonly approvals_denied_accounts: readonly string[] | null;
  readonly allow_transfers: boolean;
  readonly transfers_denied_accounts: readonly string[] | null;
}

/**
 * Settings of a draft. `reveal`: whether its collection hides its assets until they are revealed, by request alone or also
 * at a time (RFC 3339 in UTC).
 */
export interface DraftSettings extends CollectionSettings {
  readonly reveal?: boolean | string;
}

/** Changes of settings: an absent field stays, null has become the field's empty value; the same within a mint config. */
export type SettingsChanges = Omit<Partial<CollectionSettings>, MintConfigName> & {
  readonly [Name in MintConfigName]?: Partial<MintConfig> | null;
} & Pick<DraftSettings, "reveal">;

const MINT_CONFIGS = ["public_mint_config", "private_mint_config"] as const;
type MintConfigName = (typeof MINT_CONFIGS)[number];

const OPEN_TO_ALL = { starts_at: null, ends_at: null, limit_per_account: null };

/** Whether changes affect a mint config, so that the result depends on the present config. */
export const hasConfigChanges = (changes: SettingsChanges): boolean =>
  MINT_CONFIGS.some((name) => changes[name] != null);

/** The settings that changes name, each complete. @param settings for which the changes have no `configIssues` */
export const changedSettings = (
  settings: CollectionSettings,
  changes: SettingsChanges,
): Partial<CollectionSettings> => {
  const configs = MINT_CONFIGS.flatMap((name) => {
    const change = changes[name];
    return change ? [[name, { ...OPEN_TO_ALL, ...settings[name], ...change }] as const] : [];
  });
  return { ...changes, ...Object.fromEntries(configs) } as Partial<CollectionSettings>;
};

/** Why mint configs can't become what changes make of them: no price, or an end before the start. */
export const configIssues = (settings: CollectionSettings, changes: SettingsChanges): Issue[] => {
  const changed = changedSettings(settings, changes);
  return MINT_CONFIGS.flatMap((name) => {
    const [change, config] = [changes[name], changed[name]];
    if (!change || !config) return [];
    if (config.mint_fee === undefined) {
      return [{ path: [name, "mint_fee"], message: `Give mint_fee: there is no ${name} yet.` }];
    }
    const { starts_at: start, ends_at: end } = config;
    if (!start || !end || start < end) return [];
    const field = change.ends_at === undefined ? "starts_at" : "ends_at";
    return [{ path: [name, field], message: `ends_at (${end}) must be after starts_at (${start}).` }];
  });
};

/** The settings with their fields in the order in which the interface names them, as answers show them. */
export const inOrder = (settings: CollectionSettings): CollectionSettings => ({
  title: settings.title,
  description: settings.description,
  public_mint_config: settings.public_mint_config,
  private_mint_config: settings.private_mint_config,
  bypass_mint_fee_accounts: settings.bypass_mint_fee_accounts,
  initial_royalties: settings.initial_royalties,
  ongoing_royalties: settings.ongoing_royalties,
  allow_approvals: settings.allow_approvals,
  approvals_allowed_accounts: settings.approvals_allowed_accounts,
  approvals_denied_accounts: settings.approvals_denied_accounts,
  allow_transfers: settings.allow_transfers,
  transfers_denied_accounts: settings.transfers_denied_accounts,
});
