import { z } from "@hono/zod-openapi";
import { linkToNext } from "../../http/list-response.ts";
import { type Endpoint, endpoint, json } from "../endpoint.ts";
import {
  publicClaimableView,
  publicClaimView,
  publicCollectionView,
  publicEligibilityView,
  publicMintView,
  publicTokenDetailView,
  publicTokenView,
  publicTraitView,
  publicVoucherView,
} from "../resources/public-collection.ts";
import { LINK } from "../schemas/parameters.ts";
import { briefReads } from "./brief-reads.ts";
import { claimSend } from "./claim.ts";
import {
  claimableQuery,
  claimedQuery,
  filterOf,
  paymentQuery,
  signerQuery,
  slugAccountParam,
  slugHashParam,
  slugNumberParam,
  slugParam,
  tokenQuery,
  voucherQuery,
} from "./parameters.ts";

const COMMON = {
  method: "get",
  tag: "Pages for collectors",
  scope: "public",
  errors: ["chain_unavailable", "database_unavailable", "rate_limited"],
} as const;

const collectionRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}",
    operationId: "publicCollection",
    summary: "Read a collection as its page shows it",
    description:
      "Read from the chain, at most two seconds ago, as everything under /public/v1 but `contract_code`.",
    request: { params: slugParam },
    success: { 200: json("The collection.", publicCollectionView) },
  },
  ({ params: { slug } }, c) => briefReads(c, slug).collection(),
);

const traitsRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/trait",
    operationId: "publicTraits",
    summary: "List the traits of a collection with how many copies have each value",
    description: "Empty while assets are hidden, and until all reference files were read.",
    request: { params: slugParam },
    success: { 200: json("The traits.", z.array(publicTraitView)) },
  },
  ({ params: { slug } }, c) => briefReads(c, slug).traits(),
);

const tokensRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/token",
    operationId: "publicTokens",
    summary: "List a collection's NFTs in minting order, all, of an owner or with traits",
    description:
      "A page with filters covers the next 1,000 NFTs, or at fewer if they have much metadata. It may be short or empty and still have a next one.",
    request: { params: slugParam, query: tokenQuery },
    success: { 200: json("The NFTs.", z.array(publicTokenView), LINK) },
  },
  async ({ params: { slug }, query }, c) => {
    const { tokens, next } = await briefReads(c, slug).tokens(filterOf(query));
    if (next !== null) linkToNext(c, next);
    return tokens;
  },
);

const tokenRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/token/{number}",
    operationId: "publicToken",
    summary: "Read one NFT of a collection",
    request: { params: slugNumberParam },
    success: { 200: json("The NFT.", publicTokenDetailView) },
  },
  ({ params: { slug, number } }, c) => briefReads(c, slug).token(number),
);

const eligibilityRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/eligibility/{account_id}",
    operationId: "publicEligibility",
    summary: "Whether an account may mint now, at what price, and if not, why",
    description:
      "`currency` is the account of the token that the mint is to be paid in; without it, it is NEAR.",
    request: { params: slugAccountParam, query: paymentQuery },
    success: { 200: json("What the contract says.", publicEligibilityView) },
  },
  ({ params: { slug, account_id: account }, query: { quantity = 1, currency } }, c) =>
    briefReads(c, slug).eligibility(account, { quantity, currency }),
);

const mintRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/mint/{hash}",
    operationId: "publicMint",
    summary: "What became of a mint that a wallet has sent",
    request: { params: slugHashParam, query: signerQuery },
    success: { 200: json("Where it stands; a success is final.", publicMintView) },
  },
  ({ params: { slug, hash }, query: { account_id: signer } }, c) =>
    briefReads(c, slug).mint({ hash, signer }),
);

const claimableRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/claim",
    operationId: "publicClaimable",
    summary: "Whether a claim link can be redeemed now, and what it gives",
    description: "A link that can't be redeemed is an error, which says why not.",
    request: { params: slugParam, query: claimableQuery },
    success: { 200: json("What the contract says of it.", publicClaimableView) },
    errors: ["conflict", "sold_out", "contract_storage_unpaid"],
  },
  ({ params: { slug }, query }, c) => briefReads(c, slug).claimable(query),
);

const voucherRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/voucher",
    operationId: "publicVoucher",
    summary: "Whether a voucher can be redeemed now, and what it costs",
    description:
      "A voucher that can't be redeemed is an error, which says why not. A wallet redeems it by voucher_mint of the contract.",
    request: { params: slugParam, query: voucherQuery },
    success: { 200: json("What the contract says of it.", publicVoucherView) },
    errors: ["conflict", "sold_out", "contract_storage_unpaid"],
  },
  ({ params: { slug }, query }, c) => briefReads(c, slug).voucher(query),
);

const claimedRead = endpoint(
  {
    ...COMMON,
    path: "/page/{slug}/claimed",
    operationId: "publicClaimed",
    summary: "What a claim link that was used has given, and to whom",
    description:
      "For whoever has the link. A link that was redeemed without this service, or not at all, is `not_found`. An NFT's `owner_id` is who has it now.",
    request: { params: slugParam, query: claimedQuery },
    success: { 200: json("The claim.", publicClaimView) },
  },
  ({ params: { slug }, query }, c) => briefReads(c, slug).claimed(query),
);

export const PUBLIC_ENDPOINTS: readonly Endpoint[] = [
  collectionRead,
  traitsRead,
  tokensRead,
  tokenRead,
  eligibilityRead,
  mintRead,
  claimableRead,
  voucherRead,
  claimedRead,
  claimSend,
];
