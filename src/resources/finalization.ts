import { z } from "@hono/zod-openapi";
import { collectionView } from "./collection.ts";
import { ipfsResultView } from "./ipfs.ts";
import { transactionView } from "./operation.ts";
import { CONTRACT } from "./samples.ts";
import type { Shown } from "./shown.ts";

/** The answer of a finalization: the collection with its files and transactions. */
export const finalizedView = z
  .object({
    message: z.literal("success"),
    ipfs_result: ipfsResultView,
    contract_address: z.string().openapi({ example: CONTRACT }),
    near_collection: collectionView,
    collection_uuid: z.uuid(),
    tx_results: z.array(transactionView),
  })
  .openapi("FinalizeAnswer");

export type FinalizeAnswer = Shown<typeof finalizedView>;
