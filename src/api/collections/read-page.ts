import { z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { type CollectionPageRow, PAGE } from "../../db/queries/collection-pages.ts";
import { collectionPages, collections } from "../../db/schema/index.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { endpoint, json } from "../endpoint.ts";
import { creatorView, toCreator } from "../resources/creator.ts";
import type { Shown } from "../resources/samples.ts";
import { collectionParam } from "../schemas/parameters.ts";

/** The page of an integration's collection, null if it has none; undefined: there is no such collection. */
export const findPage = async (
  db: Database,
  integrationId: Uuid,
  collectionId: Uuid,
): Promise<CollectionPageRow | null | undefined> => {
  const row = await db
    .select({ page: PAGE })
    .from(collections)
    .leftJoin(collectionPages, eq(collectionPages.collectionId, collections.id))
    .where(and(eq(collections.id, collectionId), eq(collections.integrationId, integrationId)))
    .get();
  return row?.page;
};

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
    creator: creatorView,
    about: z.string().nullable().openapi({ description: "Markdown.", example: "Painted **after dark**." }),
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
export type CollectionPage = Shown<typeof collectionPageView>;

/** A page as the API shows it. @param base the address of the service */
export const toPage = (row: Omit<CollectionPageRow, "traitsCursor">, base: string): CollectionPage => ({
  collection_uuid: row.collectionId,
  slug: row.slug,
  cover_asset_uuid: row.coverAssetId,
  theme: row.theme,
  links: row.links,
  creator: toCreator(row, base),
  about: row.about,
  enabled: row.enabled,
  mint_url: `${base}/m/${row.slug}`,
  gallery_url: `${base}/g/${row.slug}`,
  claim_url: `${base}/c/${row.slug}`,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

/** No collection of the caller has this id. */
export const noCollection = (): ServiceError =>
  new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");

export const pageRead = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/page",
    operationId: "getCollectionPage",
    scope: "read",
    tag: "Collections",
    summary: "Read how a collection is shown to collectors",
    request: { params: collectionParam },
    success: { 200: json("The page.", collectionPageView) },
  },
  async ({ context, caller, params }) => {
    const row = await findPage(context.db, caller.integrationId, params.collection_uuid);
    if (row === undefined) throw noCollection();
    if (row !== null) return toPage(row, caller.baseUrl);
    throw new ServiceError("not_found", "This collection has no page yet. Send a PUT to this address.");
  },
);
