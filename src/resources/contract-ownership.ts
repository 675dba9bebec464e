import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { CONTRACT, WALLET } from "./samples.ts";
import type { Shown } from "./shown.ts";

const ARTIST = "artist.near";

/** What a proposal of another owner has made of a contract's roles. */
export const handOverView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    owner_id: z.string().openapi({ description: "The owner until the other accepts.", example: WALLET }),
    proposed_owner_id: z.string().nullable().openapi({
      description: "The account that becomes the owner once it calls `owner_accept`; null: none is proposed.",
      example: ARTIST,
    }),
    wallet_is_admin: z.boolean().openapi({
      description: "Whether the integration's wallet mints and changes settings for the next owner too.",
    }),
    tx_results: transactionView,
  })
  .openapi("ContractHandOver");

/** A contract whose ownership the integration's wallet has accepted. */
export const ownershipView = z
  .object({
    account_id: z.string().openapi({ example: CONTRACT }),
    owner_id: z.string().openapi({ example: WALLET }),
    tx_results: z.array(transactionView).openapi({ description: "Empty where it was the owner already." }),
  })
  .openapi("ContractOwnership");

export type ContractHandOver = Shown<typeof handOverView>;

export type ContractOwnership = Shown<typeof ownershipView>;
