import type { ContractToken } from "../chain/contract/views.ts";
import type { Uuid } from "../domain/ids.ts";
import { gatewayUrl } from "../gateway/address.ts";
import type { Token } from "../resources/token.ts";

/** The collection of a token, by its three names. */
export interface TokenHome {
  readonly collectionUuid: Uuid;
  readonly collectionId: number;
  readonly contract: string;
  /** Base address of the gateway. */
  readonly base: string;
}

/** A token as callers see it. `media` and `reference` are CIDs, as the contract has them. */
export const toToken = (token: ContractToken, home: TokenHome): Token => ({
  token_id: token.token_id,
  owner_id: token.owner_id,
  metadata: token.metadata,
  approved_account_ids: token.approved_account_ids,
  locks: token.locks ?? [],
  collection_uuid: home.collectionUuid,
  collection_id: home.collectionId,
  contract_address: home.contract,
  media_url: token.metadata.media && gatewayUrl(home.base, token.metadata.media),
  reference_url: token.metadata.reference && gatewayUrl(home.base, token.metadata.reference),
});
