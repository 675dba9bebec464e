import { baseDecode } from "near-api-js";
import { z } from "zod";
import type { CodeState } from "../../api/resources/contract.ts";
import type { ClaimProof, SignedVoucher } from "../../domain/claim-proofs.ts";
import { toHex, type Uuid } from "../../domain/ids.ts";
import type { Lock } from "../../domain/locks.ts";
import { MOST_PHASES } from "../../domain/settings.ts";
import { retry } from "../../waiting.ts";
import { fullAccessKeys, isMissingBlock, isUnknownBlock } from "../blocks.ts";
import { NodesLagError, ViewError } from "../errors.ts";
import type { CallOptions, ChainRpc } from "../rpc.ts";
import { type At, type Seen, viewFunction } from "../views.ts";
import type { ContractSettingsView } from "./settings.ts";

/** A token as the contract returns it (NEP-171, NEP-177, NEP-178). */
export interface ContractToken {
  readonly token_id: string;
  readonly owner_id: string;
  readonly metadata: {
    readonly title: string | null;
    readonly description: string | null;
    /** CID, relative to the contract's `base_uri`; null during the block of the mint. */
    readonly media: string | null;
    /** base64 of SHA-256. */
    readonly media_hash: string | null;
    readonly copies: number | null;
    readonly issued_at: string | null;
    readonly expires_at: string | null;
    readonly starts_at: string | null;
    readonly updated_at: string | null;
    readonly extra: string | null;
    readonly reference: string | null;
    readonly reference_hash: string | null;
  };
  readonly approved_account_ids?: Readonly<Record<string, number>>;
  /** The collection's locks, and "metadata" if the token's own or its asset's metadata is locked. */
  readonly locks?: readonly Lock[];
}

/** An asset of a collection as the contract returns it; only the fields that are read. */
export interface ContractAsset {
  /** CID, relative to the contract's `base_uri`. */
  readonly media: string | null;
  readonly reference: string | null;
  readonly subtitle: string | null;
  readonly copies: number;
  /** Copies left; copies drawn in the same block still count. */
  readonly remaining: number;
}

export interface ContractCollection extends ContractSettingsView {
  readonly collection_id: number;
  /** Hexadecimal of 16 bytes: the collection's UUID. */
  readonly external_id: string;
  readonly published: boolean;
  readonly assets: number;
  readonly total: number;
  readonly minted: number;
  readonly allowlisted: number;
  /** yoctoNEAR of mint fees that went to the owner. */
  readonly earned?: string;
  /** Promises to holders. */
  readonly locks?: readonly Lock[];
  /** How many assets have their metadata locked one by one. */
  readonly locked_assets?: number;
  /** State of delayed reveal; null if assets are always visible. */
  readonly reveal?: {
    readonly state: "hidden" | "partly" | "revealed";
    /** Assets that are shown, those before this number. */
    readonly shown: number;
    /** base64 of 32 bytes. */
    readonly commitment: string;
    /** base64: the commitment to what is still hidden; the salt if nothing is. */
    readonly next: string;
    /** CID of the placeholder. */
    readonly media: string | null;
  } | null;
}

/** Whether a collection is published and has this UUID. */
export const isPublishedAs = ({ published, external_id }: ContractCollection, id: Uuid): boolean =>
  published && id.replaceAll("-", "") === external_id;

/** The contract account's balance, yoctoNEAR. */
export interface ContractBalance {
  readonly total: string;
  readonly staked: string;
  readonly reserve: string;
  readonly owed: string;
  readonly free: string;
  /** The amount by which the account is below its required balance. */
  readonly missing?: string;
}

export interface ContractVersion {
  /** Version of its storage layout (docs/contract.md). */
  readonly layout: number;
  readonly version: string;
}

/** Whether an account may mint in one phase. */
export interface ContractPhaseEligibility {
  readonly phase: number;
  readonly mint_fee: string;
  /** Account of the token that the fee is in; null: NEAR. */
  readonly currency: string | null;
  readonly allowed: boolean;
  readonly code: string | null;
  readonly message: string | null;
  readonly opens_at_ms: number | null;
  readonly remaining_for_account: number | null;
}

export interface ContractEligibility {
  readonly allowed: boolean;
  readonly via: "bypass" | "public" | "private" | "phase" | null;
  /** Number of the phase that the mint would be of. */
  readonly phase?: number | null;
  readonly mint_fee: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly opens_at_ms: number | null;
  readonly remaining_for_account: number | null;
  /** Absent: an earlier release. */
  readonly phases?: readonly ContractPhaseEligibility[];
  /** Locks of the collection. */
  readonly locks?: readonly Lock[];
}

export interface ContractDrop {
  readonly drop_id: number;
  readonly collection_id: number;
  /** `ed25519:` and base58. */
  readonly issuer_public_key: string;
  readonly links: number;
  readonly claimed: number;
  readonly revoked: number;
  readonly quantity: number;
  readonly expires_at_ms: number;
  /** yoctoNEAR. */
  readonly reserve: string;
  /** base64 of one bit per link, lowest bit of the first byte first; absent in lists. */
  readonly claimed_links?: string;
  /** The same; empty if no link was revoked. */
  readonly revoked_links?: string;
}

export interface ContractClaimEligibility {
  readonly allowed: boolean;
  readonly code: string | null;
  readonly message: string | null;
  /** These are null if the drop doesn't exist. */
  readonly collection_id: number | null;
  readonly quantity: number | null;
  readonly expires_at_ms: number | null;
}

/** NEP-177 metadata of a contract. */
export interface ContractMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly base_uri: string | null;
}

export interface ContractRoles {
  readonly network_id: string;
  readonly owner_id: string;
  readonly proposed_owner_id: string | null;
  readonly admin_ids: readonly string[];
  readonly platform_id: string;
}

const count = z.int().min(0);
/** Unix milliseconds. */
const instant = z.number().nullable();
/** yoctoNEAR below the NEAR that exist: 64 bits have room for the sum of many in nanoNEAR. */
const amount = z.string().regex(/^\d{1,33}$/);
/** Smallest units of a currency: 128 bits. */
const units = z.string().regex(/^\d{1,39}$/);
const texts = z.array(z.string());
const accounts = texts;
const shares = z.record(z.string(), count.max(10_000));
const mintConfig = z.object({
  mint_fee: units,
  currency: z.string().nullish(),
  supply: count.nullish(),
  minted: count.optional(),
  starts_at_ms: instant,
  ends_at_ms: instant,
  limit_per_account: count.nullable(),
});
const furtherPhase = mintConfig.extend({ allowlist: z.boolean(), allowlisted: count.optional() });

/** The fields of a `ContractCollection` that the service stores or calculates with. */
const collectionShape = z.object({
  collection_id: count,
  external_id: z.string().regex(/^[0-9a-f]{32}$/),
  published: z.boolean(),
  assets: count,
  total: count,
  minted: count,
  earned: amount.optional(),
  title: z.string(),
  description: z.string().nullable(),
  allowlisted: count,
  public_mint_config: mintConfig.nullable(),
  private_mint_config: mintConfig.nullable(),
  phases: z.array(furtherPhase.nullable()).max(MOST_PHASES).optional(),
  bypass_mint_fee_accounts: accounts,
  initial_royalties: shares,
  ongoing_royalties: shares,
  allow_approvals: z.boolean(),
  approvals_allowed_accounts: accounts.nullable(),
  approvals_denied_accounts: accounts.nullable(),
  allow_transfers: z.boolean(),
  transfers_denied_accounts: accounts.nullable(),
  locks: texts.optional(),
  locked_assets: count.optional(),
  reveal: z.object({ shown: count, commitment: z.string() }).nullish(),
});

const upgradeShape = z.object({
  locked: z.boolean(),
  delay_blocks: count,
  code_hash: z.string().max(44).nullable(),
  earliest_height: count.nullable(),
});
const rolesShape = z.object({ owner_id: z.string() });

/** What a mint would be paid with. */
interface Payment {
  /** Absent: one. */
  readonly quantity?: number | undefined;
  /** Account of a token; absent: NEAR. */
  readonly currency?: string | undefined;
}

/** A result that has a shape. Another owner of a contract decides which code it runs. @throws ViewError */
const fitting = <T>(shape: z.ZodType, value: unknown, what: string): T => {
  const misfit = shape.safeParse(value).error?.issues[0];
  if (misfit) throw new ViewError(`${what} ${misfit.path.join(".")}: ${misfit.message}`, null);
  return value as T;
};

/** A page of collections behind the first `from`, whose numbers have no gaps. @throws ViewError */
const numbered = (value: unknown, from: number, limit: number): ContractCollection[] => {
  const page = fitting<ContractCollection[]>(z.array(collectionShape).max(limit), value, "collections");
  if (page.every(({ collection_id: id }, index) => id === from + index + 1)) return page;
  throw new ViewError("collections: other numbers than asked for", null);
};

/** How often a view is read at a block that another node has just shown. */
const ATTEMPTS = { tries: 5, firstPauseMs: 200, isLasting: (error: unknown) => !isUnknownBlock(error) };

/** A read at such a block. @throws NodesLagError if no node still has the block, or has it yet */
const atShownBlock = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await retry(ATTEMPTS, read);
  } catch (error) {
    throw isMissingBlock(error) ? new NodesLagError() : error;
  }
};

/** What may become of a contract's code. */
export interface ContractUpgrade {
  /** It never changes. */
  readonly locked: boolean;
  /** Blocks between an announcement and the earliest use of what it announces. */
  readonly delay_blocks: number;
  /** Base58 of the announced code's SHA-256; null: none is announced. */
  readonly code_hash: string | null;
  /** Block height from which it may be used. */
  readonly earliest_height: number | null;
}

/** Reads what may become of a contract's code, and the full-access keys of its account. @throws ChainUnavailableError */
export const readCodeState = async (
  rpc: ChainRpc,
  accountId: string,
  { upgrade }: Pick<ContractViews, "upgrade">,
): Promise<{ readonly codeState: CodeState; readonly keys: readonly string[] }> => {
  const [keys, { locked, delay_blocks, code_hash: hash, earliest_height: height }] = await Promise.all([
    fullAccessKeys(rpc, accountId),
    upgrade(),
  ]);
  const announced =
    hash === null || height === null ? null : { code_hash: toHex(baseDecode(hash)), earliest_height: height };
  return { codeState: { locked, announced, delay_blocks, has_full_access_key: keys.length > 0 }, keys };
};

/**
 * A page of at least this many bytes may have been cut by its size: the contract ends a list with the entry that reaches
 * its length, at least 30 kB (docs/contract.md).
 */
const LARGE_PAGE = 29_000;

/**
 * Whether a list may have more entries after a page, which ends at its limit or by its size. @param limit at most 250
 * collections or 500 entries of another list, below the contract's own limits
 */
export const mayHaveMore = (page: readonly unknown[], limit: number): boolean =>
  page.length === limit || (page.length > 0 && Buffer.byteLength(JSON.stringify(page)) > LARGE_PAGE);

/**
 * A contract's views (docs/contract.md).
 * @param atLeast height of the latest block whose effects must be visible
 * @throws ViewError, ChainUnavailableError; NodesLagError if no node has reached the height
 */
export const contractViews = (rpc: ChainRpc, contractId: string, atLeast = 0) =>
  contractViewsAt(rpc, contractId, "final", { atLeast });

/** Like `contractViews`, at a block and with options for the endpoints. */
export const contractViewsAt = (rpc: ChainRpc, contractId: string, at: At, options: CallOptions = {}) => {
  const view = async <T>(method: string, args: object = {}) =>
    (await viewFunction<T>(rpc, { contractId, method, args }, at, options)).value;
  return {
    /** Null for missing ones. */
    tokens: async (tokenIds: readonly string[]) =>
      (await tokensByIds(rpc, contractId, tokenIds, { at, options })).tokens,
    tokensOfCollection: (collection_id: number, from_index: number, limit: number) =>
      view<ContractToken[]>("collection_tokens", { collection_id, from_index, limit }),
    assets: (collection_id: number, from_index: number, limit: number) =>
      view<ContractAsset[]>("collection_assets", { collection_id, from_index, limit }),
    tokensOfOwner: (accountId: string, fromIndex: number, limit: number) =>
      view<ContractToken[]>("nft_tokens_for_owner", {
        account_id: accountId,
        from_index: String(fromIndex),
        limit,
      }),
    supplyOfOwner: (accountId: string) => view<string>("nft_supply_for_owner", { account_id: accountId }),
    collection: (collectionId: number) =>
      view<ContractCollection | null>("collection", { collection_id: collectionId }),
    /** Collections by their numbers, which begin at 1 and have no gaps, and the height of the block they were read at. */
    collections: async (fromIndex: number, limit: number): Promise<Seen<ContractCollection[]>> => {
      const call = { contractId, method: "collections", args: { from_index: fromIndex, limit } };
      const { value, height } = await viewFunction<unknown>(rpc, call, at, options);
      return { value: numbered(value, fromIndex, limit), height };
    },
    /** @param phase whose list; absent: the private price's */
    isAllowlisted: (collectionId: number, accountId: string, phase?: number) =>
      view<boolean>("is_allowlisted", { collection_id: collectionId, account_id: accountId, phase }),
    eligibility: (collectionId: number, accountId: string, payment: Payment = {}) =>
      view<ContractEligibility>("mint_eligibility", {
        collection_id: collectionId,
        account_id: accountId,
        ...payment,
      }),
    /** Shares of an account that wait in a currency, in its smallest units. */
    shares: async (account_id: string, currency: string) =>
      fitting<string>(units, await view<unknown>("shares_of", { account_id, currency }), "shares"),
    /** Claim drops by number; null if closed. */
    drops: (fromIndex: number, limit: number) =>
      view<(ContractDrop | null)[]>("drops", { from_index: fromIndex, limit }),
    /** One drop, with `claimed_links`. */
    drop: (dropId: number) =>
      view<(ContractDrop & { readonly claimed_links: string }) | null>("drop", { drop_id: dropId }),
    /** @param proof without a receiver: whether any account could redeem the link */
    claimEligibility: (proof: Partial<ClaimProof>) =>
      view<ContractClaimEligibility>("claim_eligibility", proof),
    voucherEligibility: (voucher: SignedVoucher) =>
      view<ContractClaimEligibility>("voucher_eligibility", voucher),
    balance: () => view<ContractBalance>("contract_balance"),
    version: () => view<ContractVersion>("contract_version"),
    /** The announced change of the contract's code, and whether it can change at all. */
    upgrade: async () =>
      fitting<ContractUpgrade>(upgradeShape, await view<unknown>("contract_upgrade"), "contract_upgrade"),
    roles: () => view<ContractRoles>("contract_roles"),
    /**
     * The owner at the block of this height, which a node has just shown.
     * @throws NodesLagError if no node still has the block, or has it yet
     */
    ownerAt: async (block: number): Promise<string> => {
      const call = { contractId, method: "contract_roles" };
      const { value } = await atShownBlock(() => viewFunction<unknown>(rpc, call, { block }, options));
      return fitting<ContractRoles>(rolesShape, value, "contract_roles").owner_id;
    },
    metadata: () => view<ContractMetadata>("nft_metadata"),
  };
};

/** Tokens at the last final block, null for missing ones, and its height. @throws as `contractViews` */
export const shownTokens = async (
  rpc: ChainRpc,
  contractId: string,
  tokenIds: readonly string[],
  atLeast: number,
): Promise<{ readonly tokens: readonly (ContractToken | null)[]; readonly height: number }> => {
  const shown = await tokensByIds(rpc, contractId, tokenIds, { at: "final", options: { atLeast } });
  return { tokens: shown.tokens, height: shown.height };
};

/** All of the tokens, however many calls their size takes, and the height of the first. */
const tokensByIds = async (
  rpc: ChainRpc,
  contractId: string,
  tokenIds: readonly string[],
  { at, options }: { readonly at: At; readonly options: CallOptions },
) => {
  const method = "nft_tokens_by_ids";
  const tokens: (ContractToken | null)[] = [];
  let first: number | null = null;
  do {
    const call = { contractId, method, args: { token_ids: tokenIds.slice(tokens.length) } };
    const { value, height } = await viewFunction<(ContractToken | null)[]>(rpc, call, at, options);
    if (value.length === 0 && tokenIds.length > 0)
      throw new ViewError("nft_tokens_by_ids: none of the tokens", null);
    tokens.push(...value);
    first ??= height;
  } while (tokens.length < tokenIds.length);
  return { tokens, height: first };
};

export type ContractViews = ReturnType<typeof contractViews>;
