/** The settings that a draft and a collection share and the contract enforces, with the API's names. */

/** A direct mint, public or for the allowlist. */
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
