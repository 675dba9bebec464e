import type { Answer, ServiceContext } from "../context.ts";
import type { ClaimAnswer } from "../resources/drop.ts";
import type { PublicClaim } from "../resources/public-collection.ts";
import { isHidden, onChain, openShowcase } from "./collection.ts";
import { tokensByIds } from "./tokens.ts";

/** What is told of the claim that an operation answers. @throws ServiceError not_found, chain_unavailable */
export const showClaim = async (
  context: ServiceContext,
  { slug, base, receiver }: { readonly slug: string; readonly base: string; readonly receiver: string },
  answer: Answer<ClaimAnswer>,
): Promise<PublicClaim> => {
  const { status, body } = answer;
  const nothing = { receiver_id: receiver, token_ids: [], tokens: [] };
  if (status === 202) {
    return { state: "pending", ...nothing, transaction_hash: null, explorer_url: null };
  }
  // Twenty-five tokens' texts may be long enough to be kept beside the database.
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
