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
