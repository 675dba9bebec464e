import type { z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import { workOutTraits } from "../../collections/traits.ts";
import type { Caller, RequestKey, ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { recordChange } from "../../db/queries/audit.ts";
import {
  type CollectionPageRow,
  FROM_START,
  PAGE,
  type PageChanges,
} from "../../db/queries/collection-pages.ts";
import { type KeyWithResponse, keepWithEffect, runKeyedBatch } from "../../db/queries/idempotency.ts";
import { collectionPages, collections } from "../../db/schema/index.ts";
import { violated } from "../../db/statements.ts";
import { cleared } from "../../domain/collector-pages.ts";
import { invalidField, ServiceError } from "../../domain/errors.ts";
import { toHex, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { collectionPageBody } from "./page-input.ts";
import { collectionPageView, findPage, noCollection, toPage } from "./read-page.ts";

/**
 * Stores or changes the page of an integration's collection, unless the cover is no asset of it, or the page isn't as
 * it was read. @param asRead the page as read, null where there was none, and the answer to keep; null: it may be as it
 * is @returns whether there is such a collection, and the page then; undefined: it was not stored @throws ServiceError
 * idempotency_key_in_flight
 */
const keepPage = async (
  context: ServiceContext,
  integrationId: Uuid,
  { collectionId, now, ...changes }: PageChanges & { readonly now: Date },
  asRead: { readonly read: CollectionPageRow | null; readonly answered: KeyWithResponse } | null,
): Promise<{ readonly isThere: boolean; readonly page: CollectionPageRow | undefined }> => {
  const { db } = context;
  const { slug, enabled, coverAssetId = null, theme = null, links = [] } = changes;
  const { about = null, creatorPicture = null, creator } = changes;
  const id = uuidToBytes(collectionId);
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const own = sql`id = ${id} AND integration_id = ${uuidToBytes(integrationId)}`;
  const cover = coverAssetId && uuidToBytes(coverAssetId);
  const isAsset = sql`EXISTS (SELECT 1 FROM draft_assets WHERE id = ${cover}
    AND draft_id = (SELECT draft_id FROM collections WHERE id = ${id}))`;
  const page = sql`FROM collection_pages WHERE collection_id = ${id}`;
  const isAsRead = asRead?.read
    ? sql`EXISTS (SELECT 1 ${page} AND updated_at = ${asRead.read.updatedAt.getTime()})`
    : sql`NOT EXISTS (SELECT 1 ${page})`;
  const where = sql`FROM collections WHERE ${own} AND ${cover === null ? sql`true` : isAsset}
    AND ${asRead === null ? sql`true` : isAsRead}`;
  const find = db.select({ id: collections.id }).from(collections).where(own);
  const patched = creator && sql`json_patch(coalesce(collection_pages.creator, '{}'), ${json(creator)})`;
  const keep = db
    .insert(collectionPages)
    .select(sql`
      SELECT ${id}, ${slug}, ${cover}, ${json(theme)}, ${json(links)}, ${Number(enabled)}, ${FROM_START},
        ${now.getTime()}, ${now.getTime()}, ${creator ? json(cleared(creator)) : null}, ${about}, ${creatorPicture} ${where}`)
    .onConflictDoUpdate({
      target: collectionPages.collectionId,
      // Each change has a distinct time, whatever the clock says: it shows whether a page has changed since it was read.
      set: {
        ...changes,
        // Absent fields of a creator stay.
        creator: patched,
        updatedAt: sql`max(${now.getTime()}, collection_pages.updated_at + 1)`,
      },
    })
    .returning(PAGE);
  const answered = asRead?.answered ?? null;
  const condition = sql`EXISTS (SELECT 1 ${where})`;
  const shown = {
    slug,
    enabled,
    cover_asset_uuid: changes.coverAssetId,
    theme: changes.theme,
    links: changes.links,
    creator,
    about: changes.about,
  };
  const audited = { action: "page.changed", subjectId: collectionId, changes: shown } as const;
  const given = Object.entries({
    slug,
    enabled: Number(enabled),
    cover_asset_id: changes.coverAssetId && uuidToBytes(changes.coverAssetId),
    theme: changes.theme === undefined ? undefined : json(changes.theme),
    links: changes.links === undefined ? undefined : json(changes.links),
    about: changes.about,
    creator: patched,
    creator_picture: changes.creatorPicture,
  }).filter(([, value]) => value !== undefined);
  const isSame = sql.join(
    given.map(([column, value]) => sql`${sql.identifier(column)} IS ${value}`),
    sql` AND `,
  );
  const isChange = sql`${condition} AND NOT EXISTS (SELECT 1 ${page} AND ${isSame})`;
  const entry = recordChange(context, integrationId, audited, isChange);
  const results = await runKeyedBatch(db, [find, ...keepWithEffect(db, answered, condition), ...entry, keep]);
  const [stored] = results.at(-1) as Awaited<typeof keep>;
  return { isThere: results[0].length > 0, page: stored };
};

/** From here on the collection's mints are noted for its page. That one fails to be stored does no harm. */
const noteThatItHasPage = async (context: ServiceContext, integrationId: Uuid, id: Uuid): Promise<void> => {
  await ledgerOf(context, integrationId)
    .update(collections)
    .set({ hasPage: true })
    .where(and(eq(collections.id, id), eq(collections.hasPage, false)));
};

/** The current page, and the response to store that shows it with the changes. @throws ServiceError not_found */
const pageAsRead = async (
  { db }: ServiceContext,
  { integrationId, baseUrl }: Caller,
  requestKey: RequestKey,
  {
    now,
    coverAssetId,
    theme,
    links,
    about,
    creator,
    creatorPicture: _,
    ...given
  }: PageChanges & { readonly now: Date },
) => {
  const read = await findPage(db, integrationId, given.collectionId);
  if (read === undefined) throw noCollection();
  const page = toPage(
    {
      ...given,
      coverAssetId: coverAssetId === undefined ? (read?.coverAssetId ?? null) : coverAssetId,
      theme: theme === undefined ? (read?.theme ?? null) : theme,
      links: links ?? read?.links ?? [],
      about: about === undefined ? (read?.about ?? null) : about,
      creator:
        creator === undefined
          ? (read?.creator ?? null)
          : creator && cleared({ ...read?.creator, ...creator }),
      createdAt: read?.createdAt ?? now,
      updatedAt: new Date(Math.max(now.getTime(), read === null ? 0 : read.updatedAt.getTime() + 1)),
    },
    baseUrl,
  );
  return { read, answered: await requestKey.keeps(200, JSON.stringify(page)) };
};

/** The creator's changes, with its picture's digest in place of the picture. */
const creatorChanges = async (
  given: z.output<typeof collectionPageBody>["creator"],
): Promise<Pick<PageChanges, "creator" | "creatorPicture">> => {
  if (given === undefined) return {};
  if (given === null) return { creator: null, creatorPicture: null };
  const { picture, ...creator } = given;
  if (picture === undefined) return { creator };
  if (picture === null) return { creator: { ...creator, picture }, creatorPicture: picture };
  const digest = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", picture.slice())));
  return { creator: { ...creator, picture: digest.slice(0, 16) }, creatorPicture: picture };
};

export const pageUpdate = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/page",
    operationId: "updateCollectionPage",
    scope: "update",
    tag: "Collections",
    summary: "Show a collection to collectors, with a mint page and a gallery",
    description:
      "`slug` and `enabled` are needed each time; of the others, absent ones stay and null clears. The pages are at `/m/{slug}` and `/g/{slug}` of this service as long as `enabled` is true, and need no key. docs/pages.md explains them.",
    request: {
      params: collectionParam,
      body: jsonBody(collectionPageBody, {
        slug: "night-herons",
        theme: { accent: "#1f6f54" },
        links: [{ label: "The artist", url: "https://example.com" }],
        creator: { name: "Ada Heron", url: "https://example.com" },
        about: "Twelve herons, painted **after dark**.",
        enabled: true,
      }),
    },
    success: { 200: json("The page as it is now.", collectionPageView) },
    errors: ["conflict"],
  },
  async ({ context, caller, params: { collection_uuid: id }, body }) => {
    const { slug, cover_asset_uuid: coverAssetId, theme, links, about, enabled } = body;
    const { db } = context;
    const creator = await creatorChanges(body.creator);
    const given = {
      slug,
      enabled,
      coverAssetId,
      theme,
      about,
      links: links === null ? [] : links,
      ...creator,
    };
    await noteThatItHasPage(context, caller.integrationId, id);
    for (;;) {
      const changes = { collectionId: id, ...given, now: context.now() };
      const asRead = caller.requestKey && (await pageAsRead(context, caller, caller.requestKey, changes));
      const kept = keepPage(context, caller.integrationId, changes, asRead).catch((error: unknown) => {
        if (!violated(error, "UNIQUE", "collection_pages.slug")) throw error;
        throw new ServiceError("conflict", `Choose another slug: ${slug} is the address of another page.`);
      });
      const { isThere, page } = await kept;
      if (!isThere) throw noCollection();
      if (page) {
        // Most collections' traits are known at once; the scheduled job continues with those of large ones.
        if (enabled && page.traitsCursor !== null) {
          const failed = (error: unknown) => context.log("traits.failed", { collection_uuid: id, error });
          context.waitUntil(workOutTraits(context, id).catch(failed));
        }
        return toPage(page, caller.baseUrl);
      }
      const now = await findPage(db, caller.integrationId, id);
      const isUnchanged = asRead?.read?.updatedAt.getTime() === now?.updatedAt.getTime();
      if (!asRead || (coverAssetId && isUnchanged))
        throw invalidField(["cover_asset_uuid"], "Give the asset_uuid of an asset of this collection.");
    }
  },
);
