import { z } from "@hono/zod-openapi";
import { FILE_HASH, type Shown, text, whole } from "./samples.ts";

export const hiddenOrderView = z
  .object({
    collection_uuid: z.uuid(),
    collection_id: whole("The id on-chain.", 7),
    commitment: text("base64, as the contract has it.", FILE_HASH),
    batches: z
      .array(
        z.object({
          asset_uuids: z.array(z.uuid()),
          assets: text("base64 of the batch: `assets` of the contract's collection_reveal.", "IAAAAA=="),
          next: text(
            "base64 of 32 bytes: `next` of collection_reveal; the salt in the last batch.",
            FILE_HASH,
          ),
        }),
      )
      .openapi({ description: "In the order in which collection_reveal takes them." }),
  })
  .openapi("HiddenOrder");
export type HiddenOrder = Shown<typeof hiddenOrderView>;
