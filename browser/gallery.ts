// browser/: the scripts of the pages for collectors. `npm run pages:build` puts them into src/collections/pages/scripts.ts.

import { keptInWindow } from "./kept.ts";
import { awaitReveal, hiddenMoments, mainAt, replaceContent } from "./reveal.ts";

/**
 * Shows the next NFTs as a collector comes near the end, and the same ones again to whoever comes back to the page. The
 * list is made of shelves, lists of as many NFTs as a page of the gallery has: a browser leaves out what is far away a shelf
 * at a time. Without this script the link at the end does the same, a page at a time.
 */

/** NFTs of a shelf: as many as a page of the gallery has, and full rows of 2, 3 and 4. */
const SIZE = 48;
/** How near something comes before it is asked for. */
const NEAR = "1200px";
/** How long after the last movement the place is kept, and how long after a failure it is asked again. Milliseconds. */
const SETTLED = 150;
const AGAIN = 5_000;

/** Where a collector was: kept with the page's entry in the browser's history. */
interface Place {
  /** Where each shelf but the first begins, as a cursor of the gallery. */
  readonly cursors: readonly string[];
  /** The shelf that was looked at, and pixels from the window's top to its own. */
  readonly shelf: number;
  readonly top: number;
  /** Address of the NFT that was opened; null: none. */
  readonly opened: string | null;
}

interface Shelf {
  readonly list: HTMLElement;
  /** Where its NFTs begin; null: the first one's, at the gallery's beginning. */
  readonly cursor: string | null;
  /** Where it goes on, or what is behind it once it is full; null: nothing is. */
  goesOn: string | null;
  filling: boolean;
}

const isFull = ({ list, goesOn }: Shelf): boolean => list.childElementCount >= SIZE || goesOn === null;

const place = document.querySelector<HTMLElement>("#tokens");
const link = document.querySelector<HTMLAnchorElement>('a[rel="next"]');

const cursorOf = (address: string): string | null =>
  new URL(address, location.href).searchParams.get("cursor");

/** The address of this gallery from a cursor on; null: as it is. */
const addressOf = (cursor: string | null, limit: number): string => {
  const address = new URL(location.href);
  address.hash = "";
  if (cursor !== null) address.searchParams.set("cursor", cursor);
  address.searchParams.set("limit", String(limit));
  return address.href;
};

/** Some NFTs of the gallery, and the cursor of those behind them. @throws Error where there is no answer */
async function tilesFrom(
  cursor: string | null,
  limit: number,
): Promise<{ tiles: Element[]; next: string | null }> {
  const page = await mainAt(addressOf(cursor, limit));
  const following = page.querySelector('a[rel="next"]')?.getAttribute("href");
  return {
    tiles: [...page.querySelectorAll("#tokens li")],
    next: following ? cursorOf(following) : null,
  };
}

class Gallery {
  readonly #place: HTMLElement;
  readonly #link: HTMLAnchorElement;
  readonly #shelves: Shelf[];
  readonly #near = new IntersectionObserver((entries) => this.#cameNear(entries), { rootMargin: NEAR });
  #opened: string | null = null;

  constructor(place: HTMLElement, link: HTMLAnchorElement) {
    this.#place = place;
    this.#link = link;
    const list = place.firstElementChild as HTMLElement;
    const first = { list, cursor: cursorOf(location.href), goesOn: cursorOf(link.href), filling: false };
    this.#shelves = [first];
  }

  /** @param kept where the collector was when they left; null: they are here for the first time */
  begin(kept: Place | null): void {
    if (kept) this.#goBackTo(kept);
    this.#near.observe(this.#link);
    let settling: ReturnType<typeof setTimeout> | undefined;
    addEventListener("scroll", () => {
      clearTimeout(settling);
      settling = setTimeout(() => this.#keep(), SETTLED);
    });
    this.#place.addEventListener("click", (event) => {
      this.#opened = (event.target as Element).closest("a")?.getAttribute("href") ?? null;
      this.#keep();
    });
  }

  /** Lists of NFTs that are there, and where they begin. */
  get shelves(): readonly Pick<Shelf, "list" | "cursor">[] {
    return this.#shelves;
  }

  /** As many shelves as there were, and the window where it was. Those that come near are filled. */
  #goBackTo({ cursors, shelf, top, opened }: Place): void {
    this.#opened = opened;
    for (const cursor of cursors) this.#addShelf(cursor);
    for (const each of this.#shelves) if (!isFull(each)) this.#near.observe(each.list);
    this.#leadOn();
    const list = this.#shelves[shelf]?.list;
    if (list) scrollBy({ top: list.getBoundingClientRect().top - top, behavior: "instant" });
    this.#findOpened();
  }

  /** The keyboard goes on from the NFT that was opened. */
  #findOpened(): void {
    if (this.#opened === null || document.activeElement !== document.body) return;
    const opened = `a[href="${CSS.escape(this.#opened)}"]`;
    this.#place.querySelector<HTMLElement>(opened)?.focus({ preventScroll: true });
  }

  #addShelf(cursor: string): Shelf {
    const list = document.createElement("ul");
    list.className = "grid waiting";
    const shelf = { list, cursor, goesOn: cursor, filling: false };
    this.#shelves.push(shelf);
    this.#place.append(list);
    return shelf;
  }

  #cameNear(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#near.unobserve(target);
      const shelf = this.#shelves.find(({ list }) => list === target);
      (shelf ? this.#fill(shelf) : this.#goOn()).catch(() => {
        // The link stays for whoever doesn't want to wait.
        setTimeout(() => this.#near.observe(target), AGAIN);
      });
    }
  }

  /** Fills up the last shelf, or begins another one. */
  async #goOn(): Promise<void> {
    const last = this.#shelves.at(-1) as Shelf;
    if (last.goesOn === null) return;
    if (!isFull(last)) await this.#fill(last);
    else {
      const shelf = this.#addShelf(last.goesOn);
      try {
        await this.#fill(shelf);
      } finally {
        // Nothing was behind the last one, or there was no answer.
        if (shelf.list.childElementCount === 0) this.#shelves.pop()?.list.remove();
      }
    }
    this.#near.observe(this.#link);
  }

  /** Appends NFTs to a shelf until it is full. With filters, a page of the gallery may be short or empty. */
  async #fill(shelf: Shelf): Promise<void> {
    if (shelf.filling) return;
    shelf.filling = true;
    try {
      while (shelf.goesOn !== null && shelf.list.childElementCount < SIZE) {
        const { tiles, next } = await tilesFrom(shelf.goesOn, SIZE - shelf.list.childElementCount);
        shelf.list.append(...tiles);
        shelf.list.classList.remove("waiting");
        shelf.goesOn = next;
        this.#leadOn();
      }
    } finally {
      shelf.filling = false;
    }
    this.#findOpened();
  }

  /** The link leads to what is behind the last shelf. */
  #leadOn(): void {
    const { goesOn } = this.#shelves.at(-1) as Shelf;
    this.#link.hidden = goesOn === null;
    if (goesOn === null) return;
    const address = new URL(this.#link.href);
    address.searchParams.set("cursor", goesOn);
    this.#link.href = address.href;
  }

  #keep(): void {
    const places = this.#shelves.map(({ list }) => list.getBoundingClientRect());
    const seen = places.findIndex(({ bottom }) => bottom > 0);
    const shelf = seen < 0 ? places.length - 1 : seen;
    const kept: Place = {
      cursors: this.#shelves.flatMap(({ cursor }, index) => (index > 0 && cursor !== null ? cursor : [])),
      shelf,
      top: places[shelf]?.top ?? 0,
      opened: this.#opened,
    };
    history.replaceState(kept, "");
  }
}

let gallery: Gallery | null = null;
if (place && link) {
  // The browser would look for the place before the shelves are there.
  history.scrollRestoration = "manual";
  gallery = new Gallery(place, link);
  gallery.begin(history.state as Place | null);
}

/** Shows the NFTs that are there as they are after a reveal. */
async function refreshTiles(): Promise<void> {
  const first = { list: place?.firstElementChild as HTMLElement, cursor: cursorOf(location.href) };
  for (const { list, cursor } of gallery?.shelves ?? [first]) {
    if (list.childElementCount === 0) continue;
    const { tiles } = await tilesFrom(cursor, list.childElementCount);
    for (const tile of tiles) {
      const own = tile.querySelector("a");
      const old = own && list.querySelector(`a[href="${CSS.escape(own.getAttribute("href") ?? "")}"]`);
      if (old && old.innerHTML !== own.innerHTML) await replaceContent(old, own.childNodes);
    }
  }
}

hiddenMoments();
awaitReveal(refreshTiles);

const filters = document.querySelector<HTMLFormElement>("#filters");
/** Whether the sheet of filters is open, as it is on phones until they are done. */
const OPEN = "mintage:filters";

// Fields that say nothing need not be in the address.
filters?.addEventListener("formdata", ({ formData }) => {
  const given = [...formData].filter(([, value]) => value !== "");
  for (const name of new Set(formData.keys())) formData.delete(name);
  for (const [name, value] of given) formData.append(name, value);
});
filters?.addEventListener("change", () => {
  keptInWindow.set(OPEN, filters.matches(":popover-open") ? "yes" : null);
  filters.requestSubmit();
});
// On a wide screen it is a row of the page, as where a phone is turned.
matchMedia("(min-width: 48rem)").addEventListener("change", () => filters?.hidePopover());
if (keptInWindow.get(OPEN) !== null) {
  keptInWindow.set(OPEN, null);
  filters?.showPopover();
}
