import { env } from "cloudflare:workers";
import { openDatabase } from "../../src/db/client.ts";
import { DraftAssets } from "../../src/db/draft-assets.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import {
  type FinalizeOperation,
  type FinalizePlan,
  readBatch,
} from "../../src/operations/kinds/finalize-plan.ts";
import { inLedgers } from "./ledgers.ts";

// What a finalization was accepted with. It is nowhere in the API, and a later release goes on by it.

export { addAssets, createCollection } from "../../src/chain/contract/calls.ts";

const idOf = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");

/** The request in a finalization's row. */
export const storedFinalization = async (operation: string): Promise<FinalizeOperation> => {
  const found = await inLedgers<{ request: string }>(
    "SELECT request FROM operations WHERE id = ?",
    idOf(operation),
  );
  return JSON.parse(found[0]!.request) as FinalizeOperation;
};

/** Gives a finalization another plan, as another release would have made it. */
export const storePlan = async (operation: string, plan: FinalizePlan): Promise<void> => {
  const sql = "UPDATE operations SET request = json_set(request, '$.plan', json(?)) WHERE id = ?";
  await inLedgers(sql, JSON.stringify(plan), idOf(operation));
};

/** Assets of a draft as a call of the contract takes them. */
export const plannedBatch = (draft: string, planned: FinalizePlan["batches"][number]) =>
  readBatch(new DraftAssets(openDatabase(env.DB), draft as Uuid), planned);

/** A collection's name for the contract. */
export const externalIdOf = (collectionUuid: string): Uint8Array => new Uint8Array(idOf(collectionUuid));
