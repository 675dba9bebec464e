import { z } from "@hono/zod-openapi";
import { CONTRACT, DIRECTORY_CID, type Shown } from "./samples.ts";

/** One-way promises to holders, by the names that the contract gives them (docs/contract.md, "Locks"). */
const LOCKS = ["metadata", "supply", "royalties", "transfers"] as const;

export type Lock = (typeof LOCKS)[number];

/** Locks by their names; empty for a contract that knows none yet. */
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

const royaltiesView = z
  .record(z.string(), z.number())
  .openapi("Royalties", { example: { "alice.near": 12.5 } });

const ANY_ACCOUNTS = { example: [] };

/** The settings as drafts and collections show them: complete. */
export const settingsView = {
  title: z.string().openapi({ example: "Night Herons" }),
  description: z.string().nullable().openapi({ example: "Twelve herons, painted after dark." }),
  public_mint_config: z.union([mintConfigView, z.null()]),
  private_mint_config: z.union([mintConfigView, z.null()]),
  bypass_mint_fee_accounts: z.array(z.string()).openapi(ANY_ACCOUNTS),
  initial_royalties: royaltiesView,
  ongoing_royalties: royaltiesView,
  allow_approvals: z.boolean(),
  approvals_allowed_accounts: z.array(z.string()).nullable(),
  approvals_denied_accounts: z.array(z.string()).nullable(),
  allow_transfers: z.boolean(),
  transfers_denied_accounts: z.array(z.string()).nullable(),
};

/** A collection as the API shows it. */
export const collectionView = z
  .object({
    collection_uuid: z.uuid(),
    collection_id: z
      .int()
      .openapi({ description: "The id on-chain, as the contract's methods take it.", example: 7 }),
    collection_draft_uuid: z.uuid(),
    contract_uuid: z.uuid(),
    contract_address: z.string().openapi({ example: CONTRACT }),
    ...settingsView,
    total_copies: z.int().openapi({ description: "Sum of copies over all assets.", example: 120 }),
    total_assets: z.int().openapi({ example: 12 }),
    minted: z.int().openapi({ description: "Tokens minted, as last read from the chain.", example: 25 }),
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
    ipfs_root_cid: z
      .string()
      .openapi({ description: "CID of the directory of all files.", example: DIRECTORY_CID }),
    pin_state: z
      .enum(["pending", "pinned", "failed"])
      .nullable()
      .openapi({ description: "Pinning at the operator's IPFS node; null if there is no node." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Collection");

/** A collection, as callers see it. */
export type Collection = Shown<typeof collectionView>;
