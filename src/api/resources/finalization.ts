import { z } from "@hono/zod-openapi";
import { collectionView } from "./collection.ts";
import { transactionView } from "./operation.ts";
import { CONTRACT, DIRECTORY_CID, DIRECTORY_URL, FILE_CID, FILE_URL, type Shown } from "./samples.ts";

/** A collection's files on IPFS: one directory. */
const ipfsResultView = z
  .object({
    root_cid: z.string().openapi({ description: "CID of the UnixFS directory.", example: DIRECTORY_CID }),
    root_url: z.url().openapi({ example: DIRECTORY_URL }),
    total_size: z.int().openapi({ description: "Bytes of all blocks.", example: 48_213 }),
    files: z.array(
      z.object({
        name: z.string().openapi({ example: "heron.png" }),
        cid: z.string().openapi({ example: FILE_CID }),
        size: z.int().openapi({ description: "Bytes.", example: 3_902 }),
        media_type: z.string().openapi({ example: "image/png" }),
        url: z.url().openapi({ example: FILE_URL }),
      }),
    ),
  })
  .openapi("IpfsResult");

/** A collection's files, as callers see them. */
export type IpfsResult = Shown<typeof ipfsResultView>;

/** The response to a finalization: the collection with its files and transactions. */
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
