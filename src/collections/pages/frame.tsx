import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { type Marketplace, marketplacesOf } from "../../domain/marketplaces.ts";
import { CARD } from "../../domain/share-card.ts";
import { connectSources, isWalletNetwork, type OfferedWallet } from "../../domain/wallets.ts";
import { EMBEDDED_NETWORK } from "../../env.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { baseUrl } from "../../http/app-env.ts";
import { asServiceError, errorResponse } from "../../http/error-responses.ts";
import { SCRIPTS, type ScriptName } from "./scripts.ts";
import { ACCENT, accentStyles, FONT_PATH, STYLES } from "./styles.ts";

export interface Setting {
  /** Of this answer; nothing but what carries it runs or styles. */
  readonly nonce: string;
  readonly base: string;
  readonly network: string;
  readonly marketplaces: readonly Marketplace[];
}

interface Head {
  readonly description?: string | null;
  /** The page's card: its address and what it shows. */
  readonly card?: { readonly path: string; readonly alt: string };
  readonly path?: string;
}

/** Which of a collection's pages it is; a token's is among those of the gallery. */
type Section = "mint" | "gallery" | "token" | "claim";

interface FrameProps {
  readonly setting: Setting;
  readonly title: string;
  readonly collection?: PublicCollection;
  readonly section?: Section;
  readonly head?: Head;
  readonly scripts?: readonly string[];
  /** Whether a part of the page, of class `scripted`, is of no use without them: it has its place from the start. */
  readonly hasScripted?: boolean;
  readonly children?: Child;
}

const SHORT = 200;

const Meta = ({ title, head = {}, base }: { title: string; head?: Head; base: string }) => {
  const { card } = head;
  const summary = [...(head.description ?? "").replaceAll(/\s+/g, " ")].slice(0, SHORT).join("");
  return (
    <>
      {summary && <meta name="description" content={summary} />}
      <meta property="og:title" content={title} />
      <meta property="og:type" content="website" />
      {summary && <meta property="og:description" content={summary} />}
      {card && (
        <>
          <meta property="og:image" content={`${base}${card.path}`} />
          <meta property="og:image:type" content="image/webp" />
          <meta property="og:image:width" content={String(CARD.width)} />
          <meta property="og:image:height" content={String(CARD.height)} />
          <meta property="og:image:alt" content={card.alt} />
        </>
      )}
      {head.path && <meta property="og:url" content={`${base}${head.path}`} />}
      {head.path && !head.path.startsWith("/c/") && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={oembedAddress(base, head.path)}
          title={title}
        />
      )}
      <meta name="twitter:card" content={card ? "summary_large_image" : "summary"} />
    </>
  );
};

const Banner = ({ network }: { network: string }) =>
  network === "mainnet" ? null : (
    <aside class="banner" aria-label="Network">
      {network === EMBEDDED_NETWORK
        ? "A chain on one machine. Nothing here is worth anything."
        : `This is ${network}. Nothing here is worth anything.`}
    </aside>
  );

/** The same on all pages of a collection, so that nothing jumps from one to the other: each names the collection itself. */
const Header = ({
  collection,
  section,
}: {
  readonly collection: PublicCollection | undefined;
  readonly section: Section | undefined;
}) => {
  const current = (name: Section) =>
    section === name ? "page" : section === "token" && name === "gallery" ? "true" : undefined;
  return (
    <header>
      {collection ? (
        <nav aria-label="Collection">
          {(["mint", "gallery"] as const).map((name) => (
            <a href={`/${name[0]}/${collection.slug}`} aria-current={current(name)}>
              {name === "mint" ? "Mint" : "Gallery"}
            </a>
          ))}
        </nav>
      ) : (
        <span class="brand">Mintage</span>
      )}
    </header>
  );
};

export const Frame = ({
  setting,
  title,
  collection,
  section,
  head,
  scripts = [],
  hasScripted,
  children,
}: FrameProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <link rel="icon" href="data:," />
      <link rel="preload" href={FONT_PATH} as="font" type="font/woff2" crossorigin="anonymous" />
      <Meta title={title} head={head} base={setting.base} />
      <style nonce={setting.nonce}>{raw(accentStyles(collection?.theme?.accent ?? ACCENT) + STYLES)}</style>
      {hasScripted && (
        <noscript>
          <style nonce={setting.nonce}>{".scripted { display: none; }"}</style>
        </noscript>
      )}
      {scripts.map((script) => (
        <script type="module" nonce={setting.nonce} src={script} />
      ))}
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Banner network={setting.network} />
      <Header collection={collection} section={section} />
      <main id="content">{children}</main>
    </body>
  </html>
);

/** Characters from which a title is set smaller. */
const LONG = 60;

interface TitleProps {
  readonly text: string;
  /** Stands before the text, and leads to an address: an NFT's collection, of which the text is no more than a number. */
  readonly of?: { readonly text: string; readonly href: string } | undefined;
}

/** The heading of a page by what it is about. */
export const Title = ({ text, of }: TitleProps) => (
  <h1 dir="auto" class={(of?.text ?? "").length + text.length > LONG ? "long" : undefined}>
    {of && (
      <>
        <a href={of.href}>
          <bdi>{of.text}</bdi>
        </a>{" "}
      </>
    )}
    {text}
  </h1>
);

interface TroubleProps {
  readonly setting: Setting;
  readonly heading: string;
  readonly message: string;
  /** The gallery that the address is of; undefined: none. */
  readonly gallery: string | undefined;
  /** The collection that it is of, where that is known. */
  readonly collection: PublicCollection | undefined;
}

const Trouble = ({ setting, heading, message, gallery, collection }: TroubleProps) => (
  <Frame setting={setting} title={heading} {...(collection && { collection, section: "token" })}>
    <h1>{heading}</h1>
    <p>{message}</p>
    {gallery !== undefined && (
      <p class="onward">
        <a class="button" href={gallery}>
          See the gallery
        </a>
      </p>
    )}
  </Frame>
);

/** The address of one NFT, with its gallery's. */
const BELOW_GALLERY = /^(\/g\/[^/]+)\/[^/]+$/;

export const OEMBED = "/public/v1/oembed";

/** Address of a page's oEmbed document (https://oembed.com, section 4). */
const oembedAddress = (base: string, path: string): string =>
  `${base}${OEMBED}?${new URLSearchParams({ url: `${base}${path}` })}`;

export type PageContext = Context<AppEnv>;

/** Where the pages' scripts are; their names change with their texts, so that they are kept for good. */
export const SCRIPT_PATH = "/public/v1/script/";
/** The address of a script. */
export const scriptOf = (name: ScriptName): string => `${SCRIPT_PATH}${SCRIPTS[name].file}`;

/**
 * What a page may do: run and style what carries its nonce, ask this service, and show its files; with a chosen wallet,
 * also the wallet's addresses, and what its code needs in its frame, which has this policy as well.
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
    "font-src 'self'",
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

/** What a page has besides its content. */
interface PageSource {
  /** That the collector has chosen. */
  readonly wallet?: OfferedWallet | null;
  /** What the page is a part of, which is named where there is no such page. */
  readonly collection?: () => Promise<PublicCollection>;
}

/** Answers a page; what went wrong becomes one, with the status that the API would answer. */
export const page = async (
  c: PageContext,
  render: (setting: Setting) => Promise<{ toString(): string | Promise<string> }>,
  { wallet = null, collection: whole }: PageSource = {},
): Promise<Response> => {
  const { NEAR_NETWORK: network, MARKETPLACES: given } = c.get("context").settings;
  // near-connect takes no other characters in a nonce.
  const nonce = crypto.randomUUID().replaceAll("-", "");
  const setting: Setting = { nonce, base: baseUrl(c), network, marketplaces: marketplacesOf(network, given) };
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
    const gallery = BELOW_GALLERY.exec(c.req.path)?.[1];
    // The service's own failures are logged above; where the whole isn't there either, the page names none.
    const collection = known === 404 ? await whole?.().catch(() => undefined) : undefined;
    const heading = collection ? "This NFT isn't here" : HEADINGS[known];
    return answer(Trouble({ setting, heading, message, gallery, collection }), known);
  }
};
