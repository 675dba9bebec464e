import { z } from "@hono/zod-openapi";
import { ACCOUNT, CONTRACT, type Shown, TOKEN_ID } from "./samples.ts";

const phaseView = z.object({
  kind: z.enum(["public", "allowlist"]),
  mint_fee: z.string().openapi({ description: "yoctoNEAR for one.", example: "1000000000000000000000000" }),
  starts_at: z.iso.datetime().nullable().openapi({ description: "null: open." }),
  ends_at: z.iso.datetime().nullable(),
  limit_per_account: z.int().nullable().openapi({ description: "null: no limit." }),
});

/** A way to mint from a wallet. */
export type PublicPhase = Shown<typeof phaseView>;

/** A collection as its page shows it to everybody. */
export const publicCollectionView = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    cover: z
      .object({ url: z.url(), media_type: z.string().nullable() })
      .nullable()
      .openapi({ description: "The placeholder while assets are hidden." }),
    theme: z.object({ accent: z.string() }).nullable(),
    links: z.array(z.object({ label: z.string(), url: z.string() })),
    network: z.string().openapi({ example: "mainnet" }),
    contract_address: z.string().openapi({ example: CONTRACT }),
    collection_id: z.int().openapi({ description: "The id on-chain." }),
    phases: z.array(phaseView).openapi({ description: "Empty: wallets can't mint." }),
    total_copies: z.int(),
    minted: z.int(),
    left: z.int().openapi({ description: "Copies that can still be minted." }),
    hidden: z.boolean().openapi({ description: "Whether a reveal has still to show the assets." }),
  })
  .openapi("PublicCollection");

export type PublicCollection = Shown<typeof publicCollectionView>;

const traitView = z.object({ type: z.string(), value: z.string() });

/** A token as the gallery shows it. */
export const publicTokenView = z
  .object({
    token_id: z.string().openapi({ example: "7:1" }),
    number: z.int().openapi({ description: "Within the collection, in minting order." }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    owner_id: z.string(),
    media_url: z.string().nullable().openapi({ description: "null in the block of its mint." }),
    media_type: z.string().nullable(),
    media_hash: z.string().nullable().openapi({ description: "base64 of SHA-256, as the chain has it." }),
    media_cid: z.string().nullable(),
    reference_url: z.string().nullable(),
    reference_hash: z.string().nullable(),
    traits: z.array(traitView).openapi({ description: "Empty until assets are revealed." }),
    rarity_rank: z.int().nullable().openapi({ description: "1 is the rarest; null: not known (yet)." }),
  })
  .openapi("PublicToken");

export type PublicToken = Shown<typeof publicTokenView>;

/** A token as its own page shows it. */
export const publicTokenDetailView = z
  .object({
    ...publicTokenView.shape,
    transaction_hash: z.string().nullable().openapi({
      description:
        "Of its mint; null: not known. Known are mints by the API and claims since the collection has its page, and mints from wallets that a page has followed.",
    }),
    explorer_url: z.string().nullable(),
  })
  .openapi("PublicTokenDetail");

export type PublicTokenDetail = Shown<typeof publicTokenDetailView>;

/** What traits there are. */
export const publicTraitView = z
  .object({
    type: z.string(),
    values: z.array(z.object({ value: z.string(), copies: z.int() })),
  })
  .openapi("PublicTrait");

export type PublicTrait = Shown<typeof publicTraitView>;

/** Whether an account may mint now, at which price, and the reason if not. */
export const publicEligibilityView = z
  .object({
    account_id: z.string(),
    allowed: z.boolean(),
    via: z.enum(["bypass", "public", "private"]).nullable(),
    mint_fee: z.string().nullable().openapi({ description: "yoctoNEAR for one." }),
    code: z.string().nullable().openapi({ description: "The contract's code that says why not." }),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: z.int().nullable(),
    quantity: z.int(),
    total_fee: z.string().nullable().openapi({ description: "yoctoNEAR to attach for the quantity." }),
    available: z.string().nullable().openapi({
      description: "yoctoNEAR that the account can spend; null: there is no such account.",
    }),
  })
  .openapi("PublicEligibility");

export type PublicEligibility = Shown<typeof publicEligibilityView>;

/** A claim link that can be redeemed. */
export const publicClaimableView = z
  .object({
    drop_id: z.int(),
    link: z.int(),
    quantity: z.int().openapi({ description: "NFTs that it gives." }),
    expires_at: z.iso.datetime(),
  })
  .openapi("PublicClaimable");

export type PublicClaimable = Shown<typeof publicClaimableView>;

/** What became of the claim of a link. */
export const publicClaimView = z
  .object({
    state: z.enum(["pending", "succeeded"]).openapi({
      description:
        "A success is final. `pending`: send the same claim again to learn more; it is carried out once.",
    }),
    receiver_id: z.string().openapi({ example: ACCOUNT }),
    token_ids: z.array(z.string()).openapi({ example: [TOKEN_ID] }),
    tokens: z
      .array(publicTokenView)
      .openapi({ description: "Those of `token_ids` that can be read by now." }),
    transaction_hash: z.string().nullable(),
    explorer_url: z.string().nullable(),
  })
  .openapi("PublicClaim");

export type PublicClaim = Shown<typeof publicClaimView>;

/** What became of a mint that a wallet has sent. */
export const publicMintView = z
  .object({
    state: z.enum(["unknown", "pending", "succeeded", "failed"]).openapi({
      description: "`unknown`: no node knows the transaction (yet). The others but `pending` are final.",
    }),
    code: z.string().nullable().openapi({ description: "The contract's code of a failure." }),
    message: z.string().nullable(),
    token_ids: z.array(z.string()),
    tokens: z
      .array(publicTokenView)
      .openapi({ description: "Those of `token_ids` that can be read by now." }),
    explorer_url: z.string().nullable(),
  })
  .openapi("PublicMint");

export type PublicMint = Shown<typeof publicMintView>;
