import type { Collection } from "../api/resources/collection.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import { type CollectionRow, findCollection } from "../db/queries/collections.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { LOCKS } from "../domain/locks.ts";
import { revealState } from "../domain/reveal.ts";
import { asShown } from "../domain/settings.ts";
import { dagPbCid } from "../files/ipfs/cid.ts";

/** Counts of a phase that wasn't read yet. */
const NO_COUNT = {
  allowlist: { minted: 0, allowlisted: 0 },
  public: { minted: 0, allowlisted: null },
} as const;

export const toCollection = ({ collection, contractAccountId, codeState }: CollectionRow): Collection => {
  const { phases, ...settings } = asShown(collection.settings);
  return {
    collection_uuid: collection.id,
    collection_id: collection.onChainId,
    collection_draft_uuid: collection.draftId,
    contract_uuid: collection.contractId,
    contract_address: contractAccountId,
    ...settings,
    phases: phases.map((phase) => ({
      ...phase,
      ...(collection.phaseCounts?.[phase.phase] ?? NO_COUNT[phase.kind]),
    })),
    total_copies: collection.total,
    total_assets: collection.assets,
    minted: collection.minted,
    earned: collection.earned,
    locks: LOCKS.filter((lock) => collection.locks[lock]),
    ongoing_royalties_can_change: !collection.locks.royalties,
    contract_code: { ...codeState, locked: codeState.locked || collection.locks.code === true },
    ipfs_root_cid: dagPbCid(collection.ipfsRoot),
    reveal: collection.reveal && {
      state: revealState(collection.reveal.shown, collection.assets),
      shown: collection.reveal.shown,
      commitment: collection.reveal.commitment,
      at: collection.revealAt?.toISOString() ?? null,
    },
    pin_state: collection.pinState,
    created_at: collection.createdAt.toISOString(),
    updated_at: collection.updatedAt.toISOString(),
  };
};

/** The row of one of the caller's collections, with its contract. @throws ServiceError not_found */
export const requireCollection = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  id: Uuid,
) => {
  const row = await findCollection(ledgerOf(context, integrationId), id);
  if (!row) throw new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");
  return row;
};

/** One collection. @throws ServiceError not_found */
export const readCollection = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  id: Uuid,
): Promise<Collection> => toCollection(await requireCollection(context, caller, id));
