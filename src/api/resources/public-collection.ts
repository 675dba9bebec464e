import { z } from "@hono/zod-openapi";
import { locksView, phaseEligibilityView, revealView, VIAS } from "./collection.ts";
import { contractCodeView, ROYALTIES_CAN_CHANGE } from "./contract.ts";
import { creatorView } from "./creator.ts";
import { currencyView } from "./currency.ts";
import { ACCOUNT, CONTRACT, type Shown, TOKEN_ID, text, whole } from "./samples.ts";

const phaseView = z.object({
  phase: whole("Its number on the contract.", 2),
  kind: z.enum(["public", "allowlist"]),
  mint_fee: text("For one: yoctoNEAR, or the smallest units of the currency.", "1000000000000000000000000"),
  currency: z.union([currencyView, z.null()]).openapi({ description: "null: NEAR." }),
  starts_at: z.iso.datetime().nullable().openapi({ description: "null: open." }),
  ends_at: z.iso.datetime().nullable(),
  limit_per_account: whole("null: no limit.").nullable(),
  supply: whole("Mints of all accounts; null: no limit.").nullable(),
  minted: z.int(),
});
export type PublicPhase = Shown<typeof phaseView>;

const groundView = z
  .object({ width: z.int(), height: z.int(), colour: text("Its mean.", "#1b4173") })
  .nullable()
  .openapi({
    description:
      "Of a picture, to stand in its place while it loads; null: not a picture, not opaque, or without a thumbnail so far.",
  });

export const publicCollectionView = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    cover: z
      .object({ url: z.url(), media_type: z.string().nullable(), ground: groundView })
      .nullable()
      .openapi({ description: "The placeholder while assets are hidden." }),
    theme: z.object({ accent: z.string() }).nullable(),
    links: z.array(z.object({ label: z.string(), url: z.string() })),
    creator: creatorView,
    about: text("What the creator says of it, in Markdown.").nullable(),
    network: z.string().openapi({ example: "mainnet" }),
    contract_address: z.string().openapi({ example: CONTRACT }),
    contract_name: z.string().openapi({ description: "As its NEP-177 metadata has it." }),
    collection_id: whole("The id on-chain."),
    phases: z.array(phaseView).openapi({ description: "Empty: wallets can't mint." }),
    total_copies: z.int(),
    minted: z.int(),
    left: whole("Copies that can still be minted."),
    ongoing_royalties: z
      .record(z.string(), z.number())
      .openapi({ description: "Percent of each later sale, by account." }),
    ongoing_royalties_can_change: z.boolean().openapi({ description: ROYALTIES_CAN_CHANGE }),
    contract_code: contractCodeView,
    locks: locksView("What the collection's holders were promised for good, on the chain."),
    transfers: z.object({
      allow_approvals: z.boolean().openapi({ description: "Marketplaces need approvals to sell." }),
      has_lists: z
        .boolean()
        .openapi({ description: "Whether lists of accounts limit transfers or approvals." }),
    }),
    hidden: z.boolean().openapi({ description: "Whether a reveal has still to show the assets." }),
    total_assets: z.int(),
    reveal: z
      .union([revealView, z.null()])
      .openapi({ description: "null: the collection has never hidden its assets." }),
  })
  .openapi("PublicCollection");
export type PublicCollection = Shown<typeof publicCollectionView>;

const traitView = z.object({ type: z.string(), value: z.string() });

export const publicTokenView = z
  .object({
    token_id: z.string().openapi({ example: "7:1" }),
    number: whole("Within the collection, in minting order."),
    title: z.string().nullable(),
    description: z.string().nullable(),
    owner_id: z.string(),
    media_url: text("null in the block of its mint.").nullable(),
    media_type: z.string().nullable(),
    media_ground: groundView,
    media_hash: text("base64 of SHA-256, as the chain has it.").nullable(),
    media_cid: z.string().nullable(),
    reference_url: z.string().nullable(),
    reference_hash: z.string().nullable(),
    traits: z.array(traitView).openapi({ description: "Empty until assets are revealed." }),
    rarity_rank: whole(
      "Of the reference file that it shows. 1 is the rarest; null: not known (yet), or all are equals.",
    ).nullable(),
  })
  .openapi("PublicToken");
export type PublicToken = Shown<typeof publicTokenView>;

const tokenEventView = z.object({
  event: z.enum(["minted", "transferred"]),
  at: z.iso.datetime(),
  receiver_id: text("Of a transfer: who got it.", ACCOUNT).nullable(),
  transaction_hash: z.string().nullable(),
  explorer_url: z.string().nullable(),
});
export type PublicTokenEvent = Shown<typeof tokenEventView>;

export const publicTokenDetailView = z
  .object({
    ...publicTokenView.shape,
    transaction_hash: text(
      "Of its mint; null: not known. Known are mints by the API and claims since the collection has its page, and mints from wallets that a page has followed.",
    ).nullable(),
    explorer_url: z.string().nullable(),
    locked: z.boolean().openapi({ description: "Whether what it shows can never be changed, by the chain." }),
    history: z.array(tokenEventView).openapi({
      description:
        "What is known of it, the latest first: its mint, whose time the contract has, and transfers by the API since the collection has its page. Only the chain shows transfers between wallets.",
    }),
  })
  .openapi("PublicTokenDetail");
export type PublicTokenDetail = Shown<typeof publicTokenDetailView>;

export const publicTraitView = z
  .object({
    type: z.string(),
    values: z.array(z.object({ value: z.string(), copies: z.int() })),
  })
  .openapi("PublicTrait");
export type PublicTrait = Shown<typeof publicTraitView>;

export const publicEligibilityView = z
  .object({
    account_id: z.string(),
    allowed: z.boolean(),
    via: z.enum(VIAS).nullable(),
    phase: whole("Number of the phase that the mint would be of.").nullable(),
    mint_fee: text("For one: yoctoNEAR, or the smallest units of the asked `currency`.").nullable(),
    code: text("The contract's code that says why not.").nullable(),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: z.int().nullable(),
    quantity: z.int(),
    total_fee: text("yoctoNEAR to attach for the quantity, or units to send.").nullable(),
    phases: z.array(phaseEligibilityView),
    currency_available: text(
      "Units that the account has of the asked `currency`; null: none was asked, or its contract says nothing.",
    ).nullable(),
    available: text("yoctoNEAR that the account can spend; null: there is no such account.").nullable(),
  })
  .openapi("PublicEligibility");
export type PublicEligibility = Shown<typeof publicEligibilityView>;

export const publicVoucherView = z
  .object({
    drop_id: z.int(),
    nonce: z.int(),
    receiver_id: text("Who gets the NFTs, whoever pays.", ACCOUNT),
    quantity: whole("NFTs that it gives."),
    price: text("For one: yoctoNEAR, or the smallest units of the currency.", "1000000000000000000000000"),
    currency: z.union([currencyView, z.null()]).openapi({ description: "null: NEAR." }),
    total_fee: text(
      "For all: yoctoNEAR to attach, or units to send by the token's ft_transfer_call.",
      "1000000000000000000000000",
    ),
    expires_at: z.iso.datetime(),
  })
  .openapi("PublicVoucher");
export type PublicVoucher = Shown<typeof publicVoucherView>;

export const publicClaimableView = z
  .object({
    drop_id: z.int(),
    link: z.int(),
    quantity: whole("NFTs that it gives."),
    expires_at: z.iso.datetime(),
  })
  .openapi("PublicClaimable");
export type PublicClaimable = Shown<typeof publicClaimableView>;

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

export const publicMintView = z
  .object({
    state: z.enum(["unknown", "pending", "succeeded", "failed"]).openapi({
      description: "`unknown`: no node knows the transaction (yet). The others but `pending` are final.",
    }),
    code: text("The contract's code of a failure.").nullable(),
    message: z.string().nullable(),
    token_ids: z.array(z.string()),
    tokens: z
      .array(publicTokenView)
      .openapi({ description: "Those of `token_ids` that can be read by now." }),
    returned: z.boolean().nullable().openapi({
      description:
        "Of a failure that was to be paid in a token: whether the token kept nothing of what was sent. Otherwise null.",
    }),
    explorer_url: z.string().nullable(),
  })
  .openapi("PublicMint");
export type PublicMint = Shown<typeof publicMintView>;
