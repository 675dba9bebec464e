import { z } from "@hono/zod-openapi";
import { settingsView } from "./collection.ts";
import type { Shown } from "./samples.ts";

export const draftView = z
  .object({
    collection_draft_uuid: z.uuid(),
    contract_uuid: z.uuid(),
    state: z.enum(["draft", "finalizing", "finalized"]),
    collection_uuid: z.uuid().nullable().openapi({ description: "The collection that the draft became." }),
    operation_uuid: z
      .uuid()
      .nullable()
      .openapi({ description: "The finalization's operation, once accepted." }),
    ...settingsView,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("CollectionDraft");
export type Draft = Shown<typeof draftView>;
