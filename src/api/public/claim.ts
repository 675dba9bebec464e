import { z } from "@hono/zod-openapi";
import { isHidden, onChain, openShowcase } from "../../collections/public-collection.ts";
import { tokensByIds } from "../../collections/public-tokens.ts";
import type { EndpointResponse, ServiceContext } from "../../context.ts";
import { addressOf } from "../../http/address-limit.ts";
import { baseUrl } from "../../http/app-env.ts";
import { redeemLink } from "../../operations/redeem-link.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import type { ClaimAnswer } from "../resources/drop.ts";
import { type PublicClaim, publicClaimView } from "../resources/public-collection.ts";
import { PUBLIC_KEY } from "../resources/samples.ts";
import { accountIdField, publicKeyField, signatureField } from "../schemas/fields.ts";
import { dropNumber, linkNumber, slug } from "./parameters.ts";

/** The public view of a claim's operation. @param answer null: it isn't over @throws ServiceError not_found, chain_unavailable */
export const showClaim = async (
  context: ServiceContext,
  { slug, base, receiver }: { readonly slug: string; readonly base: string; readonly receiver: string },
  answer: EndpointResponse<ClaimAnswer> | null,
): Promise<PublicClaim> => {
  const nothing = { receiver_id: receiver, token_ids: [], tokens: [] };
  if (answer === null || answer.status === 202) {
    return { state: "pending", ...nothing, transaction_hash: null, explorer_url: null };
  }
  const { body } = answer;
  // The texts of 25 tokens may be long enough to be stored in R2.
  const claimed = body instanceof ReadableStream ? await new Response(body).json<ClaimAnswer>() : body;
  const [transaction] = claimed.tx_results;
  const ids = claimed.tokens.map(({ token_id: id }) => id);
  // Opened again: the claim may have ended after the first look.
  const showcase = await openShowcase(context, slug);
  const hidden = isHidden(await onChain(showcase));
  return {
    state: "succeeded",
    receiver_id: receiver,
    token_ids: ids,
    tokens: await tokensByIds(context, showcase, ids, { base, hidden }),
    transaction_hash: transaction?.transaction_hash ?? null,
    explorer_url: transaction?.explorer_url ?? null,
  };
};

const SIGNATURE = `${"A".repeat(86)}==`;

const claimBody = z
  .strictObject({
    slug,
    drop_id: dropNumber,
    link: linkNumber,
    link_public_key: publicKeyField.openapi({ description: "The link's key." }),
    certificate: signatureField.openapi({ description: "The issuer's signature of the link's key." }),
    receiver_id: accountIdField,
    signature: signatureField.openapi({ description: "The link's signature of the receiver." }),
  })
  .openapi("PublicClaimInput");

export const claimSend = endpoint(
  {
    method: "post",
    path: "/claim",
    operationId: "publicClaim",
    tag: "Pages for collectors",
    scope: "public",
    summary: "Redeem a claim link for an account, without NEAR and without a wallet",
    description:
      "Sent by the wallet of the collection's integration, once the contract has shown that it would succeed. A link works once: the same claim, sent again, gets the answer of the first. Only the link's key can sign for a receiver (docs/contract.md, “Claim drops”).",
    request: {
      body: jsonBody(claimBody, {
        slug: "night-herons",
        drop_id: 3,
        link: 41,
        link_public_key: PUBLIC_KEY,
        certificate: SIGNATURE,
        receiver_id: "alice.near",
        signature: SIGNATURE,
      }),
    },
    success: { 200: json("What became of it.", publicClaimView) },
    errors: [
      "not_found",
      "unknown_account",
      "sold_out",
      "conflict",
      "contract_storage_unpaid",
      "rate_limited",
      "transaction_failed",
      "outcome_unknown",
      "claims_paused",
      "chain_unavailable",
    ],
  },
  async ({ body: { slug: name, ...proof }, ...input }, c) => {
    const context = { ...input.context, network: addressOf(c) };
    const { row, contract, collectionId, views } = await openShowcase(context, name);
    const { integrationId, id: collectionUuid } = row.collection;
    const base = baseUrl(c);
    const home = { integrationId, collectionUuid, contract, collectionId, views, base };
    const answer = await redeemLink(context, home, proof);
    return showClaim(context, { slug: name, base, receiver: proof.receiver_id }, answer);
  },
);
