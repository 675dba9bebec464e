import {
  type CollectionPage,
  ConflictError,
  type MintageClient,
  NotFoundError,
} from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { differs, LONGEST, type PageSettings, pageChanges, type WantedPage } from "./page-settings.ts";

/** A slug that a title makes. The number keeps apart what titles don't. */
export const slugOf = (title: string, number: number): string => {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .match(/[a-z0-9]+/g);
  const name = (words ?? ["collection"]).join("-").slice(0, LONGEST - 12);
  return `${name.replace(/-$/, "")}-${number}`;
};

/** A collection, and the draft that it was. */
interface Home {
  readonly uuid: string;
  readonly draftUuid: string;
  readonly title: string;
  readonly number: number;
}

/** The asset of the media file with this name. */
async function assetNamed(client: MintageClient, draftUuid: string, name: string): Promise<string | null> {
  for await (const { asset_uuid: uuid, asset_filename: filename } of client.drafts.assets(draftUuid))
    if (filename === name) return uuid;
  return null;
}

/**
 * Shows a collection to collectors, as an earlier run did or as the folder says.
 * What a page shows may change after the launch, but not its address.
 * @returns null where the folder wants no page
 */
export async function showPage(
  client: MintageClient,
  { uuid, draftUuid, title, number }: Home,
  wanted: WantedPage,
  settings: PageSettings,
): Promise<CollectionPage | null> {
  if (wanted === "none") return null;
  const there = await client.collections.page(uuid).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (there && wanted !== "by_title" && there.slug !== wanted.slug) {
    throw new UsageError(
      `The collection's pages are at ${there.slug}, not at ${wanted.slug}. Move them with PUT /collection/${uuid}/page, or restore page in the folder.`,
    );
  }
  const cover = settings.cover === null ? null : await assetNamed(client, draftUuid, settings.cover);
  const changes = pageChanges(settings, cover);
  if (there && !differs(there, changes)) return there;
  if (there)
    return client.collections.setPage(uuid, { slug: there.slug, enabled: there.enabled, ...changes });
  const slug = wanted === "by_title" ? slugOf(title, number) : wanted.slug;
  try {
    return await client.collections.setPage(uuid, { slug, enabled: true, ...changes });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new UsageError(
      `The collection is on the chain, but ${slug} is the address of another page. Choose another, such as page: ${slug.slice(0, LONGEST - 2)}-2, and run it again.`,
    );
  }
}
