// pages/: what collectors see in a browser, rendered here from what src/showcase/ reads: mint pages, galleries and their
// NFTs. Every page can be read without a script; the scripts that help are built from browser/ (scripts.ts).

import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { textOn } from "../domain/collector-pages.ts";
import { EMBEDDED_NETWORK } from "../env.ts";
import type { PublicCollection } from "../resources/public-collection.ts";
import { oembedAddress } from "./embedding.ts";
import { STYLES } from "./styles.ts";

/** What every page is told of its answer. */
export interface Setting {
  /** Of this answer; nothing but what carries it runs or styles. */
  readonly nonce: string;
  /** The service's address. */
  readonly base: string;
  readonly network: string;
}

/** What a page's head says beyond its title. */
interface Head {
  readonly description?: string | null;
  /** Address of a picture. */
  readonly image?: string | null;
  /** The page's own address, below the service's. */
  readonly path?: string;
}

interface FrameProps {
  readonly setting: Setting;
  readonly title: string;
  readonly collection?: PublicCollection;
  readonly head?: Head;
  /** Addresses of the page's scripts. */
  readonly scripts?: readonly string[];
  /** Whether a part of the page, of class `scripted`, is of no use without them: it has its place from the start. */
  readonly hasScripted?: boolean;
  readonly children?: Child;
}

/** Colour of buttons where the page has none of its own. */
const ACCENT = "#1f6f54";

const SHORT = 200;

const Meta = ({ title, head = {}, base }: { title: string; head?: Head; base: string }) => {
  const summary = [...(head.description ?? "").replaceAll(/\s+/g, " ")].slice(0, SHORT).join("");
  return (
    <>
      {summary && <meta name="description" content={summary} />}
      <meta property="og:title" content={title} />
      <meta property="og:type" content="website" />
      {summary && <meta property="og:description" content={summary} />}
      {head.image && <meta property="og:image" content={head.image} />}
      {head.path && <meta property="og:url" content={`${base}${head.path}`} />}
      {head.path && !head.path.startsWith("/c/") && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={oembedAddress(base, head.path)}
          title={title}
        />
      )}
      <meta name="twitter:card" content={head.image ? "summary_large_image" : "summary"} />
    </>
  );
};

const Banner = ({ network }: { network: string }) =>
  network === "mainnet" ? null : (
    <p class="banner">
      {network === EMBEDDED_NETWORK
        ? "This is a chain on one machine, for trying out. Nothing here is worth anything."
        : `This is ${network}. Nothing here is worth anything.`}
    </p>
  );

/** The frame of every page. */
export const Frame = ({
  setting,
  title,
  collection,
  head,
  scripts = [],
  hasScripted,
  children,
}: FrameProps) => {
  const accent = collection?.theme?.accent ?? ACCENT;
  const colours = `:root { --accent: ${accent}; --on-accent: ${textOn(accent)}; }`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <Meta title={title} head={head} base={setting.base} />
        <style nonce={setting.nonce}>{raw(colours + STYLES)}</style>
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
        <header>
          <strong>{collection?.title ?? "Mintage"}</strong>
          {collection && (
            <nav aria-label="Collection">
              <a href={`/m/${collection.slug}`}>Mint</a> · <a href={`/g/${collection.slug}`}>Gallery</a>
            </nav>
          )}
        </header>
        <main id="content">
          <Banner network={setting.network} />
          {children}
        </main>
      </body>
    </html>
  );
};

interface TroubleProps {
  readonly setting: Setting;
  readonly heading: string;
  readonly message: string;
}

/** A page that says what went wrong. */
export const Trouble = ({ setting, heading, message }: TroubleProps) => (
  <Frame setting={setting} title={heading}>
    <h1>{heading}</h1>
    <p>{message}</p>
  </Frame>
);
