/* Made from /openapi.json; test/api/client-types.test.ts keeps it in step and writes it anew. */

export type AcceptedOperation = {
  operation_uuid: string;
  kind: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "finalize" | "collection_update" | "mint" | "nft_update" | "allowlist_add" | "allowlist_remove" | "allowlist_clear";
  state: "pending" | "succeeded" | "failed" | "unknown";
  /** The draft, collection or contract that it acts on. */
  subject_uuid: string;
  created_at: string;
  updated_at: string;
  finished_at: string | null;
  transactions: Array<ChainTransactionResult>;
};

export type AccountInput = {
  account: ChainAccountId;
};

export type AccountsInput = {
  accounts: Array<ChainAccountId>;
};

export type AdoptInput = {
  account_id: ChainAccountId;
};

export type AllowlistAnswer = {
  is_allowlisted: boolean;
};

/** A NEAR account id, named or implicit. */
export type ChainAccountId = string;

export type ChainTransactionResult = {
  /** base58 */
  transaction_hash: string;
  signer_id: string;
  receiver_id: string;
  nonce: string;
  status: "pending" | "success" | "failure";
  /** Gas units over all receipts. */
  gas_burnt: string | null;
  /** yoctoNEAR */
  tokens_burnt: string | null;
  block_hash: string | null;
  block_time: string | null;
  logs: Array<string>;
  failure_message: string | null;
  explorer_url: string | null;
};

export type Collection = {
  collection_uuid: string;
  /** The id on-chain, for calls of the contract. */
  collection_id: number;
  collection_draft_uuid: string;
  contract_uuid: string;
  contract_address: string;
  title: string;
  description: string | null;
  public_mint_config: MintConfig | null;
  private_mint_config: MintConfig | null;
  bypass_mint_fee_accounts: Array<string>;
  initial_royalties: Royalties;
  ongoing_royalties: Royalties;
  allow_approvals: boolean;
  approvals_allowed_accounts: Array<string> | null;
  approvals_denied_accounts: Array<string> | null;
  allow_transfers: boolean;
  transfers_denied_accounts: Array<string> | null;
  /** Sum of copies over all assets. */
  total_copies: number;
  total_assets: number;
  /** Tokens minted, as last read from the chain. */
  minted: number;
  /** CID of the directory of all files. */
  ipfs_root_cid: string;
  /** Pinning at the operator's IPFS node; null where there is none. */
  pin_state: "pending" | "pinned" | "failed" | null;
  created_at: string;
  updated_at: string;
};

export type CollectionChanges = {
  title?: string;
  description?: string | null;
  public_mint_config?: {
    /** yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage. */
    mint_fee: string;
    /** First moment; absent or null: open. */
    starts_at?: string | null;
    /** End, itself excluded; absent or null: open. */
    ends_at?: string | null;
    /** Mints an account may make; absent or null: any number. */
    limit_per_account?: number | null;
  } | null;
  private_mint_config?: {
    /** yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage. */
    mint_fee: string;
    /** First moment; absent or null: open. */
    starts_at?: string | null;
    /** End, itself excluded; absent or null: open. */
    ends_at?: string | null;
    /** Mints an account may make; absent or null: any number. */
    limit_per_account?: number | null;
  } | null;
  bypass_mint_fee_accounts?: Array<ChainAccountId> | null;
  /** Account id to percent with at most two decimals; at most 95% together. */
  initial_royalties?: Record<string, number> | null;
  /** Account id to percent with at most two decimals; at most 100% together. */
  ongoing_royalties?: Record<string, number> | null;
  allow_approvals?: boolean | null;
  approvals_allowed_accounts?: Array<ChainAccountId> | null;
  approvals_denied_accounts?: Array<ChainAccountId> | null;
  allow_transfers?: boolean | null;
  transfers_denied_accounts?: Array<ChainAccountId> | null;
};

export type CollectionDraft = {
  collection_draft_uuid: string;
  contract_uuid: string;
  state: "draft" | "finalizing" | "finalized";
  /** The collection that the draft became. */
  collection_uuid: string | null;
  /** The finalization, once it was accepted. */
  operation_uuid: string | null;
  title: string;
  description: string | null;
  public_mint_config: MintConfig | null;
  private_mint_config: MintConfig | null;
  bypass_mint_fee_accounts: Array<string>;
  initial_royalties: Royalties;
  ongoing_royalties: Royalties;
  allow_approvals: boolean;
  approvals_allowed_accounts: Array<string> | null;
  approvals_denied_accounts: Array<string> | null;
  allow_transfers: boolean;
  transfers_denied_accounts: Array<string> | null;
  created_at: string;
  updated_at: string;
};

export type CollectionDraftAsset = {
  asset_uuid: string;
  collection_draft_uuid: string;
  /** Order within the draft, which becomes the order on-chain. */
  position: number;
  asset_filename: string;
  /** CID of the file: CIDv1, base32. */
  asset_cid: string;
  /** Where the service's own IPFS gateway serves it. */
  asset_url: string;
  /** Bytes. */
  asset_size: number;
  /** By the file's bytes. */
  asset_media_type: string;
  copies: number;
  reference_filename: string | null;
  reference_cid: string | null;
  reference_url: string | null;
  /** Bytes. */
  reference_size: number | null;
  asset_subtitle: string | null;
  created_at: string;
};

export type CollectionDraftChanges = {
  contract_uuid?: string;
  title?: string;
  description?: string | null;
  public_mint_config?: {
    /** yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage. */
    mint_fee: string;
    /** First moment; absent or null: open. */
    starts_at?: string | null;
    /** End, itself excluded; absent or null: open. */
    ends_at?: string | null;
    /** Mints an account may make; absent or null: any number. */
    limit_per_account?: number | null;
  } | null;
  private_mint_config?: {
    /** yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage. */
    mint_fee: string;
    /** First moment; absent or null: open. */
    starts_at?: string | null;
    /** End, itself excluded; absent or null: open. */
    ends_at?: string | null;
    /** Mints an account may make; absent or null: any number. */
    limit_per_account?: number | null;
  } | null;
  bypass_mint_fee_accounts?: Array<ChainAccountId> | null;
  /** Account id to percent with at most two decimals; at most 95% together. */
  initial_royalties?: Record<string, number> | null;
  /** Account id to percent with at most two decimals; at most 100% together. */
  ongoing_royalties?: Record<string, number> | null;
  allow_approvals?: boolean | null;
  approvals_allowed_accounts?: Array<ChainAccountId> | null;
  approvals_denied_accounts?: Array<ChainAccountId> | null;
  allow_transfers?: boolean | null;
  transfers_denied_accounts?: Array<ChainAccountId> | null;
};

export type CollectionDraftInput = {
  contract_uuid: string;
  title: string;
  description?: string | null;
  public_mint_config?: {
    /** yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage. */
    mint_fee: string;
    /** First moment; absent or null: open. */
    starts_at?: string | null;
    /** End, itself excluded; absent or null: open. */
    ends_at?: string | null;
    /** Mints an account may make; absent or null: any number. */
    limit_per_account?: number | null;
  } | null;
  private_mint_config?: {
    /** yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage. */
    mint_fee: string;
    /** First moment; absent or null: open. */
    starts_at?: string | null;
    /** End, itself excluded; absent or null: open. */
    ends_at?: string | null;
    /** Mints an account may make; absent or null: any number. */
    limit_per_account?: number | null;
  } | null;
  bypass_mint_fee_accounts?: Array<ChainAccountId> | null;
  /** Account id to percent with at most two decimals; at most 95% together. */
  initial_royalties?: Record<string, number> | null;
  /** Account id to percent with at most two decimals; at most 100% together. */
  ongoing_royalties?: Record<string, number> | null;
  allow_approvals?: boolean | null;
  approvals_allowed_accounts?: Array<ChainAccountId> | null;
  approvals_denied_accounts?: Array<ChainAccountId> | null;
  allow_transfers?: boolean | null;
  transfers_denied_accounts?: Array<ChainAccountId> | null;
};

export type Contract = {
  contract_uuid: string;
  account_id: string;
  code_hash: string;
  state: "deploying" | "ready" | "failed";
  created_at: string;
};

export type ContractDeployed = {
  contract_uuid: string;
  account_id: string;
  code_hash: string;
  state: "ready";
  tx_results: Array<ChainTransactionResult>;
};

export type ContractInput = {
  /** NEP-177 name of the contract. */
  name: string;
  /** NEP-177 symbol. */
  symbol: string;
  /** A further account that may administer it. */
  admin_id?: string | null;
};

export type ContractUpgraded = {
  contract_uuid: string;
  account_id: string;
  code_hash: string;
  /** Empty where it was current before. */
  tx_results: Array<ChainTransactionResult>;
};

export type Eligibility = {
  account_id: string;
  allowed: boolean;
  via: "bypass" | "public" | "private" | null;
  /** yoctoNEAR to attach to nft_mint. */
  mint_fee: string | null;
  /** Why not, as the contract's failure code. */
  code: string | null;
  message: string | null;
  opens_at: string | null;
  /** null: no limit. */
  remaining_for_account: number | null;
};

export type Error = {
  /** A sentence that says what to do. */
  message: string;
  /** One of a closed list; see docs/errors.md. */
  code: "invalid_request" | "invalid_json" | "invalid_multipart" | "invalid_assets" | "unknown_account" | "mint_limit_exceeded" | "asset_url_failed" | "api_key_missing" | "api_key_invalid" | "api_key_expired" | "api_key_revoked" | "admin_token_invalid" | "insufficient_funds" | "contract_storage_unpaid" | "read_only_key" | "quota_exceeded" | "not_found" | "method_not_allowed" | "not_acceptable" | "draft_locked" | "draft_finalized" | "draft_empty" | "sold_out" | "conflict" | "idempotency_key_in_flight" | "payload_too_large" | "file_too_large" | "unsupported_content_type" | "unsupported_media" | "idempotency_key_reused" | "rate_limited" | "too_many_operations" | "wallet_busy" | "internal_error" | "transaction_failed" | "outcome_unknown" | "wallet_inactive" | "chain_unavailable";
  request_id: string;
  /** One entry for every bad field, with its path. */
  issues?: Array<{
    path: Array<string | number>;
    message: string;
  }>;
  /** The limit that the request would exceed, as `limits` of GET /me names it. */
  quota?: {
    limit: string;
    used: number;
    max: number;
  };
  /** How far the chain operation had come. */
  outcome?: "not_submitted" | "failed_on_chain" | "unknown" | "final";
  /** Whether sending the request again can help. */
  retryable?: boolean;
  /** The operation that failed. */
  operation_uuid?: string;
};

export type FinalizeAnswer = {
  message: "success";
  ipfs_result: IpfsResult;
  contract_address: string;
  near_collection: Collection;
  collection_uuid: string;
  tx_results: Array<ChainTransactionResult>;
};

export type Health = {
  status: "ok";
};

export type Integration = {
  integration_uuid: string;
  name: string;
  wallet_account_id: string | null;
  wallet_public_key: string | null;
  wallet_state: "new" | "creating" | "ready";
  created_at: string;
};

export type IntegrationInput = {
  name: string;
};

export type IpfsResult = {
  /** CID of the UnixFS directory. */
  root_cid: string;
  root_url: string;
  /** Bytes of all blocks. */
  total_size: number;
  files: Array<{
    name: string;
    cid: string;
    /** Bytes. */
    size: number;
    media_type: string;
    url: string;
  }>;
};

export type IssuedKey = {
  key_uuid: string;
  name: string;
  role: "full" | "read";
  /** The key's first characters, to tell keys apart. */
  prefix: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  created_at: string;
  /** Shown here and never again. */
  api_key: string;
};

export type Key = {
  key_uuid: string;
  name: string;
  role: "full" | "read";
  /** The key's first characters, to tell keys apart. */
  prefix: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  created_at: string;
};

export type KeyInput = {
  name: string;
  role?: "full" | "read" | null;
  /** Absent or null: never. */
  expires_at?: string | null;
};

export type Limits = {
  /** Requests of one key in any 10 seconds. */
  requests: number;
  /** Seconds in which `requests` are counted. */
  period_s: number;
  /** Drafts that are not finalized. */
  drafts: number;
  /** Bytes of the files that assets and collections refer to, each as often as it is referred to. */
  stored_bytes: number;
  /** Bytes that drafts, assets, kept answers and failed operations take in the database, about. */
  database_bytes: number;
  /** Keys that are neither revoked nor expired. */
  keys: number;
  /** Operations that are accepted and not over. */
  operations_waiting: number;
  used: {
    drafts: number;
    stored_bytes: number;
    database_bytes: number;
    keys: number;
    operations_waiting: number;
  };
};

export type LimitsInput = {
  /** Requests of one key in any 10 seconds. Null: the default, 1000. */
  requests?: number | null;
  /** Drafts that are not finalized. Null: the default, 1000. */
  drafts?: number | null;
  /** Bytes of the files that assets and collections refer to, each as often as it is referred to. Null: the default, 53687091200. */
  stored_bytes?: number | null;
  /** Bytes that drafts, assets, kept answers and failed operations take in the database, about. Null: the default, 1073741824. */
  database_bytes?: number | null;
  /** Keys that are neither revoked nor expired. Null: the default, 100. */
  keys?: number | null;
  /** Operations that are accepted and not over. Null: the default, 2000. */
  operations_waiting?: number | null;
};

export type Me = {
  integration_uuid: string;
  name: string;
  key: {
    key_uuid: string;
    name: string;
    role: "full" | "read";
    expires_at: string | null;
  };
  wallet: {
    account_id: string | null;
    /** It signs while it is active; otherwise the operator has to see to it. */
    state: "empty" | "prepared" | "restored" | "behind" | "locked_out" | "active";
    /** yoctoNEAR; null where no node answers. */
    balance: string | null;
    /** What a new write may still spend, yoctoNEAR; null where no node answers. */
    available: string | null;
    /** Transactions that wait to be signed. */
    queued: number;
  };
  contracts: Array<{
    contract_uuid: string;
    account_id: string;
    name: string | null;
    symbol: string | null;
    /** What pays for further storage, yoctoNEAR; null where no node answers. */
    balance_free: string | null;
  }>;
  network: string;
  platform_fee_percent: number;
  limits: Limits;
};

export type MintAnswer = {
  message: "success";
  tokens: Array<Token>;
  tx_results: Array<ChainTransactionResult>;
};

export type MintConfig = {
  mint_fee: string;
  starts_at: string | null;
  ends_at: string | null;
  limit_per_account: number | null;
};

export type MintInput = {
  receiver_addresses: Array<ChainAccountId>;
  /** Receivers times quantity is at most 25. */
  quantity_per_receiver?: number | null;
  metadata?: {
    /** A media file of at most 100 MB. */
    asset_file_url?: string | null;
    /** A JSON file of at most 1 MB. */
    reference_file_url?: string | null;
    /** JSON as a string, stored on-chain. */
    extra?: string | null;
    /** Shown on the NFT; default: the collection's total copies. */
    copies?: number | null;
    /** Default: the collection's title. */
    title?: string | null;
    subtitle?: string | null;
    /** Default: the collection's. */
    description?: string | null;
  } | null;
};

export type NftUpdateAnswer = {
  message: "success";
  token: Token;
  tx_results: Array<ChainTransactionResult>;
};

export type NftUpdateInput = {
  token_id: string;
  /** A media file of at most 100 MB. */
  asset_file_url?: string | null;
  /** A JSON file of at most 1 MB. */
  reference_file_url?: string | null;
  /** JSON as a string, stored on-chain. */
  extra?: string | null;
  /** Shown on the NFT; default: the collection's total copies. */
  copies?: number | null;
  /** Default: the collection's title. */
  title?: string | null;
  subtitle?: string | null;
  /** Default: the collection's. */
  description?: string | null;
};

export type Operation = {
  operation_uuid: string;
  kind: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "finalize" | "collection_update" | "mint" | "nft_update" | "allowlist_add" | "allowlist_remove" | "allowlist_clear";
  state: "pending" | "succeeded" | "failed" | "unknown";
  /** The draft, collection or contract that it acts on. */
  subject_uuid: string;
  created_at: string;
  updated_at: string;
  finished_at: string | null;
  transactions: Array<ChainTransactionResult>;
  /** When it is over: what the synchronous call would have answered. */
  answer: {
    status: number;
    body?: unknown;
  } | null;
};

export type OwnedContract = {
  contract_uuid: string;
  account_id: string;
  code_hash: string;
  state: "deploying" | "ready" | "failed";
  created_at: string;
  integration_uuid: string;
  /** It runs the code of this release of the service; else it can be upgraded. */
  is_current: boolean;
};

export type Readiness = {
  status: "ready" | "unavailable";
  database: {
    size_bytes: number | null;
    limit_bytes: number;
    /** It was taken back in time and is to be recovered: wallets refuse what is new. */
    behind: boolean | null;
  };
  bucket: {
    state: "up" | "down";
  };
  chain: {
    /** up: at least one node is. */
    state: "up" | "down";
    nodes: Array<{
      host: string;
      /** still: it answers, but its final block is a minute old and doesn't change. */
      state: "up" | "still" | "down";
      /** Its last final block. */
      height: number | null;
      /** Age of that block. */
      age_seconds: number | null;
    }>;
  };
  platform: {
    account_id: string;
    /** What it can spend, yoctoNEAR; null where no node answers. */
    available: string | null;
    /** low: it can't pay for another integration with its contract. */
    state: "funded" | "low" | "unknown";
  };
  schedule: {
    last_run_at: string | null;
    /** late: it has not run for five minutes, though it should every minute. */
    state: "running" | "late";
  };
};

export type Recovery = {
  /** Where the next call goes on; null: all is done. */
  next: string | null;
  /** Wallets whose operations are all there. */
  wallets: number;
  /** Operations that were put back or ended, those below included. */
  operations: number;
  /** Idempotency-Keys that stand for an operation again. */
  idempotency_keys: number;
  /** Integrations that were put back with their wallets. */
  integrations: number;
  /** Contracts that were put back. */
  contracts: number;
  /** Finalizations that were put back, with their drafts and collections. */
  collections: number;
  /** What can't be put back, or only in part. */
  unrestored: Array<{
    operation_uuid: string;
    integration_uuid: string;
    kind: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "finalize" | "collection_update" | "mint" | "nft_update" | "allowlist_add" | "allowlist_remove" | "allowlist_clear";
    subject_uuid: string;
    reason: string;
  }>;
};

export type RecoveryInput = {
  /** `next` of the call before; null or absent begins. */
  cursor?: string | null;
};

export type Rotation = {
  version: number;
  resealed: Array<string>;
  failed: Array<{
    integration_uuid: string;
    message: string;
  }>;
  /** Call again until it is 0, then drop the old secret. */
  remaining: number;
};

export type Royalties = Record<string, number>;

export type SettlementInput = {
  /** Whether the chain has what it was to do. Of a finalization that is looked up; a wallet or a contract is settled as false and made again. */
  had_effect: boolean;
};

export type StuckTransaction = {
  /** null: the platform's own wallet. */
  integration_uuid: string | null;
  operation_uuid: string;
  step: string;
  /** `unknown`: it can't be proven; `queued`, `open`: for two minutes or longer; `wallet_inactive`: it waits for its wallet to be restored or activated; `behind`: the database lacks it and is to be recovered. */
  state: string;
  transaction: ChainTransactionResult | null;
};

export type Token = {
  token_id: string;
  owner_id: string;
  metadata: TokenMetadataView;
  approved_account_ids?: Record<string, number> | null;
  collection_uuid: string;
  collection_id: number;
  contract_address: string;
  media_url: string | null;
  reference_url: string | null;
};

export type TokenMetadataView = {
  title?: string | null;
  description?: string | null;
  /** CID, relative to the contract's base_uri. */
  media?: string | null;
  /** base64 of the SHA-256 of the media file. */
  media_hash?: string | null;
  copies?: number | null;
  issued_at?: string | null;
  expires_at?: string | null;
  starts_at?: string | null;
  updated_at?: string | null;
  extra?: string | null;
  reference?: string | null;
  reference_hash?: string | null;
};

export type TransactionAnswer = {
  message: "success";
  tx_results: ChainTransactionResult;
};

export type UpgradePlan = {
  contract_uuid: string;
  integration_uuid: string;
  account_id: string;
  /** current: nothing is to be done; blocked: `obstacle` says what has to be done before. */
  state: "current" | "ready" | "blocked";
  obstacle: string | null;
  /** What the account runs. */
  code_hash: string | null;
  /** Of its storage. */
  layout: number | null;
  version: string | null;
  /** What it is to run. */
  new_code_hash: string;
  collections: number;
  /** That the integration's wallet sends, at most, where none fails. */
  transactions: number;
  /** The platform publishes the code before, because the chain hasn't got it. */
  publish: boolean;
  /** yoctoNEAR that publishing burns, of the platform's. */
  publish_cost: string;
  /** yoctoNEAR that the wallet pays to the contract, about: from then on it holds what its tokens can ever take. */
  top_up: string;
  /** yoctoNEAR that the wallet burns for gas, at most. */
  fees: string;
  wallet: {
    account_id: string | null;
    /** yoctoNEAR; null where no node answers. */
    available: string | null;
    /** yoctoNEAR that it lacks of `top_up` and `fees`. */
    missing: string;
  };
};

export type Wallet = {
  /** empty: its object has no key and is to be restored; restored: it is to be activated; behind: the database is older than its journal and is to be recovered; locked_out: its key is not on its account and is to be added. */
  state: "empty" | "prepared" | "restored" | "behind" | "locked_out" | "active";
  account_id: string;
  public_key: string;
  /** yoctoNEAR; null where no node answers. */
  balance: string | null;
  lanes: Array<{
    public_key: string;
    kind: "full_access" | "function_call";
    open: number;
  }>;
  queued: number;
  open: number;
  /** The first hundred. */
  stuck: Array<{
    operation_uuid: string;
    step: string;
    /** `unknown`: it can't be proven; `queued`, `open`: for two minutes or longer; `wallet_inactive`: it waits for its wallet to be restored or activated; `behind`: the database lacks it and is to be recovered. */
    state: string;
    transaction: ChainTransactionResult | null;
  }>;
};

export type WalletCreated = {
  integration_uuid: string;
  wallet_account_id: string;
  wallet_state: "ready";
  tx_results: Array<ChainTransactionResult>;
};

/** Every operation by its id: what it takes and what it answers. */
export interface Operations {
  /** Add accounts to the allowlist */
  allowlistAdd: {
    method: "PUT";
    path: "/api/v1/collection/{collection_uuid}/allowlist-add";
    query: never;
    body: AccountsInput;
    answer: TransactionAnswer;
  };
  /** Attach assets to a draft */
  attachAssets: {
    method: "POST";
    path: "/api/v1/collection-draft/{collection_draft_uuid}/asset-bulk";
    query: never;
    body: unknown;
    answer: Array<CollectionDraftAsset>;
  };
  /** Change a collection on-chain */
  updateCollection: {
    method: "PUT";
    path: "/api/v1/collection/{collection_uuid}";
    query: never;
    body: CollectionChanges;
    answer: Collection;
  };
  /** Change a draft */
  updateCollectionDraft: {
    method: "PUT";
    path: "/api/v1/collection-draft/{collection_draft_uuid}";
    query: never;
    body: CollectionDraftChanges;
    answer: CollectionDraft;
  };
  /** Change the metadata of one NFT */
  updateNft: {
    method: "PUT";
    path: "/api/v1/collection/{collection_uuid}/nft-update";
    query: never;
    body: NftUpdateInput;
    answer: NftUpdateAnswer;
  };
  /** Create a collection draft */
  createCollectionDraft: {
    method: "POST";
    path: "/api/v1/collection-draft";
    query: never;
    body: CollectionDraftInput;
    answer: CollectionDraft;
  };
  /** Create an integration with a funded wallet */
  adminCreateIntegration: {
    method: "POST";
    path: "/admin/v1/integration";
    query: never;
    body: IntegrationInput;
    answer: WalletCreated;
  };
  /** Create the collection on-chain */
  finalizeCollectionDraft: {
    method: "POST";
    path: "/api/v1/collection-draft/{collection_draft_uuid}/finalize";
    query: never;
    body: never;
    answer: FinalizeAnswer;
  };
  /** Delete a draft and its assets */
  deleteCollectionDraft: {
    method: "DELETE";
    path: "/api/v1/collection-draft/{collection_draft_uuid}";
    query: never;
    body: never;
    answer: never;
  };
  /** Deploy a contract for an integration */
  adminDeployContract: {
    method: "POST";
    path: "/admin/v1/integration/{integration_uuid}/contract";
    query: never;
    body: ContractInput;
    answer: ContractDeployed;
  };
  /** Give a database that was taken back in time what it has lost */
  adminRecoverDatabase: {
    method: "POST";
    path: "/admin/v1/database/recover";
    query: never;
    body: RecoveryInput;
    answer: Recovery;
  };
  /** Issue a key */
  adminIssueKey: {
    method: "POST";
    path: "/admin/v1/integration/{integration_uuid}/key";
    query: never;
    body: KeyInput;
    answer: IssuedKey;
  };
  /** Let a restored wallet sign again */
  adminActivateWallet: {
    method: "POST";
    path: "/admin/v1/integration/{integration_uuid}/wallet/activate";
    query: never;
    body: never;
    answer: Wallet;
  };
  /** List a collection's NFTs, from the chain */
  listTokens: {
    method: "GET";
    path: "/api/v1/collection/{collection_uuid}/token";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<Token>;
  };
  /** List a draft's assets in their order */
  listDraftAssets: {
    method: "GET";
    path: "/api/v1/collection-draft/{collection_draft_uuid}/asset";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<CollectionDraftAsset>;
  };
  /** List all collections, newest first */
  listCollections: {
    method: "GET";
    path: "/api/v1/collection";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<Collection>;
  };
  /** List all drafts, newest first */
  listCollectionDrafts: {
    method: "GET";
    path: "/api/v1/collection-draft";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<CollectionDraft>;
  };
  /** List an integration's contracts, newest first */
  adminListContracts: {
    method: "GET";
    path: "/admin/v1/integration/{integration_uuid}/contract";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<Contract>;
  };
  /** List an integration's keys, newest first */
  adminListKeys: {
    method: "GET";
    path: "/admin/v1/integration/{integration_uuid}/key";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<Key>;
  };
  /** List integrations, newest first */
  adminListIntegrations: {
    method: "GET";
    path: "/admin/v1/integration";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<Integration>;
  };
  /** List the contracts of all integrations, newest first */
  adminListEveryContract: {
    method: "GET";
    path: "/admin/v1/contract";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<OwnedContract>;
  };
  /** List the integration's final transactions, newest first */
  listTransactions: {
    method: "GET";
    path: "/api/v1/transaction";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<ChainTransactionResult>;
  };
  /** List transactions that need the operator's eyes */
  adminListStuckTransactions: {
    method: "GET";
    path: "/admin/v1/transaction/stuck";
    query: {
      /** Entries of one page; without it the whole list is answered. */
      limit?: number;
      /** Where to go on: taken from the Link header of the page before. */
      cursor?: string;
    };
    body: never;
    answer: Array<StuckTransaction>;
  };
  /** Make an integration's wallet, where making it failed before */
  adminCreateWallet: {
    method: "POST";
    path: "/admin/v1/integration/{integration_uuid}/wallet";
    query: never;
    body: never;
    answer: {
      integration_uuid: string;
      wallet_account_id: string;
      wallet_state: "ready";
    } | WalletCreated;
  };
  /** Mint NFTs to accounts */
  mint: {
    method: "POST";
    path: "/api/v1/collection/{collection_uuid}/mint";
    query: never;
    body: MintInput;
    answer: MintAnswer;
  };
  /** Put the key back into a wallet object that was lost */
  adminRestoreWallet: {
    method: "POST";
    path: "/admin/v1/integration/{integration_uuid}/wallet/restore";
    query: never;
    body: never;
    answer: Wallet;
  };
  /** Read one collection */
  getCollection: {
    method: "GET";
    path: "/api/v1/collection/{collection_uuid}";
    query: never;
    body: never;
    answer: Collection;
  };
  /** Read one draft */
  getCollectionDraft: {
    method: "GET";
    path: "/api/v1/collection-draft/{collection_draft_uuid}";
    query: never;
    body: never;
    answer: CollectionDraft;
  };
  /** Read one integration */
  adminGetIntegration: {
    method: "GET";
    path: "/admin/v1/integration/{integration_uuid}";
    query: never;
    body: never;
    answer: Integration;
  };
  /** Remove accounts from the allowlist */
  allowlistRemove: {
    method: "PUT";
    path: "/api/v1/collection/{collection_uuid}/allowlist-remove";
    query: never;
    body: AccountsInput;
    answer: TransactionAnswer;
  };
  /** Remove every account from the allowlist */
  allowlistClear: {
    method: "PUT";
    path: "/api/v1/collection/{collection_uuid}/allowlist-clear";
    query: never;
    body: never;
    answer: TransactionAnswer;
  };
  /** Revoke a key */
  adminRevokeKey: {
    method: "DELETE";
    path: "/admin/v1/integration/{integration_uuid}/key/{key_uuid}";
    query: never;
    body: never;
    answer: Key;
  };
  /** Seal wallets' keys under the newest version of WALLET_SECRETS */
  adminRotateSecrets: {
    method: "POST";
    path: "/admin/v1/secret-rotation";
    query: never;
    body: never;
    answer: Rotation;
  };
  /** Set limits of an integration */
  adminSetLimits: {
    method: "PUT";
    path: "/admin/v1/integration/{integration_uuid}/limits";
    query: never;
    body: LimitsInput;
    answer: Limits;
  };
  /** Settle an operation whose outcome can't be proven */
  adminSettleOperation: {
    method: "POST";
    path: "/admin/v1/operation/{operation_uuid}/settle";
    query: never;
    body: SettlementInput;
    answer: Operation;
  };
  /** Show a wallet's address, balance, lanes and queue */
  adminGetWallet: {
    method: "GET";
    path: "/admin/v1/integration/{integration_uuid}/wallet";
    query: never;
    body: never;
    answer: Wallet;
  };
  /** Show an integration's limits, and what it uses of them */
  adminGetLimits: {
    method: "GET";
    path: "/admin/v1/integration/{integration_uuid}/limits";
    query: never;
    body: never;
    answer: Limits;
  };
  /** Show the platform account's wallet */
  adminGetPlatform: {
    method: "GET";
    path: "/admin/v1/platform";
    query: never;
    body: never;
    answer: Wallet;
  };
  /** Take an asset off a draft */
  deleteDraftAsset: {
    method: "DELETE";
    path: "/api/v1/collection-draft/{collection_draft_uuid}/asset/{asset_uuid}";
    query: never;
    body: never;
    answer: never;
  };
  /** Take over a contract that is on the chain already */
  adminAdoptContract: {
    method: "POST";
    path: "/admin/v1/integration/{integration_uuid}/contract/adopt";
    query: never;
    body: AdoptInput;
    answer: Contract;
  };
  /** Upgrade a contract to this release's code */
  adminUpgradeContract: {
    method: "POST";
    path: "/admin/v1/contract/{contract_uuid}/upgrade";
    query: never;
    body: never;
    answer: ContractUpgraded;
  };
  /** What an upgrade of a contract would do and take */
  adminPlanContractUpgrade: {
    method: "GET";
    path: "/admin/v1/contract/{contract_uuid}/upgrade";
    query: never;
    body: never;
    answer: UpgradePlan;
  };
  /** What became of a write to the chain */
  getOperation: {
    method: "GET";
    path: "/api/v1/operation/{operation_uuid}";
    query: never;
    body: never;
    answer: Operation;
  };
  /** What became of an operation, whoever's it is */
  adminGetOperation: {
    method: "GET";
    path: "/admin/v1/operation/{operation_uuid}";
    query: never;
    body: never;
    answer: Operation;
  };
  /** What this key stands for: its integration, wallet, contracts and limits */
  getMe: {
    method: "GET";
    path: "/api/v1/me";
    query: never;
    body: never;
    answer: Me;
  };
  /** Whether an account is on the allowlist */
  allowlistCheckAccount: {
    method: "PUT";
    path: "/api/v1/collection/{collection_uuid}/allowlist-checkaccount";
    query: never;
    body: AccountInput;
    answer: AllowlistAnswer;
  };
  /** Whether an account may mint from its wallet now, and at which price */
  getEligibility: {
    method: "GET";
    path: "/api/v1/collection/{collection_uuid}/eligibility/{account_id}";
    query: never;
    body: never;
    answer: Eligibility;
  };
  /** Whether the Worker runs */
  getHealth: {
    method: "GET";
    path: "/health";
    query: never;
    body: never;
    answer: Health;
  };
  /** Whether the service can carry out a write, and how each part is that it needs */
  getReadiness: {
    method: "GET";
    path: "/ready";
    query: never;
    body: never;
    answer: Readiness;
  };
}
