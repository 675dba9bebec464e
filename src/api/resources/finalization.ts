import { z } from "@hono/zod-openapi";
import { collectionView } from "./collection.ts";
import { transactionView } from "./operation.ts";
import {
  CONTRACT,
  DIRECTORY_CID,
  DIRECTORY_URL,
  FILE_CID,
  FILE_URL,
  type Shown,
  text,
  whole,
} from "./samples.ts";

const ipfsResultView = z
  .object({
    root_cid: text("CID of the UnixFS directory.", DIRECTORY_CID),
    root_url: z.url().openapi({ example: DIRECTORY_URL }),
    total_size: whole("Bytes of all blocks.", 48_213),
    files: z.array(
      z.object({
        name: z.string().openapi({ example: "heron.png" }),
        cid: z.string().openapi({ example: FILE_CID }),
        size: whole("Bytes.", 3_902),
        media_type: z.string().openapi({ example: "image/png" }),
        url: z.url().openapi({ example: FILE_URL }),
      }),
    ),
  })
  .openapi("IpfsResult");
export type IpfsResult = Shown<typeof ipfsResultView>;

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
