import type { PublicToken } from "../src/api/resources/public-collection.ts";
import { thumbnailsOf } from "../src/domain/thumbnails.ts";
import { pause, type readsOf } from "./service.ts";

/** What several pages show in the same way. */

/** The element with an id, which the page has. */
export const find = <E extends HTMLElement>(id: string): E => document.querySelector<E>(`#${id}`) as E;

/** Puts a sentence into a place. @param tone `good`, `bad` or nothing */
export const say = (place: HTMLElement, sentence: string, tone = ""): void => {
  const text = document.createElement("p");
  text.textContent = sentence;
  text.className = tone;
  place.replaceChildren(text);
};

/** Clears a place of what went wrong before. */
export const clearProblem = (place: HTMLElement): void => {
  if (place.querySelector(".bad")) place.replaceChildren();
};

/** Names a transaction behind what a place says, with its address in an explorer where the service knows one. */
export function showTransaction(place: HTMLElement, hash: string | null, explorer: string | null): void {
  if (hash === null) return;
  const line = document.createElement("p");
  const name = document.createElement("code");
  name.textContent = hash;
  line.append("Transaction: ", name);
  if (explorer !== null) {
    const link = document.createElement("a");
    link.href = explorer;
    link.rel = "noopener";
    name.replaceWith(link);
    link.append(name);
  }
  place.append(line);
}

function tile(
  slug: string,
  { number, title, media_url: picture, media_type: type }: PublicToken,
): HTMLElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/g/${slug}/${number}`;
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = title ?? `No. ${number}`;
  if (picture && (type === null || type.startsWith("image/"))) {
    const image = new Image(600, 600);
    image.className = "picture";
    image.sizes = "12rem";
    image.srcset = thumbnailsOf(picture, location.origin) ?? "";
    image.src = picture;
    image.alt = "";
    link.append(image);
  }
  link.append(name);
  item.append(link);
  return item;
}

/**
 * Shows tokens before the others of a list; one shows its picture from the block after its mint on. Never fails: what
 * can't be read now is shown without a picture.
 */
export async function showTokens(
  place: HTMLElement,
  slug: string,
  reads: ReturnType<typeof readsOf>,
  tokens: readonly PublicToken[],
): Promise<void> {
  const drawn = await Promise.all(
    tokens.map(async (token) => {
      let seen = token;
      for (let tries = 0; seen.media_url === null && tries < 20; tries++) {
        await pause(1_000);
        seen = await reads.token(token.number).catch(() => seen);
      }
      return seen;
    }),
  );
  place.prepend(...drawn.map((token) => tile(slug, token)));
}

/** The account that stands in a field. Ids have no capitals, and phones write some and a blank behind. */
export const accountIn = (field: HTMLInputElement): string => field.value.trim().toLowerCase();

/** "one NFT", "3 NFTs" */
export const countNfts = (count: number): string => (count === 1 ? "one NFT" : `${count} NFTs`);
