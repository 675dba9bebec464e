import type { Token } from "../api/resources/token.ts";
import { contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { CollectionTarget } from "../collections/collection-target.ts";
import { toToken } from "../collections/tokens.ts";
import type { ServiceContext } from "../context.ts";
import type { Operation } from "./kind.ts";

/** A request about tokens of a collection. */
export interface OnTokens extends CollectionTarget {
  /** Base address of the gateway. */
  readonly base: string;
}

/** Tokens as they are from a height on, without those that their owners have burnt since. */
export const tokensAfter = async (
  context: ServiceContext,
  { request, subjectId }: Pick<Operation<OnTokens>, "request" | "subjectId">,
  height: number,
  tokenIds: readonly string[],
): Promise<Token[]> => {
  const { contract, collectionId, base } = request;
  const views = contractViews(connectFor(context), contract, height);
  const home = { collectionUuid: subjectId, collectionId, contract, base };
  return (await views.tokens(tokenIds)).flatMap((token) => (token ? [toToken(token, home)] : []));
};
