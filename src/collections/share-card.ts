import type { ServiceContext } from "../context.ts";
import { rateLimited, ServiceError } from "../domain/errors.ts";
import { resolvePath } from "../files/gateway/contents.ts";
import type { Stored } from "../files/gateway/stored-blocks.ts";
import { cardOf } from "../files/gateway/thumbnail.ts";
import { cardKey } from "../files/storage/keys.ts";
import type { Card } from "./pages/card.ts";
import { CARD_FONT } from "./pages/scripts.ts";

/** The work of a card, if this gateway has it. @param base the service's own address */
const workOf = async (context: ServiceContext, url: string | null, base: string): Promise<Stored | null> => {
  if (!url?.startsWith(`${base}/ipfs/`)) return null;
  const [cid = "", ...names] = new URL(url).pathname.split("/").slice(2).map(decodeURIComponent);
  try {
    return (await resolvePath(context, cid, names)).stored;
  } catch (error) {
    // Another file than the service stores, as an integration may have set.
    if (error instanceof ServiceError && ["not_found", "invalid_request"].includes(error.code)) return null;
    throw error;
  }
};

/**
 * The card of a page as WebP: kept in R2 until something of it changes, one for each page. @param number of the NFT; null: the
 * collection's @throws ServiceError rate_limited while too many pictures are being made
 */
export const shareCard = async (
  context: ServiceContext,
  { slug, number, card }: { readonly slug: string; readonly number: number | null; readonly card: Card },
  base: string,
): Promise<Uint8Array> => {
  const { BUCKET } = context.env;
  const key = cardKey(slug, number);
  const known = await BUCKET.get(key);
  if (known?.customMetadata?.digest === card.digest) return new Uint8Array(await known.arrayBuffer());
  await known?.body.cancel();
  const font = new Uint8Array(Buffer.from(CARD_FONT, "base64"));
  const made = await cardOf(context, await workOf(context, card.url, base), { texts: card.texts, font });
  if (made === "busy") throw rateLimited("Too many pictures are being made.", 5);
  await BUCKET.put(key, made, { customMetadata: { digest: card.digest } });
  return made;
};
