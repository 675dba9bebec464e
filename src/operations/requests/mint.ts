import { targetOf } from "../../collections/collection-target.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { mintProblem } from "../../domain/mint-limits.ts";
import type { MintRequest } from "../../domain/requests.ts";
import { resolveMetadata } from "../../uploads/token-metadata.ts";
import { performWithFiles } from "../engine/accept.ts";
import type { MintOperation } from "../kinds/mint.ts";

/**
 * Mints tokens of a collection to accounts, each of a copy drawn at random.
 * @throws ServiceError not_found, mint_limit_exceeded, asset_url_failed, sold_out, contract_storage_unpaid, and
 * whatever else a write to the chain may end with
 */
export const mint = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  body: MintRequest,
): Promise<Answer> => {
  const { receiver_addresses: receivers, quantity_per_receiver: quantity } = body;
  const problem = mintProblem(receivers.length, quantity);
  if (problem) throw problem;
  const target = await targetOf(context, caller, collectionUuid);
  const { override, files } = await resolveMetadata(context, caller, body.metadata ?? {}, ["metadata"]);
  const request: MintOperation = {
    ...target,
    receivers,
    quantity,
    metadata: Object.keys(override).length > 0 ? override : null,
    base: caller.baseUrl,
  };
  return performWithFiles(context, caller, { kind: "mint", subjectId: collectionUuid, request }, files);
};
