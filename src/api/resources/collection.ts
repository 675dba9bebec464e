import { z } from "@hono/zod-openapi";
import { LOCKS } from "../../domain/locks.ts";
import { contractCodeView, ROYALTIES_CAN_CHANGE } from "./contract.ts";
import { currencyView } from "./currency.ts";
import { transactionView } from "./operation.ts";
import {
  ACCOUNT,
  account,
  CONTRACT,
  cid,
  cidUrl,
  DIRECTORY_CID,
  DIRECTORY_URL,
  FILE_CID,
  FILE_HASH,
  FILE_URL,
  mediaType,
  type Shown,
  text,
  whole,
} from "./samples.ts";

export const locksView = (description: string) =>
  z
    .array(z.enum(LOCKS))
    .readonly()
    .openapi({ description, example: ["royalties"] });

const mintConfigView = z
  .object({
    mint_fee: z.string().openapi({ example: "1000000000000000000000000" }),
    starts_at: z.string().nullable().openapi({ example: "2026-12-24T18:00:00.000Z" }),
    ends_at: z.string().nullable(),
    limit_per_account: z.int().nullable().openapi({ example: 5 }),
  })
  .openapi("MintConfig");

const phaseView = z
  .object({
    phase: whole("Its number. 1 and 2 are those of private_mint_config and public_mint_config.", 3),
    kind: z.enum(["allowlist", "public"]),
    mint_fee: text("Of each NFT: yoctoNEAR, or the smallest units of the currency.", "5000000"),
    currency: z.union([currencyView, z.null()]).openapi({ description: "null: NEAR." }),
    starts_at: z.string().nullable(),
    ends_at: z.string().nullable(),
    limit_per_account: z.int().nullable(),
    supply: whole("Mints of all accounts; null: no limit.").nullable(),
  })
  .openapi("Phase");

const countedPhaseView = phaseView
  .extend({
    minted: whole(
      "Tokens minted in it, as last compared with the chain: mints of the last minutes may be missing.",
      25,
    ),
    allowlisted: whole(
      "Accounts on its allowlist, as last compared with the chain: changes of the last minutes may be missing. Null: it has none.",
    ).nullable(),
  })
  .openapi("CollectionPhase");

const royaltiesView = z
  .record(account(), z.number())
  .openapi("Royalties", { example: { "alice.near": 12.5 } });

const ANY_ACCOUNTS = { example: [] };

const settingsView = {
  title: z.string().openapi({ example: "Night Herons" }),
  description: z.string().nullable().openapi({ example: "Twelve herons, painted after dark." }),
  public_mint_config: z
    .union([mintConfigView, z.null()])
    .openapi({ description: "Phase 2; null also where its price is in a currency." }),
  private_mint_config: z
    .union([mintConfigView, z.null()])
    .openapi({ description: "Phase 1; null also where its price is in a currency." }),
  bypass_mint_fee_accounts: z.array(account()).openapi(ANY_ACCOUNTS),
  initial_royalties: royaltiesView,
  ongoing_royalties: royaltiesView,
  allow_approvals: z.boolean(),
  approvals_allowed_accounts: z.array(account()).nullable(),
  approvals_denied_accounts: z.array(account()).nullable(),
  allow_transfers: z.boolean(),
  transfers_denied_accounts: z.array(account()).nullable(),
};

export const revealView = z
  .object({
    state: z.enum(["hidden", "partly", "revealed"]),
    shown: whole("Assets that are shown, as last read from the chain.", 0),
    commitment: text("base64 of 32 bytes: the contract has it since before the first mint.", FILE_HASH),
    at: z.iso.datetime().nullable().openapi({ description: "When the schedule reveals what is hidden." }),
  })
  .openapi("Reveal");

export const collectionView = z
  .object({
    collection_uuid: z.uuid(),
    collection_id: whole("The id on-chain, as the contract's methods take it.", 7),
    collection_draft_uuid: z.uuid(),
    contract_uuid: z.uuid(),
    contract_address: account(CONTRACT),
    ...settingsView,
    phases: z.array(countedPhaseView).openapi({ description: "All phases, also those of the two configs." }),
    total_copies: whole("Sum of copies over all assets.", 120),
    total_assets: z.int().openapi({ example: 12 }),
    minted: whole("Tokens minted, as last read from the chain.", 25),
    earned: z
      .string()
      .nullable()
      .openapi({
        description:
          "yoctoNEAR that the contract's owner was paid of its mint fees, as last read from the chain: what remains of each fee " +
          "after the NFT's storage, the platform's 5% and the initial royalties. Mints through the API and claims bring nothing, " +
          "what a collector sent too much and shares that couldn't be delivered aren't counted, and neither are resales. Null: " +
          "not read yet since the wallet began to become the contract's owner, or since a payout that could not read it, or the " +
          "contract is of a release that doesn't count it.",
        example: "2557693500000000000000000",
      }),
    locks: locksView(
      "What the collection's holders were promised for good, as last compared with the chain. With `supply` nothing is left to mint.",
    ),
    ongoing_royalties_can_change: z.boolean().openapi({ description: ROYALTIES_CAN_CHANGE }),
    contract_code: contractCodeView,
    ipfs_root_cid: cid(DIRECTORY_CID, "CID of the directory of all files."),
    reveal: revealView
      .nullable()
      .openapi({ description: "Null: the collection has never hidden its assets." }),
    pin_state: z
      .enum(["pending", "pinned", "failed"])
      .nullable()
      .openapi({ description: "Pinning at the operator's IPFS node; null if there is no node." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Collection");
export type Collection = Shown<typeof collectionView>;

export const draftView = z
  .object({
    collection_draft_uuid: z.uuid(),
    contract_uuid: z.uuid(),
    state: z.enum(["draft", "finalizing", "finalized"]),
    collection_uuid: z.uuid().nullable().openapi({ description: "The collection that the draft became." }),
    operation_uuid: z
      .uuid()
      .nullable()
      .openapi({ description: "The finalization's operation, once accepted." }),
    ...settingsView,
    phases: z.array(phaseView).openapi({ description: "All phases, also those of the two configs." }),
    reveal: z.union([z.boolean(), z.iso.datetime()]).openapi({
      description: "Whether assets are hidden until they are revealed, and if at a time, when.",
      example: false,
    }),
    asset_placeholder: z
      .object({
        asset_cid: cid(FILE_CID, "CID of the file."),
        asset_url: cidUrl(FILE_URL),
      })
      .nullable()
      .openapi({ description: "What NFTs show until the reveal." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("CollectionDraft");
export type Draft = Shown<typeof draftView>;

export const assetView = z
  .object({
    asset_uuid: z.uuid(),
    collection_draft_uuid: z.uuid(),
    position: whole("Order within the draft, which becomes the order on-chain."),
    asset_filename: z.string().openapi({ example: "heron.png" }),
    asset_cid: cid(FILE_CID, "CID of the file: CIDv1, base32."),
    asset_url: cidUrl(FILE_URL, "Address of the file at the service's own IPFS gateway."),
    asset_size: whole("Bytes.", 3_902),
    asset_media_type: mediaType("image/png", "Media type, decided by the file's bytes."),
    copies: z.int().openapi({ example: 10 }),
    reference_filename: z.string().nullable(),
    reference_cid: cid().nullable(),
    reference_url: cidUrl().nullable(),
    reference_size: whole("Bytes.").nullable(),
    asset_subtitle: z.string().nullable().openapi({ example: "No. $TOKEN_NUM of $TOTAL_NUM" }),
    created_at: z.iso.datetime(),
  })
  .openapi("CollectionDraftAsset");
export type Asset = Shown<typeof assetView>;

export const phaseEligibilityView = z
  .object({
    phase: whole("Its number.", 3),
    mint_fee: text("Of each NFT: yoctoNEAR, or the smallest units of the currency.", "5000000"),
    currency: account("usdc.near", "Account of the token that the price is in; null: NEAR.").nullable(),
    allowed: z.boolean(),
    code: text("Why not: the contract's failure code.").nullable(),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: whole("null: no limit.").nullable(),
  })
  .openapi("PhaseEligibility");

/** What a mint would be of: the price of public_mint_config or private_mint_config, a further phase, or no price at all. */
export const VIAS = ["bypass", "public", "private", "phase"] as const;

export const eligibilityView = z
  .object({
    account_id: account(ACCOUNT),
    allowed: z.boolean(),
    via: z.enum(VIAS).nullable().openapi({ example: "public" }),
    phase: whole("Number of the phase that the mint would be of.", 2).nullable(),
    mint_fee: text(
      "yoctoNEAR to attach to nft_mint; with `currency` its smallest units to send by ft_transfer_call.",
      "1000000000000000000000000",
    ).nullable(),
    code: text("Why not: the contract's failure code.").nullable(),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: whole("null: no limit.", 4).nullable(),
    phases: z.array(phaseEligibilityView).openapi({ description: "The same of each phase by itself." }),
    locks: locksView("What the collection's holders were promised for good, on the chain."),
  })
  .openapi("Eligibility");
export type Eligibility = Shown<typeof eligibilityView>;

export const lockedView = z
  .object({
    message: z.literal("success"),
    locked: z
      .object({
        collection_uuid: z.uuid(),
        collection_id: whole("The id on-chain.", 7),
        contract_address: account(CONTRACT),
        locks: locksView("The locks of this call."),
        asset_uuids: z.array(z.uuid()).readonly().openapi({ description: "The assets locked by this call." }),
      })
      .openapi("CollectionLocked"),
    tx_results: z.array(transactionView),
  })
  .openapi("LockAnswer");
export type LockAnswer = Shown<typeof lockedView>;

export const revealedView = z
  .object({
    message: z.literal("success"),
    revealed: z
      .object({
        collection_uuid: z.uuid(),
        collection_id: whole("The id on-chain.", 7),
        contract_address: account(CONTRACT),
        total_assets: z.int().openapi({ example: 12 }),
        reveal: revealView,
      })
      .openapi("CollectionRevealed"),
    tx_results: z.array(transactionView),
  })
  .openapi("RevealAnswer");
export type RevealAnswer = Shown<typeof revealedView>;

const ipfsResultView = z
  .object({
    root_cid: cid(DIRECTORY_CID, "CID of the UnixFS directory."),
    root_url: cidUrl(DIRECTORY_URL),
    total_size: whole("Bytes of all blocks.", 48_213),
    files: z.array(
      z.object({
        name: z.string().openapi({ example: "heron.png" }),
        cid: cid(FILE_CID),
        size: whole("Bytes.", 3_902),
        media_type: mediaType("image/png"),
        url: z.url().openapi({ example: FILE_URL }),
      }),
    ),
  })
  .openapi("IpfsResult");
export type IpfsResult = Shown<typeof ipfsResultView>;

export const finalizedView = z
  .object({
    message: z.literal("success"),
    ipfs_result: ipfsResultView,
    contract_address: account(CONTRACT),
    near_collection: collectionView,
    collection_uuid: z.uuid(),
    tx_results: z.array(transactionView),
  })
  .openapi("FinalizeAnswer");
export type FinalizeAnswer = Shown<typeof finalizedView>;
