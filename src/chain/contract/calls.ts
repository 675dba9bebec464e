import { base64Encode, baseEncode } from "near-api-js";
import type { ClaimProof } from "../../domain/claim-proofs.ts";
import { jsonBytes } from "../../domain/json-text.ts";
import type { Lock } from "../../domain/locks.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import type { Action } from "../actions.ts";
import { ARGUMENT_BYTE_GAS } from "../cost.ts";
import type { MEAN_GAS } from "../mean-gas.ts";
import type { AssetBatch } from "./asset-batch.ts";
import { BorshWriter } from "./borsh-writer.ts";
import { contractSettings } from "./settings.ts";

const T = 10n ** 12n;

/** Maximum gas of one call: what every protocol version allows for a transaction (near.org, "Gas"). */
export const MAX_GAS = 300n * T;

/**
 * Methods that no endpoint's write calls, but for claims, which nobody quotes. Any other needs a measured mean: a scene in
 * contract/harness/src/bin/gas/means.rs, then `npm run bench:gas -- --write`. Without one its quote would answer 500.
 */
type UnquotedMethod =
  | "new"
  | "admin_add"
  | "admin_remove"
  | "owner_propose"
  | "owner_accept"
  | "nft_claim"
  | "staff_mints_allow"
  | "upgrade_announce"
  | "upgrade";

/** An action that calls a method. */
type FunctionCall = Extract<Action, { kind: "function_call" }>;

const call = (
  method: keyof typeof MEAN_GAS | UnquotedMethod,
  args: Uint8Array,
  gas: bigint,
  deposit = 0n,
): FunctionCall => ({
  kind: "function_call",
  method,
  args,
  gas: (gas < MAX_GAS ? gas : MAX_GAS).toString(),
  deposit: deposit.toString(),
});

/** Deposit of calls that change holders' rights or metadata: only a full-access key can attach it. */
const ONE_YOCTO = 1n;

const json = (args: object): Uint8Array => new TextEncoder().encode(JSON.stringify(args));

/** A file in an override. */
export interface MediaReference {
  /** base64 of 32 bytes. */
  readonly sha256: string;
  readonly root: string | null;
}

export const mediaReference = (file: {
  readonly sha256: Uint8Array;
  readonly rootSha256: Uint8Array | null;
}): MediaReference => ({
  sha256: base64Encode(file.sha256),
  root: file.rootSha256 && base64Encode(file.rootSha256),
});

/** Token metadata that overrides the asset's and collection's. Absent fields are unchanged, null clears. */
export interface Override {
  readonly media?: MediaReference | null;
  readonly reference?: MediaReference | null;
  readonly extra?: string | null;
  readonly copies?: number | null;
  readonly title?: string | null;
  readonly subtitle?: string | null;
  readonly description?: string | null;
}

/** Initializes a contract account (`new`); part of its deployment's batch. */
export const initialise = (args: {
  readonly network_id: string;
  readonly owner_id: string;
  readonly admin_id?: string;
  readonly platform_id: string;
  readonly metadata: object;
  /** Blocks between an upgrade's announcement and the upgrade; default: three days. */
  readonly upgrade_delay_blocks?: number;
}): Action => call("new", json(args), 30n * T);

export interface NewCollection {
  readonly settings: CollectionSettings;
  readonly externalId: Uint8Array;
  readonly publish: boolean;
  /** Of a collection that hides its assets: base64 of the commitment and of the placeholder's SHA-256; null or absent: it hides none. */
  readonly reveal?: { readonly commitment: string; readonly media: string } | null;
}

/** Creates a collection with its first assets; `deposit` (yoctoNEAR) is added to the contract's free balance. */
export const createCollection = (
  { settings, externalId, publish, reveal }: NewCollection,
  assets: AssetBatch,
  deposit: bigint,
): Action => {
  const writer = new BorshWriter(assets.size.bytes + 4096);
  writer.text(JSON.stringify({ ...contractSettings(settings), ...(reveal && { reveal }) }));
  writer.raw(externalId);
  writer.bool(publish);
  assets.write(writer);
  return call("collection_create", writer.finish(), MAX_GAS, deposit);
};

/** Adds assets to a collection that has `offset` assets. */
export const addAssets = (
  collectionId: number,
  offset: number,
  assets: AssetBatch,
  deposit: bigint,
): Action => {
  const writer = new BorshWriter(assets.size.bytes + 64);
  writer.u32(collectionId);
  writer.u32(offset);
  assets.write(writer);
  return call("collection_add_assets", writer.finish(), MAX_GAS, deposit);
};

/** A batch of assets to reveal. */
export interface RevealedBatch {
  /** As it was committed to. */
  readonly bytes: Uint8Array;
  readonly assets: number;
  /** The commitment to the batches behind it; the salt behind the last. */
  readonly next: Uint8Array;
}

/** Gas of revealing a batch: pages of 512 assets are written again, and up to 600 tokens are named in the event. */
export const revealGas = ({ bytes, assets }: { readonly bytes: number; readonly assets: number }): bigint =>
  15n * T + BigInt(assets) * (T / 100n) + (BigInt(bytes) * T) / 6_000n;

/** Gas of revealing a batch that may cost no less than the largest one: with more gas, and fewer bytes to send. */
export const alikeRevealGas = (
  { bytes, assets }: { readonly bytes: number; readonly assets: number },
  largest: number,
): bigint => {
  const gas = revealGas({ bytes: largest, assets }) + BigInt(largest - bytes) * ARGUMENT_BYTE_GAS;
  return gas < MAX_GAS ? gas : MAX_GAS;
};

/**
 * Reveals batches of assets in one transaction, in the order of the commitment.
 * @param largest bytes of the collection's largest batch: each may cost as much, so that no price tells which assets are next
 */
export const revealBatches = (
  collectionId: number,
  batches: readonly RevealedBatch[],
  largest: number,
): Action[] =>
  batches.map(({ bytes, assets, next }) => {
    const writer = new BorshWriter(bytes.length + 64);
    writer.u32(collectionId);
    writer.raw(next);
    writer.raw(bytes);
    const gas = alikeRevealGas({ bytes: bytes.length, assets }, largest);
    return call("collection_reveal", writer.finish(), gas, ONE_YOCTO);
  });

/** Opens a collection for minting. It reads all assets' records, so its gas grows with their subtitles. */
export const publishCollection = (collectionId: number): Action =>
  call("collection_publish", json({ collection_id: collectionId }), MAX_GAS);

/**
 * Changes settings. The gas grows with the collection's account lists, whatever is changed (docs/contract.md), so the
 * maximum is attached.
 */
export const updateCollection = (collectionId: number, changes: Partial<CollectionSettings>): Action => {
  const args = json({ collection_id: collectionId, ...contractSettings(changes) });
  return call("collection_update", args, MAX_GAS, ONE_YOCTO);
};

/** The same number of tokens for each receiver; the contract's default is one. */
const each = (receivers: readonly string[], quantity: number): { readonly quantities?: readonly number[] } =>
  quantity === 1 ? {} : { quantities: receivers.map(() => quantity) };

/** Mints tokens. Gas: `MINT_BASE`, and 1 Tgas a token with its metadata (docs/contract.md, "Gas"). */
export const mintBatch = (
  collectionId: number,
  receiverIds: readonly string[],
  quantity: number,
  metadata: Override | null,
): FunctionCall =>
  mint(receiverIds.length * quantity, {
    collection_id: collectionId,
    receiver_ids: receiverIds,
    ...each(receiverIds, quantity),
    ...(metadata && { metadata }),
  });

export interface AssetMint {
  readonly receivers: readonly string[];
  /** Tokens for each receiver. */
  readonly quantity: number;
  readonly metadata: Override | null;
}

/** Mints copies of one asset, by its index in the collection from 0. */
export const mintAsset = (
  collectionId: number,
  assetIndex: number,
  { receivers, quantity, metadata }: AssetMint,
): FunctionCall =>
  mint(receivers.length * quantity, {
    collection_id: collectionId,
    receiver_ids: receivers,
    ...each(receivers, quantity),
    asset_index: assetIndex,
    ...(metadata && { metadata }),
  });

/** Gas of a mint beside its tokens: what the contract wants to have left for the most remaining copies (docs/contract.md). */
const MINT_BASE = 18n * T;

/** Gas for what a mint of a chosen asset does for each token of its block: for 3,000, which fill a block. */
const BLOCK_GAS = 30n * T;

/** Bytes of a token's metadata that a function-call key may bring; JSON is no shorter than what the contract stores. */
const LANE_METADATA = 4_096;

const mint = (
  count: number,
  order: { readonly metadata?: Override; readonly asset_index?: number; readonly [name: string]: unknown },
): FunctionCall => {
  const tokens = BigInt(count);
  const args = json(order);
  const metadata = order.metadata ? jsonBytes(order.metadata) : 0;
  const metadataGas = order.metadata ? BigInt(args.length) * tokens * 100_000_000n + tokens * T : 0n;
  const deposit = metadata > LANE_METADATA ? ONE_YOCTO : 0n;
  const blockGas = order.asset_index === undefined ? 0n : BLOCK_GAS;
  return call("nft_batch_mint", args, MINT_BASE + tokens * T + metadataGas + blockGas, deposit);
};

/** A mint to which the day's quota doesn't apply, because only a full-access key can sign it. */
export const beyondQuota = (mint: FunctionCall): Action => ({ ...mint, deposit: ONE_YOCTO.toString() });

/**
 * Lets the service mint more tokens of a collection today than the contract's quota. Mints beyond it by function-call keys
 * fail, so that a stolen one mints no more than the quota.
 */
export const allowStaffMints = (collectionId: number, more: number): Action =>
  call("staff_mints_allow", json({ collection_id: collectionId, more }), 20n * T, ONE_YOCTO);

/** A change of a token in a call of many. */
export interface TokenUpdate {
  readonly tokenId: string;
  readonly changes: Override;
  /** Gas units. */
  readonly gas: string;
}

/** Updates that one call takes (docs/contract.md), and gas of a call without any. */
export const BULK_UPDATES = 600;
export const BULK_GAS = 20n * T;

/** Gas of one update in a call of many. @param bytes of its arguments, and of what the token shows already */
export const updateGas = (bytes: number): bigint => (6n * T) / 10n + BigInt(bytes) * 400_000_000n;

/** Changes metadata of tokens of a collection in one call, whose value says of each whether it was changed. */
export const updateTokens = (collectionId: number, updates: readonly TokenUpdate[]): Action => {
  const changes = updates.map(({ tokenId, changes: own }) => ({ token_id: tokenId, ...own }));
  const gas = updates.reduce((sum, update) => sum + BigInt(update.gas), BULK_GAS);
  return call("nft_update_batch", json({ collection_id: collectionId, updates: changes }), gas, ONE_YOCTO);
};

/** Changes a token's metadata. */
export const updateToken = (tokenId: string, changes: Override): Action => {
  const args = json({ token_id: tokenId, ...changes });
  return call("nft_update", args, 20n * T + BigInt(args.length) * 200_000_000n, ONE_YOCTO);
};

/**
 * Gas of moving one token within a transaction of several: measured 1 Tgas, and 1 for each approval, whose deposit is
 * returned. A list of accounts that tokens can't be transferred to is read for each. Gas units.
 */
export const moveGas = ({
  approvals,
  denied,
}: {
  readonly approvals: number;
  readonly denied: number;
}): bigint => 6n * T + BigInt(approvals) * T + BigInt(denied) * (T / 50n);

/** Transfers tokens of the signer in one transaction: all or none. @param gas for each */
export const transferTokens = (
  tokenIds: readonly string[],
  { receiver, memo, gas }: { readonly receiver: string; readonly memo: string | null; readonly gas: bigint },
): Action[] =>
  tokenIds.map((token_id) => {
    const args = { receiver_id: receiver, token_id, ...(memo !== null && { memo }) };
    return call("nft_transfer", json(args), gas, ONE_YOCTO);
  });

/** Burns tokens of the signer in one transaction: all or none. @param gas for each */
export const burnTokens = (tokenIds: readonly string[], gas: bigint): Action[] =>
  tokenIds.map((token_id) => call("nft_burn", json({ token_id }), gas, ONE_YOCTO));

/** Locks parts of a collection for ever. @param assets indexes on the chain from 0, ascending */
export const lockCollection = (
  collectionId: number,
  { locks, assets }: { readonly locks: readonly Lock[]; readonly assets: readonly number[] },
): Action =>
  call(
    "collection_lock",
    json({ collection_id: collectionId, locks, ...(assets.length > 0 && { assets }) }),
    assets.length > 0 ? MAX_GAS : 30n * T,
    ONE_YOCTO,
  );

/** Locks what a token shows for ever. */
export const lockToken = (tokenId: string): Action =>
  call("nft_lock", json({ token_id: tokenId }), 30n * T, ONE_YOCTO);

/** An allowlist: of a phase by its number, or of the private price. */
export interface Allowlist {
  readonly collectionId: number;
  readonly phase?: number | undefined;
}

const listOf = ({ collectionId, phase }: Allowlist) => ({
  collection_id: collectionId,
  ...(phase !== undefined && { phase }),
});

/** Adds accounts to an allowlist or removes them. Gas: measured up to 100 Tgas on a list of 50,000. */
export const changeAllowlist = (
  change: "allowlist_add" | "allowlist_remove",
  list: Allowlist,
  accountIds: readonly string[],
): FunctionCall =>
  call(
    change,
    json({ ...listOf(list), account_ids: accountIds }),
    30n * T + (BigInt(accountIds.length) * 270n * T) / 500n,
    ONE_YOCTO,
  );

export const clearAllowlist = (list: Allowlist): FunctionCall =>
  call("allowlist_clear", json(listOf(list)), 20n * T, ONE_YOCTO);

/** Registers an account at a token's contract (NEP-145). @param deposit yoctoNEAR; what is too much returns */
export const registerAccount = (account: string, deposit: string): Action =>
  call("storage_deposit", json({ account_id: account, registration_only: true }), 30n * T, BigInt(deposit));

/** Has a contract send the signer its shares in a currency. Gas: it sets aside 15 Tgas for the token's transfer. */
export const withdrawShares = (currency: string): Action =>
  call("shares_withdraw", json({ currency }), 50n * T, ONE_YOCTO);

/** Sends units of a token; part of a transaction to its contract (NEP-141). */
export const transferUnits = (receiver: string, units: string): Action =>
  call("ft_transfer", json({ receiver_id: receiver, amount: units }), 30n * T, ONE_YOCTO);

/** Adds or removes an admin. Idempotent. */
export const setAdmin = (accountId: string, isAdmin: boolean): Action =>
  call(isAdmin ? "admin_add" : "admin_remove", json({ account_id: accountId }), 10n * T, ONE_YOCTO);

/** Proposes an account as the next owner; null withdraws the current proposal. */
export const proposeOwner = (accountId: string | null): Action =>
  call("owner_propose", json({ account_id: accountId }), 10n * T, ONE_YOCTO);

/** Makes the proposed owner the owner. */
export const acceptOwner = (): Action => call("owner_accept", json({}), 10n * T, ONE_YOCTO);

/** Terms of a claim drop, or changes of them. */
export interface DropTerms {
  readonly links?: number;
  /** Unix milliseconds. */
  readonly expires_at_ms?: number;
  /** yoctoNEAR to reserve for the tokens' storage; default: the most that the links can need. */
  readonly reserve?: string;
  readonly issuer_public_key?: string;
  /** Numbers of links, from 0. */
  readonly revoke?: readonly number[];
}

export interface NewDrop extends DropTerms {
  readonly issuer_public_key: string;
  readonly quantity: number;
}

/** Creates a claim drop. Gas: its record has up to 1.3 kB. */
export const createDrop = (collectionId: number, drop: NewDrop): Action =>
  call("drop_create", json({ collection_id: collectionId, ...drop }), 30n * T, ONE_YOCTO);

/** Changes a drop. Gas: its record has up to 1.3 kB, the numbers of 1,000 links 5 kB. */
export const updateDrop = (dropId: number, terms: DropTerms): Action =>
  call("drop_update", json({ drop_id: dropId, ...terms }), 30n * T, ONE_YOCTO);

/** Closes a drop and releases its reserve. */
export const closeDrop = (dropId: number): Action => call("drop_close", json({ drop_id: dropId }), 30n * T);

/** Redeems a claim link. Gas: 30 Tgas suffice in a collection of 10,000 assets (docs/contract.md, "Claim drops"). */
export const claimLink = (proof: ClaimProof): Action => call("nft_claim", json(proof), 50n * T);

/** Announces an upgrade: the code published under a hash may be used once the contract's delay is over. */
export const announceUpgrade = (codeHash: Uint8Array): Action =>
  call("upgrade_announce", json({ code_hash: baseEncode(codeHash) }), 20n * T, ONE_YOCTO);

/** Switches a contract to announced code, published under its hash, and migrates its storage, in one batch. */
export const upgradeContract = (codeHash: Uint8Array): Action =>
  call("upgrade", json({ code_hash: baseEncode(codeHash) }), 100n * T, ONE_YOCTO);
