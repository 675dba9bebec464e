import type { DraftSettings } from "./settings.ts";

export interface DraftRequest extends DraftSettings {
  readonly contract_uuid: string;
}

/** Metadata of a mint or an update. Absent: the default, or unchanged in an update; null: cleared in an update. */
export interface TokenMetadata {
  readonly asset_file_url?: string | null;
  readonly reference_file_url?: string | null;
  /** JSON as a string. */
  readonly extra?: string | null;
  readonly copies?: number | null;
  readonly title?: string | null;
  readonly subtitle?: string | null;
  readonly description?: string | null;
}

/** POST mint. Receivers times quantity is at most 25. */
export interface MintRequest {
  readonly receiver_addresses: readonly string[];
  readonly quantity_per_receiver: number;
  readonly metadata?: TokenMetadata | null;
  /** Copies of this asset in place of drawn ones. */
  readonly asset_uuid?: string | null;
  /** Whether each named receiver has to be an account on the chain. */
  readonly receivers_must_exist?: boolean | null;
}

export interface NftUpdateRequest extends TokenMetadata {
  readonly token_id: string;
}
