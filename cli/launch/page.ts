import {
  type CollectionPage,
  ConflictError,
  type MintageClient,
  NotFoundError,
} from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import type { Read } from "./prices.ts";

/** What `page` in the folder says: no page, one at this last part of an address, or one whose address the title gives. */
export type WantedPage = { readonly slug: string } | "none" | "by_title";

const LONGEST = 64;
const SHORTEST = 3;

/** The service's rule for slugs. */
export const readPage = (text: string): Read<WantedPage> => {
  if (/^(no|false)$/i.test(text)) return { value: "none" };
  if (/^(yes|true)$/i.test(text)) return { value: "by_title" };
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length >= SHORTEST && text.length <= LONGEST)
    return { value: { slug: text } };
  return {
    problem: `give the last part of the pages' address: ${SHORTEST} to ${LONGEST} lower-case letters and digits with single hyphens between them, or no; it is "${text}"`,
  };
};

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

/**
 * Shows a collection to collectors, as an earlier run did or as the folder says.
 * @returns null where the folder wants no page
 */
export async function showPage(
  client: MintageClient,
  { uuid, title, number }: { readonly uuid: string; readonly title: string; readonly number: number },
  wanted: WantedPage,
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
  if (there) return there;
  const slug = wanted === "by_title" ? slugOf(title, number) : wanted.slug;
  try {
    return await client.collections.setPage(uuid, { slug, enabled: true });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new UsageError(
      `The collection is on the chain, but ${slug} is the address of another page. Choose another, such as page: ${slug.slice(0, LONGEST - 2)}-2, and run it again.`,
    );
  }
}
