import { z } from "@hono/zod-openapi";
import type { Shown } from "./samples.ts";

/** How a collection is shown to collectors, as its integration sees it. */
export const collectionPageView = z
  .object({
    collection_uuid: z.uuid(),
    slug: z.string().openapi({ example: "night-herons" }),
    cover_asset_uuid: z.uuid().nullable().openapi({ description: "null: the collection's first asset." }),
    theme: z
      .object({ accent: z.string() })
      .nullable()
      .openapi({ example: { accent: "#1f6f54" } }),
    links: z.array(z.object({ label: z.string(), url: z.url() })),
    enabled: z.boolean(),
    mint_url: z.url().openapi({ example: "https://mint.example.com/m/night-herons" }),
    gallery_url: z.url().openapi({ example: "https://mint.example.com/g/night-herons" }),
    claim_url: z.url().openapi({
      description: "A claim link is this address, `#` and what only its holder knows.",
      example: "https://mint.example.com/c/night-herons",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("CollectionPage");

/** A collection's page, as callers see it. */
export type CollectionPage = Shown<typeof collectionPageView>;
