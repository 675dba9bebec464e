import { readableOf } from "../../collections/collection-target.ts";
import { requireUpgraded } from "../../collections/contract-release.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { NftUpdateRequest } from "../../domain/requests.ts";
import { parseTokenId } from "../../domain/token-ids.ts";
import { resolveMetadata } from "../../uploads/token-metadata.ts";
import { performWithFiles } from "../engine/accept.ts";
import type { NftUpdateOperation } from "../kinds/nft-update.ts";

/**
 * Changes the metadata of one token of a collection.
 * @throws ServiceError not_found, conflict (a contract of a former release), invalid_request (no field to change), asset_url_failed, and whatever else a write to
 * the chain may end with
 */
export const updateNft = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  body: NftUpdateRequest,
): Promise<Answer> => {
  const { token_id: tokenId, ...metadata } = body;
  const { views, ...target } = await readableOf(context, caller, collectionUuid);
  const parsed = parseTokenId(tokenId);
  if (parsed?.collectionId !== target.collectionId) throw noToken(tokenId);
  const [token] = await views.tokens([tokenId]);
  if (!token) throw noToken(tokenId);
  await requireUpgraded(context, target.contract);
  const { override, files } = await resolveMetadata(context, caller, metadata, []);
  if (Object.keys(override).length === 0) throw nothingToChange();
  const request: NftUpdateOperation = {
    ...target,
    tokenId,
    changes: override,
    base: caller.baseUrl,
  };
  return performWithFiles(context, caller, { kind: "nft_update", subjectId: collectionUuid, request }, files);
};

const noToken = (tokenId: string): ServiceError =>
  new ServiceError(
    "not_found",
    `This collection has no token ${JSON.stringify(tokenId)}. Check its token_id.`,
  );

const nothingToChange = (): ServiceError =>
  new ServiceError("invalid_request", "Give at least one field to change beside token_id.", {
    issues: [{ path: [], message: "Give at least one field to change." }],
  });
