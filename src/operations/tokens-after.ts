import type { Token } from "../api/resources/token.ts";
import { contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { CollectionTarget } from "../collections/collection-target.ts";
import { toToken } from "../collections/tokens.ts";
import type { ServiceContext } from "../context.ts";
import type { TransactionRecord } from "../wallet/interface.ts";
import type { Operation } from "./kind.ts";
import { heightOf } from "./records.ts";

/** A request about tokens of a collection. */
interface OnTokens extends CollectionTarget {
  /** Base address of the gateway. */
  readonly base: string;
}

/** Tokens as they are after an operation's transactions, without those that their owners have burnt since. */
export const tokensAfter = async (
  context: ServiceContext,
  { request, subjectId }: Pick<Operation<OnTokens>, "request" | "subjectId">,
  records: readonly TransactionRecord[],
  tokenIds: readonly string[],
): Promise<Token[]> => {
  const { contract, collectionId, base } = request;
  const views = contractViews(connectFor(context), contract, heightOf(records));
  const home = { collectionUuid: subjectId, collectionId, contract, base };
  return (await views.tokens(tokenIds)).flatMap((token) => (token ? [toToken(token, home)] : []));
};
