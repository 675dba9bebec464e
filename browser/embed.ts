/**
 * `<mintage-mint slug="night-herons"></mintage-mint>` on anybody's page: what the collection is, its price and what is
 * left, with a link to its mint page. Nobody mints within it: only this service's own address shows what is signed.
 */

import type { PublicCollection } from "../src/api/resources/public-collection.ts";
import { supplyLeft } from "../src/domain/counted.ts";
import { shownAmount } from "../src/domain/prices.ts";
import { thumbnailsOf } from "../src/domain/thumbnails.ts";

const SERVICE = new URL(import.meta.url).origin;

const STYLES = `
:host { display: block; max-width: 22rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; }
a { display: grid; gap: .5rem; padding: 1rem; border: 1px solid light-dark(#dcdcd6, #3a3d40); border-radius: .75rem;
  background: light-dark(#ffffff, #1e2022); color: light-dark(#17181a, #f2f2f0); text-decoration: none; }
a:focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
img { width: 100%; height: auto; aspect-ratio: 1; object-fit: contain; border-radius: .5rem; }
strong { font-size: 1.125rem; overflow-wrap: anywhere; }
p { margin: 0; }`;

const lineOf = (text: string, name: "p" | "strong" = "p"): HTMLElement => {
  const line = document.createElement(name);
  line.textContent = text;
  return line;
};

/** The prices of a collection in a line. */
const prices = ({ phases }: PublicCollection): string => {
  const texts = phases.map(({ kind, mint_fee: fee, currency }) => {
    const price = fee === "0" ? "free" : shownAmount(fee, currency);
    return kind === "public" ? price : `${price} for the allowlist`;
  });
  return texts.length > 0 ? texts.join(", ") : "Not minted from wallets";
};

class MintageMint extends HTMLElement {
  async connectedCallback(): Promise<void> {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    const slug = encodeURIComponent(this.getAttribute("slug") ?? "");
    const link = document.createElement("a");
    link.href = `${SERVICE}/m/${slug}`;
    link.target = "_blank";
    link.rel = "noopener";
    root.replaceChildren(link);
    try {
      const answer = await fetch(`${SERVICE}/public/v1/page/${slug}`);
      if (!answer.ok) throw new Error(String(answer.status));
      const collection = (await answer.json()) as PublicCollection;
      const { cover, title } = collection;
      if (cover && (cover.media_type === null || cover.media_type.startsWith("image/"))) {
        const picture = new Image(600, 600);
        picture.sizes = "20rem";
        picture.srcset = thumbnailsOf(cover.url, SERVICE) ?? "";
        picture.src = cover.url;
        picture.alt = "";
        link.append(picture);
      }
      link.append(lineOf(title, "strong"), lineOf(`${prices(collection)} · ${supplyLeft(collection)}`));
    } catch {
      // The link leads to the page, which says what is wrong.
      link.append(lineOf("Mint", "strong"));
    }
  }
}

if (!customElements.get("mintage-mint")) customElements.define("mintage-mint", MintageMint);
