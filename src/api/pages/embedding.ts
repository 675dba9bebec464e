import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { CARD_PATH, cardOfPage } from "../../collections/pages/card.ts";
import { OEMBED } from "../../collections/pages/frame.tsx";
import { SCRIPTS } from "../../collections/pages/scripts.ts";
import { shareCard } from "../../collections/share-card.ts";
import { ServiceError } from "../../domain/errors.ts";
import { countAddress } from "../../http/address-limit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { baseUrl } from "../../http/app-env.ts";
import { briefReads } from "../public/brief-reads.ts";

/** Address of the script that makes `<mintage-mint>`, which others write into their pages and so never changes. */
const ELEMENT = "/public/v1/embed.js";

/** The slug of a mint page, a gallery or one of its NFTs by its address. @throws ServiceError not_found */
const slugOf = (url: string | undefined, base: string): string => {
  const path = url?.startsWith(`${base}/`) ? url.slice(base.length) : "";
  const slug = /^\/[mg]\/([^/?#]+)/.exec(path)?.[1];
  if (slug) return slug;
  throw new ServiceError("not_found", "Give the address of a mint page or gallery of this service as url.");
};

/** Pixels of a picture in an embedding that asks for nothing smaller. */
const WIDTH = 300;

/** The card of a page, by the number of its NFT or `collection`. */
const card = async (c: Context<AppEnv>): Promise<Response> => {
  const { slug = "", name = "" } = c.req.param();
  const reads = briefReads(c, slug);
  const number = name === "collection" ? null : Number(name);
  if (number !== null && !/^[1-9]\d{0,9}$/.test(name))
    throw new ServiceError("not_found", "There is no such card.");
  const [collection, token] = await Promise.all([
    reads.collection(),
    number === null ? null : reads.token(number),
  ]);
  await countAddress(c, "file");
  const wanted = { slug, number, card: cardOfPage(collection, token) };
  const bytes = await shareCard(c.get("context"), wanted, baseUrl(c));
  c.header("Cache-Control", "public, max-age=3600");
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return c.body(bytes.slice(), 200, { "Content-Type": "image/webp" });
};

/** What other sites show of a page: by oEmbed, and by an element of their own. */
export const serveEmbedding = (app: Hono<AppEnv>): void => {
  app.get(`${CARD_PATH}/:slug/:name`, card);
  app.get(OEMBED, async (c) => {
    const base = baseUrl(c);
    const slug = slugOf(c.req.query("url"), base);
    const format = c.req.query("format") ?? "json";
    if (format !== "json") return c.text("Only the format json is available.", 501);
    const { title, cover } = await briefReads(c, slug).collection();
    const [asked = "", link] = [c.req.query("maxwidth"), `${base}/m/${slug}`];
    const width = /^[1-9]\d{0,4}$/.test(asked) ? Math.min(Number(asked), WIDTH) : WIDTH;
    const isPicture = cover && (cover.media_type === null || cover.media_type.startsWith("image/"));
    const picture = isPicture
      ? html`<img src="${cover.url}" alt="" width="${width}" height="${width}" style="object-fit:contain"><br>`
      : "";
    c.header("Access-Control-Allow-Origin", "*");
    return c.json({
      version: "1.0",
      type: "rich",
      title,
      provider_name: "Mintage",
      provider_url: base,
      cache_age: 60,
      html: String(
        await html`<a href="${link}" target="_blank" rel="noopener">${picture}<bdi>${title}</bdi></a>`,
      ),
      width,
      height: isPicture ? width + 30 : 30,
      ...(isPicture && { thumbnail_url: cover.url, thumbnail_width: width, thumbnail_height: width }),
    });
  });
  app.get(ELEMENT, (c) => {
    c.header("Cache-Control", "public, max-age=300");
    c.header("Access-Control-Allow-Origin", "*");
    return c.body(SCRIPTS.embed.text, 200, { "Content-Type": "text/javascript; charset=utf-8" });
  });
};
