// showcase/: what collectors are shown of a collection: its page's settings, the collection and its tokens as the chain
// has them, their traits, and what became of a mint. Nothing of a draft, and nothing that a reveal has still to show.

import type { Caller, RequestKey, ServiceContext } from "../context.ts";
import {
  type CollectionPageRow,
  findPage,
  isSlugTaken,
  keepPage,
  type PageChanges,
} from "../db/queries/collection-pages.ts";
import type { PageLink, PageTheme } from "../domain/collector-pages.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { CollectionPage } from "../resources/collection-page.ts";
import { workOutTraits } from "./traits.ts";

/** What a caller says of a page; what is undefined stays, null clears. */
export interface PageRequest {
  readonly slug: string;
  readonly cover_asset_uuid?: Uuid | null;
  readonly theme?: PageTheme | null;
  readonly links?: readonly PageLink[] | null;
  readonly enabled: boolean;
}

const logFailure = (context: ServiceContext, id: Uuid) => (error: unknown) =>
  context.log("traits.failed", { collection_uuid: id, error });

const toPage = (row: Omit<CollectionPageRow, "traitsCursor">, base: string): CollectionPage => ({
  collection_uuid: row.collectionId,
  slug: row.slug,
  cover_asset_uuid: row.coverAssetId,
  theme: row.theme,
  links: row.links,
  enabled: row.enabled,
  mint_url: `${base}/m/${row.slug}`,
  gallery_url: `${base}/g/${row.slug}`,
  claim_url: `${base}/c/${row.slug}`,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

const noCollection = (): ServiceError =>
  new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");

/** How one of the caller's collections is shown to collectors. @throws ServiceError not_found */
export const readPage = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
): Promise<CollectionPage> => {
  const row = await findPage(context.db, caller.integrationId, id);
  if (row === undefined) throw noCollection();
  if (row !== null) return toPage(row, caller.baseUrl);
  throw new ServiceError("not_found", "This collection has no page yet. Send a PUT to this address.");
};

/** Sets up or changes a collection's page. @throws ServiceError not_found; invalid_request; conflict if the slug is taken */
export const changePage = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
  { slug, cover_asset_uuid: coverAssetId, theme, links, enabled }: PageRequest,
): Promise<CollectionPage> => {
  const { db } = context;
  const given = { slug, enabled, coverAssetId, theme, links: links === null ? [] : links };
  for (;;) {
    const changes = { collectionId: id, ...given, now: context.now() };
    const asRead = caller.requestKey && (await pageAsRead(context, caller, caller.requestKey, changes));
    const { isThere, page } = await keepPage(db, caller.integrationId, changes, asRead).catch(
      (error: unknown) => {
        if (!isSlugTaken(error)) throw error;
        throw new ServiceError("conflict", `Choose another slug: ${slug} is the address of another page.`);
      },
    );
    if (!isThere) throw noCollection();
    if (page) {
      // Most collections' traits are known at once; the scheduled job goes on with those of large ones.
      if (enabled && page.traitsCursor !== null) {
        context.waitUntil(workOutTraits(context, id).catch(logFailure(context, id)));
      }
      return toPage(page, caller.baseUrl);
    }
    const isUnchanged = asRead && isSame(asRead.read, await findPage(db, caller.integrationId, id));
    if (!asRead || (coverAssetId && isUnchanged)) throw noSuchCover();
  }
};

/** Whether nothing has changed a page since it was read. */
const isSame = (read: CollectionPageRow | null, now: CollectionPageRow | null | undefined): boolean =>
  read?.updatedAt.getTime() === now?.updatedAt.getTime();

/** A page as it is, and how the answer is kept that shows it with changes. @throws ServiceError not_found */
const pageAsRead = async (
  { db }: ServiceContext,
  { integrationId, baseUrl }: Caller,
  requestKey: RequestKey,
  { now, coverAssetId, theme, links, ...given }: PageChanges & { readonly now: Date },
) => {
  const read = await findPage(db, integrationId, given.collectionId);
  if (read === undefined) throw noCollection();
  const page = toPage(
    {
      ...given,
      coverAssetId: coverAssetId === undefined ? (read?.coverAssetId ?? null) : coverAssetId,
      theme: theme === undefined ? (read?.theme ?? null) : theme,
      links: links ?? read?.links ?? [],
      createdAt: read?.createdAt ?? now,
      updatedAt: new Date(Math.max(now.getTime(), read === null ? 0 : read.updatedAt.getTime() + 1)),
    },
    baseUrl,
  );
  return { read, answered: await requestKey.keeps(200, JSON.stringify(page)) };
};

const noSuchCover = (): ServiceError => {
  const message = "Give the asset_uuid of an asset of this collection.";
  return new ServiceError("invalid_request", `Correct cover_asset_uuid: ${message}`, {
    issues: [{ path: ["cover_asset_uuid"], message }],
  });
};
