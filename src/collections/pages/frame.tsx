import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { textOn } from "../../domain/collector-pages.ts";
import { connectSources, isWalletNetwork, type OfferedWallet } from "../../domain/wallets.ts";
import { EMBEDDED_NETWORK } from "../../env.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { baseUrl } from "../../http/app-env.ts";
import { asServiceError, errorResponse } from "../../http/error-responses.ts";
import { SCRIPTS, type ScriptName } from "./scripts.ts";

/** The one style sheet of the pages for collectors. Colours are pairs of light and dark with a contrast of 4.5 or more. */
const STYLES = `
:root { color-scheme: light dark; --ink: light-dark(#17181a, #f2f2f0); --soft: light-dark(#55585c, #b4b7ba);
  --paper: light-dark(#fbfbf9, #141516); --card: light-dark(#ffffff, #1e2022); --line: light-dark(#dcdcd6, #3a3d40);
  --bad: light-dark(#9b1c1c, #ffb4a9); --good: light-dark(#17613a, #8fe0b0); }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  overflow-wrap: anywhere; }
a { color: inherit; text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.banner { margin: 0 0 1rem; padding: .5rem 1rem; text-align: center; background: #ffd54a; color: #241c00; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
header strong { font-size: 1.125rem; margin-right: auto; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.125rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; }
.text { white-space: pre-line; }
.soft { color: var(--soft); }
.bad { color: var(--bad); } .good { color: var(--good); }
.two { display: grid; gap: 1.5rem 2.5rem; }
@media (min-width: 48rem) { .two { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.picture { display: block; width: 100%; height: auto; aspect-ratio: 1; object-fit: contain; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; }
.blank { display: grid; place-items: center; color: var(--soft); }
.grid { list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr)); }
#tokens { --columns: 2; --width: calc((min(100vw, 72rem) - 1rem) / var(--columns));
  --shelf: calc(48 / var(--columns) * (var(--width) + 3.25rem) - 1rem); }
@media (min-width: 32.5rem) { #tokens { --columns: 3; } }
@media (min-width: 43rem) { #tokens { --columns: 4; } }
@media (min-width: 64rem) { #tokens { --columns: 6; } }
#tokens .grid { grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); margin: 0 -.375rem .25rem; padding: .375rem;
  content-visibility: auto; contain-intrinsic-height: auto var(--shelf); }
#tokens .waiting { min-height: calc(var(--shelf) + .75rem); }
.grid a { display: block; text-decoration: none; }
.grid .name { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; margin-top: .25rem; }
button, .button { font: inherit; font-weight: 600; display: inline-block; padding: .625rem 1.25rem; min-height: 2.75rem;
  border: 1px solid var(--line); border-radius: .5rem; background: var(--accent); color: var(--on-accent); cursor: pointer;
  text-decoration: none; }
button.plain { background: var(--card); color: var(--ink); }
button:disabled { background: var(--card); color: var(--soft); cursor: not-allowed; }
label { display: block; font-weight: 600; }
input, select { font: inherit; width: 100%; min-height: 2.75rem; padding: .375rem .5rem; color: var(--ink);
  background: var(--card); border: 1px solid var(--soft); border-radius: .5rem; }
form.filters { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(12rem, 100%), 1fr)); align-items: end; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: .75rem 0; }
.row > .narrow { flex: 0 1 7rem; } .row > .wide { flex: 1 1 14rem; }
dl { display: grid; grid-template-columns: fit-content(50%) minmax(0, 1fr); gap: .25rem 1rem; margin: .5rem 0; }
dl.proof { grid-template-columns: minmax(0, 1fr); gap: 0; } dl.proof dd { margin-bottom: .5rem; }
dt { color: var(--soft); } dd { margin: 0; }
code { font-size: .875em; overflow-wrap: anywhere; }
.price { font-size: 1.5rem; font-weight: 700; margin: 0; }
.phases, .links { list-style: none; padding: 0; margin: 1rem 0; }
fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: .5rem 1rem; }
legend { font-weight: 600; padding: 0 .25rem; }
.way { display: flex; gap: .5rem; align-items: center; font-weight: 400; min-height: 2.75rem; }
.way input { width: 1.25rem; min-height: 1.25rem; flex: none; }
summary { cursor: pointer; padding: .5rem 0; }
dialog { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .75rem; max-width: 32rem; }
dialog::backdrop { background: #000a; }
#wallets { min-height: 2.75rem; } #wallets p { margin: 0; }
.says { min-height: 4.5em; }
.scrolls { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
[hidden] { display: none !important; }
`;

export interface Setting {
  /** Of this answer; nothing but what carries it runs or styles. */
  readonly nonce: string;
  readonly base: string;
  readonly network: string;
}

interface Head {
  readonly description?: string | null;
  readonly image?: string | null;
  readonly path?: string;
}

interface FrameProps {
  readonly setting: Setting;
  readonly title: string;
  readonly collection?: PublicCollection;
  readonly head?: Head;
  readonly scripts?: readonly string[];
  /** Whether a part of the page, of class `scripted`, is of no use without them: it has its place from the start. */
  readonly hasScripted?: boolean;
  readonly children?: Child;
}

/** Colour of buttons if the page sets none. */
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

const Trouble = ({ setting, heading, message }: TroubleProps) => (
  <Frame setting={setting} title={heading}>
    <h1>{heading}</h1>
    <p>{message}</p>
  </Frame>
);

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
