import { z } from "@hono/zod-openapi";
import { CONTRACT, DIRECTORY_CID } from "./samples.ts";
import { settingsView } from "./settings.ts";
import type { Shown } from "./shown.ts";

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
          "not read yet since the wallet became the contract's owner, or the contract is of a release that doesn't count it.",
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
