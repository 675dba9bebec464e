import { z } from "@hono/zod-openapi";
import { DIRECTORY_CID, DIRECTORY_URL, FILE_CID, FILE_URL } from "./samples.ts";
import type { Shown } from "./shown.ts";

/** A collection's files on IPFS: one directory. */
export const ipfsResultView = z
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
