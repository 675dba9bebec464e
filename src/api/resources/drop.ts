import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { account, CONTRACT, PUBLIC_KEY, publicKey, type Shown, text, whole } from "./samples.ts";
import { tokenView } from "./token.ts";

const dropFields = {
  drop_id: whole("Its number on the contract.", 3),
  collection_uuid: z.uuid(),
  collection_id: z.int().openapi({ example: 7 }),
  contract_address: account(CONTRACT),
  issuer_public_key: publicKey(PUBLIC_KEY, "The key that certifies the links' keys and signs vouchers."),
  links: z.int().openapi({ example: 100 }),
  claimed: whole("Links that were claimed.", 12),
  revoked: whole("Links that were revoked before they were claimed.", 0),
  quantity: whole("NFTs of each link.", 1),
  expires_at: z.iso.datetime(),
  copies_left: z.int().openapi({
    description:
      "Copies that the collection can still mint, none once its supply is locked, for the open links of all its drops and for " +
      "everybody else: a drop reserves none. Once they are minted, links give nothing; each link that is open still needs `quantity` of them.",
    example: 95,
  }),
  reserve: text("yoctoNEAR that pay for the NFTs' storage.", "257000000000000000000000"),
};

export const dropSummaryView = z.object(dropFields).openapi("DropSummary");

export const dropView = z
  .object({
    ...dropFields,
    claimed_links: text(
      "base64 of one bit a link, beginning with the lowest bit of the first byte; 1: claimed.",
      "/w8AAAAAAAAAAAAAAA==",
    ),
    revoked_links: text("The same of links that were revoked; empty if none was.", ""),
  })
  .openapi("Drop");
export type DropSummary = Shown<typeof dropSummaryView>;
export type Drop = Shown<typeof dropView>;

export const dropAnswerView = z
  .object({ message: z.literal("success"), drop: dropView, tx_results: z.array(transactionView) })
  .openapi("DropAnswer");
export type DropAnswer = Shown<typeof dropAnswerView>;

export const dropClosedView = z
  .object({
    message: z.literal("success"),
    drop_id: z.int(),
    returned: text("yoctoNEAR of its reserve that are free again."),
    tx_results: z.array(transactionView),
  })
  .openapi("DropClosed");
export type DropClosed = Shown<typeof dropClosedView>;

const claimAnswerView = z.object({
  message: z.literal("success"),
  drop_id: z.int(),
  link: z.int(),
  tokens: z.array(tokenView),
  tx_results: z.array(transactionView),
});
export type ClaimAnswer = Shown<typeof claimAnswerView>;
