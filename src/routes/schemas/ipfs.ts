import { z } from "@hono/zod-openapi";

/** A collection's files on IPFS: one directory. */
export const ipfsResultView = z
  .object({
    root_cid: z.string().openapi({ description: "CID of the UnixFS directory." }),
    root_url: z.url(),
    total_size: z.int().openapi({ description: "Bytes of all blocks." }),
    files: z.array(
      z.object({
        name: z.string(),
        cid: z.string(),
        size: z.int().openapi({ description: "Bytes." }),
        media_type: z.string(),
        url: z.url(),
      }),
    ),
  })
  .openapi("IpfsResult");
