import type { Context, Hono } from "hono";
import type { z } from "zod";
import { briefReads } from "../api/public/brief-reads.ts";
import { filterOf, slugNumberParam, tokenQuery } from "../api/public/parameters.ts";
import { connectSources, isWalletNetwork, type OfferedWallet, walletsFor } from "../domain/wallets.ts";
import type { AppEnv } from "../http/app-env.ts";
import { baseUrl } from "../http/base-url.ts";
import { asServiceError, errorResponse } from "../http/error-responses.ts";
import { refuseInvalid } from "../http/validation.ts";
import { hasDevelopmentWallet } from "../showcase/development.ts";
import { Claim } from "./claim.tsx";
import { serveDevelopmentWallet } from "./development.ts";
import { serveEmbedding } from "./embedding.ts";
import { type Setting, Trouble } from "./frame.tsx";
import { Gallery } from "./gallery.tsx";
import { Mint } from "./mint.tsx";
import { SCRIPTS, type ScriptName } from "./scripts.ts";
import { TokenDetail } from "./token.tsx";

type PageContext = Context<AppEnv>;

/** Where the pages' scripts are; their names change with their texts, so that they are kept for good. */
const SCRIPT_PATH = "/public/v1/script/";
/** The address of a script. */
export const scriptOf = (name: ScriptName): string => `${SCRIPT_PATH}${SCRIPTS[name].file}`;

/**
 * What a page may do: run and style what carries its nonce, ask this service, and show its files. Where its collector has
 * chosen a wallet, the wallet's addresses too, and what the wallet's code needs in its frame, which has this policy as well.
 */
const policy = ({ nonce, base, network }: Setting, wallet: OfferedWallet | null): string => {
  const files = `'self' ${new URL(base).origin}`;
  const asked = wallet && isWalletNetwork(network) ? connectSources(wallet, network) : [];
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'${wallet ? " 'wasm-unsafe-eval'" : ""}`,
    // The wallet's frame has styles of its own, which carry no nonce.
    `style-src ${wallet ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    `img-src ${files} data:`,
    `media-src ${files}`,
    ["connect-src 'self'", ...asked].join(" "),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
};

const HEADINGS = {
  400: "This address has a mistake",
  404: "There is nothing here",
  429: "Too many visits at once",
  500: "Something went wrong",
  503: "This does not answer right now",
} as const;

type PageStatus = keyof typeof HEADINGS;

/** Answers a page; what went wrong becomes one, with the status that the API would answer. */
export const page = async (
  c: PageContext,
  render: (setting: Setting) => Promise<{ toString(): string | Promise<string> }>,
  wallet: OfferedWallet | null = null,
): Promise<Response> => {
  const { NEAR_NETWORK: network } = c.get("context").settings;
  // near-connect takes no other characters in a nonce.
  const nonce = crypto.randomUUID().replaceAll("-", "");
  const setting: Setting = { nonce, base: baseUrl(c), network };
  const answer = async (content: { toString(): string | Promise<string> }, status: 200 | PageStatus) => {
    c.header("Content-Security-Policy", policy(setting, wallet));
    // A page has the nonce of one answer.
    c.header("Cache-Control", "no-store");
    return c.html(`<!doctype html>${await content.toString()}`, status);
  };
  try {
    return await answer(await render(setting), 200);
  } catch (thrown) {
    const { status, message } = asServiceError(thrown, false);
    // Logs what is the service's own failure, and sets an error's headers.
    await errorResponse(thrown, c).body?.cancel();
    const known = Object.hasOwn(HEADINGS, status) ? (status as PageStatus) : 500;
    return answer(Trouble({ setting, heading: HEADINGS[known], message }), known);
  }
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
 * What a gallery's address asks for. Names that others add to an address that is shared, such as fbclid and utm_source, ask
 * for nothing; an account's id has no capitals, and phones write some and a blank behind.
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

const mint = (c: PageContext, slug: string) => {
  const chosen = chosenWallet(c);
  const wallets = { chosen, connector: scriptOf("near-connect") };
  const render = async (setting: Setting) => {
    const collection = await briefReads(c, slug).collection();
    const now = c.get("context").now();
    return Mint({ setting, collection, now, scripts: scriptsWithWallet(c, "mint"), wallets });
  };
  return page(c, render, chosen);
};

const claim = (c: PageContext, slug: string) => {
  const chosen = chosenWallet(c);
  const wallets = { chosen, connector: scriptOf("near-connect") };
  const render = async (setting: Setting) => {
    const collection = await briefReads(c, slug).collection();
    return Claim({ setting, collection, scripts: scriptsWithWallet(c, "claim"), wallets });
  };
  return page(c, render, chosen);
};

const gallery = (c: PageContext, slug: string) =>
  page(c, async (setting) => {
    const filter = filterOf(galleryQuery(c));
    const reads = briefReads(c, slug);
    const collection = await reads.collection();
    const [traits, tokens] = await Promise.all([reads.traits(), reads.tokens(filter)]);
    return Gallery({ setting, collection, traits, filter, page: tokens, script: scriptOf("gallery") });
  });

const token = (c: PageContext, slug: string, number: string) =>
  page(c, async (setting) => {
    const { number: wanted } = checked(slugNumberParam, { slug, number });
    const reads = briefReads(c, slug);
    const [collection, shown] = await Promise.all([reads.collection(), reads.token(wanted)]);
    return TokenDetail({ setting, collection, token: shown });
  });

/** Serves the pages for collectors, and their scripts. */
export const servePages = (app: Hono<AppEnv>): void => {
  app.get("/m/:slug", (c) => mint(c, c.req.param("slug")));
  app.get("/c/:slug", (c) => claim(c, c.req.param("slug")));
  app.get("/g/:slug", (c) => gallery(c, c.req.param("slug")));
  app.get("/g/:slug/:number", (c) => token(c, c.req.param("slug"), c.req.param("number")));
  serveDevelopmentWallet(app);
  serveEmbedding(app);
  for (const { file, text } of Object.values(SCRIPTS)) {
    app.get(`${SCRIPT_PATH}${file}`, (c) => {
      c.header("Cache-Control", "public, max-age=31536000, immutable");
      return c.body(text, 200, { "Content-Type": "text/javascript; charset=utf-8" });
    });
  }
};
