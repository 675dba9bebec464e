import type { Context } from "hono";
import { z } from "zod";
import { type FinalOutcome, failureAt, readOutcome, returnedBy } from "../../chain/outcome.ts";
import { transactionStatus } from "../../chain/send.ts";
import { accountBalance } from "../../chain/views.ts";
import { unitsOf } from "../../collections/currencies.ts";
import { toEligibility } from "../../collections/eligibility.ts";
import {
  isHidden,
  onChain,
  openShowcase,
  type Showcase,
  showCollection,
} from "../../collections/public-collection.ts";
import { connectPublic } from "../../collections/public-nodes.ts";
import {
  canSortByRarity,
  showToken,
  showTokens,
  type TokenFilter,
  tokensByIds,
} from "../../collections/public-tokens.ts";
import { showTraits } from "../../collections/traits.ts";
import type { ServiceContext } from "../../context.ts";
import { openReplicas } from "../../db/client.ts";
import { keepMintTransaction } from "../../db/queries/mint-transactions.ts";
import type { ClaimProof, SignedVoucher } from "../../domain/claim-proofs.ts";
import { parsedJson } from "../../domain/json-text.ts";
import type { Mint } from "../../domain/mint-notes.ts";
import { type Currency, phasesOf } from "../../domain/settings.ts";
import { collectionOf } from "../../domain/token-ids.ts";
import { addressOf, countAddress } from "../../http/address-limit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { baseUrl } from "../../http/app-env.ts";
import { claimOfLink, requireRedeemable, requireVoucher } from "../../operations/redeem-link.ts";
import type { PublicEligibility, PublicMint } from "../resources/public-collection.ts";
import { showClaim } from "./claim.ts";

const BRIEF_S = 2;

/** Responses are cached under a host that can't be requested. */
const keyOf = (name: string): string => `https://brief.invalid/${encodeURIComponent(name)}`;

/**
 * A public read, kept at this location for two seconds; one that has to be made counts against the client's address.
 * @param name all that the answer depends on, the service's own address included @throws ServiceError rate_limited
 */
const keptBriefly = async <T>(
  c: Context<AppEnv>,
  name: readonly (string | number)[],
  read: () => Promise<T>,
): Promise<T> => {
  const key = keyOf(JSON.stringify(name));
  const kept = await caches.default.match(key);
  if (kept) return kept.json<T>();
  await countAddress(c, "page");
  const value = await read();
  const headers = { "Content-Type": "application/json", "Cache-Control": `public, max-age=${BRIEF_S}` };
  const keep = caches.default
    .put(key, new Response(JSON.stringify(value), { headers }))
    .catch((error: unknown) => c.get("context").log("brief_cache.not_kept", { error }));
  c.get("context").waitUntil(keep);
  return value;
};

/** What a mint would be paid with. */
interface Payment {
  readonly quantity: number;
  /** Account of a token; undefined: NEAR. */
  readonly currency: string | undefined;
}

/** The contract's answer to whether an account may mint now. @throws ServiceError not_found, chain_unavailable */
const showEligibility = async (
  context: ServiceContext,
  slug: string,
  accountId: string,
  { quantity, currency }: Payment,
): Promise<PublicEligibility> => {
  const { views, collectionId } = await openShowcase(context, slug);
  const [found, balance] = await Promise.all([
    views.eligibility(collectionId, accountId, { quantity, currency }),
    accountBalance(connectPublic(context), accountId),
  ]);
  // No contract is called that the collection doesn't name.
  const isNamed = (found.phases ?? []).some((phase) => phase.currency === currency);
  const units = currency && isNamed ? await unitsOf(connectPublic(context), currency, accountId) : null;
  const { phases, ...whole } = toEligibility(accountId, found);
  return {
    ...whole,
    quantity,
    total_fee: found.mint_fee === null ? null : (BigInt(found.mint_fee) * BigInt(quantity)).toString(),
    phases,
    currency_available: units,
    available: balance === null ? null : balance.available.toString(),
  };
};

/** A token as the collection's phases name it, of which one does where a voucher in it is good. Null: NEAR. */
const currencyOf = ({ row }: Showcase, account: string | undefined): Currency | null => {
  if (account === undefined) return null;
  const named = phasesOf(row.collection.settings).map(({ currency }) => currency);
  const found = named.find((currency) => currency?.contract_id === account);
  return found ?? { contract_id: account, symbol: null, decimals: null };
};

const EVENT = "EVENT_JSON:";

const mintEvent = z.object({
  standard: z.literal("nep171"),
  event: z.literal("nft_mint"),
  data: z.array(z.object({ token_ids: z.array(z.string()) })),
});

/** Tokens of the collection whose mint a transaction's logs tell of, by the contract itself alone (NEP-171, NEP-297). */
const mintedIn = (outcome: FinalOutcome, { contract, collectionId }: Showcase): string[] =>
  [outcome.transaction_outcome, ...outcome.receipts_outcome]
    .filter(({ outcome: { executor_id: executor } }) => executor === contract)
    .flatMap(({ outcome: { logs } }) => logs)
    .filter((log) => log.startsWith(EVENT))
    .flatMap((log) => mintEvent.safeParse(parsedJson(log.slice(EVENT.length))).data?.data ?? [])
    .flatMap(({ token_ids: ids }) => ids)
    .filter((id) => collectionOf(id) === collectionId);

/** Stores mint transactions for the pages of their tokens. A failure here doesn't fail the response. */
const noteMint = (context: ServiceContext, { row }: Showcase, mint: Mint): void => {
  context.waitUntil(
    context.db
      .batch([keepMintTransaction(context.db, row.collection.id, mint)])
      .catch((error: unknown) => context.log("provenance.failed", { hash: mint.hash, error })),
  );
};

const NOTHING = {
  code: null,
  message: null,
  token_ids: [],
  tokens: [],
  returned: null,
  explorer_url: null,
} as const;

/**
 * Whether a token kept nothing of what was sent for a mint: `ft_transfer_call` ends with the units that it has moved
 * (NEP-141), and where it failed before the contract was called, none were. Null: nothing was sent by a token.
 */
const isReturned = (outcome: FinalOutcome, contract: string): boolean | null => {
  const executors = outcome.receipts_outcome.map((receipt) => receipt.outcome.executor_id);
  if (executors[0] === contract) return null;
  const value = returnedBy(outcome);
  return value === null
    ? !executors.includes(contract)
    : new TextDecoder().decode(value) === JSON.stringify("0");
};

/**
 * What became of a mint that a wallet sent: a success is final, and the tokens are those that the contract's own events
 * name. @throws ServiceError not_found, chain_unavailable
 */
const showMint = async (
  context: ServiceContext,
  slug: string,
  base: string,
  transaction: { readonly hash: string; readonly signer: string },
): Promise<PublicMint> => {
  const showcase = await openShowcase(context, slug);
  const { hash, signer } = transaction;
  const status = await transactionStatus(connectPublic(context), hash, signer);
  if (status.kind === "unknown") return { state: "unknown", ...NOTHING };
  if (status.kind === "pending") return { state: "pending", ...NOTHING };
  if (status.kind === "not_applied") return { state: "failed", ...NOTHING, message: NOT_APPLIED };
  const identity = {
    hash,
    signerId: signer,
    receiverId: showcase.contract,
    nonce: 0n,
    explorerUrl: context.settings.EXPLORER_URL ?? null,
  };
  const { state, result, contractCode: code } = readOutcome(identity, status.outcome, null);
  const { failure_message: message, explorer_url } = result;
  const returned = isReturned(status.outcome, showcase.contract);
  if (state === "failed") return { ...NOTHING, state, code, message, returned, explorer_url };
  const ids = mintedIn(status.outcome, showcase);
  if (ids.length === 0) {
    const why = failureAt(status.outcome, showcase.contract) ?? { code: null, message: NO_MINT };
    return { ...NOTHING, state: "failed", ...why, returned, explorer_url };
  }
  noteMint(context, showcase, { hash, tokenIds: ids });
  const hidden = isHidden(await onChain(showcase));
  const tokens = await tokensByIds(context, showcase, ids, { base, hidden });
  return { ...NOTHING, state: "succeeded", token_ids: ids, tokens, explorer_url };
};

const NOT_APPLIED = "The chain did not carry the transaction out. Nothing was paid.";
const NO_MINT = "This transaction minted nothing of this collection.";

/** What the pages and /public/v1 read of a page's collection, each kept for a moment under what it depends on. */
export const briefReads = (c: Context<AppEnv>, slug: string) => {
  const base = baseUrl(c);
  const asked = c.get("context");
  const context = { ...asked, db: openReplicas(asked.env.DB), network: addressOf(c) };
  const brief = async <T>(name: readonly (string | number)[], read: () => Promise<T>): Promise<T> => {
    const answer = await keptBriefly(c, [base, slug, ...name], read);
    // After the read, because a refusal concerns one client and must not be cached (RFC 6585, section 4).
    c.header("Cache-Control", `public, max-age=${BRIEF_S}`);
    // These reads are public, so any origin may use them.
    c.header("Access-Control-Allow-Origin", "*");
    return answer;
  };
  return {
    collection: () => brief(["collection"], () => showCollection(context, slug, base)),
    traits: () => brief(["traits"], () => showTraits(context, slug)),
    tokens: (filter: TokenFilter) =>
      brief(["tokens", JSON.stringify(filter)], () => showTokens(context, slug, base, filter)),
    isSortable: () => brief(["sortable"], () => canSortByRarity(context, slug, base)),
    token: (number: number) => brief(["token", number], () => showToken(context, slug, base, number)),
    eligibility: (account: string, payment: Payment) =>
      brief(["eligibility", account, payment.quantity, payment.currency ?? ""], () =>
        showEligibility(context, slug, account, payment),
      ),
    claimable: (link: Omit<ClaimProof, "receiver_id" | "signature">) =>
      brief(["claimable", JSON.stringify(link)], async () => {
        const { drop_id, link: number } = link;
        const { views, collectionId } = await openShowcase(context, slug);
        const { quantity, expiresAt } = await requireRedeemable({ views, collectionId }, link);
        return { drop_id, link: number, quantity, expires_at: expiresAt.toISOString() };
      }),
    voucher: (voucher: SignedVoucher) =>
      brief(["voucher", JSON.stringify(voucher)], async () => {
        const showcase = await openShowcase(context, slug);
        await requireVoucher(showcase, voucher);
        const { signature: _, expires_at_ms: end, currency, ...shown } = voucher;
        const total = BigInt(shown.price) * BigInt(shown.quantity);
        return {
          ...shown,
          currency: currencyOf(showcase, currency),
          total_fee: total.toString(),
          expires_at: new Date(end).toISOString(),
        };
      }),
    claimed: ({
      drop_id: dropId,
      link,
      link_public_key: publicKey,
    }: Omit<ClaimProof, "certificate" | "receiver_id" | "signature">) =>
      brief(["claimed", dropId, link, publicKey], async () => {
        const { collection } = (await openShowcase(context, slug)).row;
        const named = { collectionId: collection.id, dropId, link, publicKey };
        const { receiver, answer } = await claimOfLink(context, collection.integrationId, named);
        return showClaim(context, { slug, base, receiver }, answer);
      }),
    mint: (transaction: { readonly hash: string; readonly signer: string }) =>
      brief(["mint", transaction.hash, transaction.signer], () => showMint(context, slug, base, transaction)),
  };
};
