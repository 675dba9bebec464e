import { zValidator } from "@hono/zod-validator";
import type { Context, Hono } from "hono";
import { z } from "zod";
import {
  hasDevelopmentWallet,
  makeDevelopmentAccount,
  readDevelopmentKey,
  requireDevelopmentWallet,
  sendDevelopmentTransaction,
} from "../../collections/development-wallet.ts";
import { Claim } from "../../collections/pages/claim.tsx";
import {
  type PageContext,
  page,
  SCRIPT_PATH,
  type Setting,
  scriptOf,
} from "../../collections/pages/frame.tsx";
import { Gallery } from "../../collections/pages/gallery.tsx";
import { Mint } from "../../collections/pages/mint.tsx";
import { FONT, SCRIPTS, type ScriptName } from "../../collections/pages/scripts.ts";
import { FONT_PATH } from "../../collections/pages/styles.ts";
import { TokenDetail } from "../../collections/pages/token.tsx";
import { MOST_READ } from "../../collections/rarity-order.ts";
import { creatorPictureOf } from "../../db/queries/collection-pages.ts";
import { isSlug } from "../../domain/collector-pages.ts";
import { ServiceError } from "../../domain/errors.ts";
import { mediaType } from "../../domain/media-sniffing.ts";
import { differInRarity } from "../../domain/traits.ts";
import { type OfferedWallet, walletsFor } from "../../domain/wallets.ts";
import { countAddress } from "../../http/address-limit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { refuseInvalid } from "../../http/validation.ts";
import { briefReads } from "../public/brief-reads.ts";
import { filterOf, slugNumberParam, tokenQuery } from "../public/parameters.ts";
import { serveEmbedding } from "./embedding.ts";

const PATH = "/public/v1/development";
const publicKey = z.string().regex(/^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/, "Give an ed25519 key in base58.");
const keyBody = z.strictObject({ account_id: z.string().min(2).max(64), public_key: publicKey });
/** A sub-account, such as a wallet or a contract of the service, is made by the account above it. */
const accountBody = keyBody.extend({
  account_id: z
    .string()
    .max(64)
    .regex(
      /^(?:[a-z\d]+[-_])*[a-z\d]+\.near$/,
      "Give a name that ends in .near, of lower-case letters and digits with single - or _ between them.",
    ),
});
const transactionBody = z.strictObject({ signed_transaction: z.base64().max(100_000) });

/** A file whose name changes with its bytes. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** What the development wallet asks of the embedded chain: a browser reaches the service alone. */
const serveDevelopmentWallet = (app: Hono<AppEnv>): void => {
  app.use(`${PATH}/*`, (c, next) => {
    requireDevelopmentWallet(c.get("context"));
    return next();
  });
  app.post(`${PATH}/account`, zValidator("json", accountBody, refuseInvalid), async (c) => {
    await makeDevelopmentAccount(c.get("context"), c.req.valid("json"));
    return c.json({});
  });
  app.post(`${PATH}/key`, zValidator("json", keyBody, refuseInvalid), async (c) =>
    c.json(await readDevelopmentKey(c.get("context"), c.req.valid("json"))),
  );
  app.post(`${PATH}/transaction`, zValidator("json", transactionBody, refuseInvalid), async (c) => {
    await sendDevelopmentTransaction(
      c.get("context"),
      Buffer.from(c.req.valid("json").signed_transaction, "base64"),
    );
    return c.json({});
  });
};

/** A checked part of a request. @throws ServiceError invalid_request */
const checked = <Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> => {
  const result = schema.safeParse(given);
  refuseInvalid({ ...result, target: "query" });
  return result.data as z.output<Schema>;
};

/** The query, with the values of a name that is there several times as a list. */
const queryOf = (c: PageContext): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

/**
 * What a gallery's address asks for. Other names, such as utm_source, are ignored; an account's id has no capitals, and
 * phones write some and a blank behind.
 */
const galleryQuery = (c: PageContext): z.output<typeof tokenQuery> => {
  const given = queryOf(c);
  const names = Object.keys(tokenQuery.shape).filter((name) => Object.hasOwn(given, name));
  const asked = Object.fromEntries(names.map((name) => [name, given[name]]));
  const { owner } = asked;
  return checked(
    tokenQuery,
    typeof owner === "string" ? { ...asked, owner: owner.trim().toLowerCase() } : asked,
  );
};

/** A page's script, behind the development wallet where there is one. */
const scriptsWithWallet = (c: PageContext, name: ScriptName): string[] => [
  ...(hasDevelopmentWallet(c.get("context")) ? [scriptOf("development-wallet")] : []),
  scriptOf(name),
];

/** The wallet of near-connect that the address names, if it is one of this network's. */
const chosenWallet = (c: PageContext): OfferedWallet | null => {
  const id = c.req.query("wallet");
  const { NEAR_NETWORK: network } = c.get("context").settings;
  return walletsFor(network).find((wallet) => wallet.id === id) ?? null;
};

/** NFTs that a mint page shows: two rows on a phone, two on a wide screen. */
const STRIP = filterOf({ limit: 8 });

/** A page that needs a wallet: the mint page or the claim page. */
const walletPage = (c: PageContext, slug: string, name: "mint" | "claim") => {
  const chosen = chosenWallet(c);
  const wallets = { chosen, connector: scriptOf("near-connect") };
  const render = async (setting: Setting) => {
    const reads = briefReads(c, slug);
    const scripts = scriptsWithWallet(c, name);
    if (name === "claim") return Claim({ setting, collection: await reads.collection(), scripts, wallets });
    const [collection, works] = await Promise.all([reads.collection(), reads.tokens(STRIP)]);
    const now = c.get("context").now();
    return Mint({ setting, collection, scripts, wallets, works: works.tokens, now });
  };
  return page(c, render, { wallet: chosen });
};

/** The picture of a page's creator. Its address changes with it. */
const creatorPicture = async (c: Context<AppEnv>): Promise<Response> => {
  const { slug = "", digest = "" } = c.req.param();
  await countAddress(c, "page");
  const picture = isSlug(slug) ? await creatorPictureOf(c.get("context").db, slug, digest) : null;
  if (picture === null) throw new ServiceError("not_found", "There is no such picture.");
  c.header("Cache-Control", IMMUTABLE);
  return c.body(picture.slice(), 200, { "Content-Type": mediaType(picture) ?? "application/octet-stream" });
};

const gallery = (c: PageContext, slug: string) =>
  page(c, async (setting) => {
    const filter = filterOf(galleryQuery(c));
    const reads = briefReads(c, slug);
    const collection = await reads.collection();
    const [traits, tokens] = await Promise.all([reads.traits(), reads.tokens(filter)]);
    const isRanked =
      differInRarity(traits, collection.total_copies) &&
      (collection.minted <= MOST_READ || (await reads.isSortable()));
    const now = c.get("context").now();
    const script = scriptOf("gallery");
    return Gallery({ setting, collection, traits, filter, page: tokens, isRanked, now, script });
  });

const token = (c: PageContext, slug: string, number: string) => {
  const render = async (setting: Setting) => {
    const { number: wanted } = checked(slugNumberParam, { slug, number });
    const reads = briefReads(c, slug);
    const [collection, shown, traits] = await Promise.all([
      reads.collection(),
      reads.token(wanted),
      reads.traits(),
    ]);
    const now = c.get("context").now();
    return TokenDetail({ setting, collection, token: shown, traits, now, script: scriptOf("token") });
  };
  return page(c, render, { collection: () => briefReads(c, slug).collection() });
};

export const servePages = (app: Hono<AppEnv>): void => {
  app.get("/m/:slug", (c) => walletPage(c, c.req.param("slug"), "mint"));
  app.get("/c/:slug", (c) => walletPage(c, c.req.param("slug"), "claim"));
  app.get("/g/:slug", (c) => gallery(c, c.req.param("slug")));
  app.get("/g/:slug/:number", (c) => token(c, c.req.param("slug"), c.req.param("number")));
  serveDevelopmentWallet(app);
  serveEmbedding(app);
  app.get("/public/v1/creator/:slug/:digest", creatorPicture);
  app.get(FONT_PATH, (c) => {
    c.header("Cache-Control", IMMUTABLE);
    return c.body(Buffer.from(FONT.base64, "base64"), 200, { "Content-Type": "font/woff2" });
  });
  for (const { file, text } of Object.values(SCRIPTS)) {
    app.get(`${SCRIPT_PATH}${file}`, (c) => {
      c.header("Cache-Control", IMMUTABLE);
      return c.body(text, 200, { "Content-Type": "text/javascript; charset=utf-8" });
    });
  }
};

/** Addresses below which there is nothing but pages. */
const AMONG_PAGES = /^\/(?:[mcg]|operator)(?:\/|$)/;

/** The address of a page with slashes behind it, which people type and other sites add. */
const WITH_SLASH = /^(\/(?:[mc]\/[^/]+|g\/[^/]+(?:\/[^/]+)?|operator))\/+$/;

/** Answers a visit among the pages: by the page's own address where a slash is too many, else by a page; or null. */
export const otherAddress = (c: Context<AppEnv>): Response | Promise<Response> | null => {
  const { pathname, search } = new URL(c.req.url);
  const isVisit = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isVisit || !AMONG_PAGES.test(pathname)) return null;
  const [, own] = WITH_SLASH.exec(pathname) ?? [];
  if (own !== undefined) return c.redirect(own + search, 308);
  return page(c, async () => {
    throw new ServiceError("not_found", "No page has this address. Look whether all of it was copied.");
  });
};
