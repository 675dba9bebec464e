import type { PublicToken } from "../src/api/resources/public-collection.ts";
import { isNumber, ownNameOf } from "../src/collections/pages/names.ts";
import { isImplicitAccountId } from "../src/domain/account-ids.ts";
import { thumbnailsOf } from "../src/domain/thumbnails.ts";
import { replaceContent } from "./reveal.ts";
import { pause, type readsOf } from "./service.ts";
import { sharing } from "./share.ts";
import { playSounds, soundCover } from "./sound.ts";

/** What several pages show in the same way. */

/** The element with an id, which the page has. */
export const find = <E extends HTMLElement>(id: string): E => document.querySelector<E>(`#${id}`) as E;

/** Puts a sentence into a place. @param tone `bad` or nothing */
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

/** An element with a text. */
const made = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = "",
  className = "",
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
};

/** An NFT's picture, film or sound, or a sentence until it is drawn. */
function mediaOf({
  number,
  media_url: url,
  media_type: type,
  media_ground: ground,
}: PublicToken): HTMLElement {
  const alt = `No. ${number}`;
  if (url === null) return made("span", "Being drawn …", "picture blank");
  const [sort] = type?.split("/") ?? ["image"];
  if (sort === "video" || sort === "audio") {
    const media = document.createElement(sort);
    Object.assign(media, { src: url, controls: true, ariaLabel: alt });
    if (media instanceof HTMLVideoElement)
      return Object.assign(media, { className: "picture", src: `${url}#t=0.1`, muted: true, loop: true });
    const sound = made("div", "", "sound");
    sound.append(soundCover(url), media);
    return sound;
  }
  if (sort !== "image") return made("span", type ?? "", "picture blank");
  const { width, height } = ground ?? { width: 600, height: 600 };
  const image = new Image(width, height);
  // Until a picture is there, its place has its shape.
  if (ground) image.style.setProperty("--ratio", String(width / height));
  const thumbnails = type === "image/gif" ? undefined : thumbnailsOf(url, location.origin);
  if (thumbnails) Object.assign(image, { sizes: "(min-width: 48rem) 70vh, 96vw", srcset: thumbnails });
  return Object.assign(image, { className: "picture", src: url, alt });
}

/** Shows an NFT's work. A picture leads to the NFT's page; of films and sounds the controls are pressed. */
function showWork(place: HTMLElement, slug: string, token: PublicToken): void {
  const work = mediaOf(token);
  const link = Object.assign(document.createElement("a"), { href: `/g/${slug}/${token.number}` });
  const isPlayed = work.matches(".sound, video");
  if (!isPlayed) link.append(work);
  place.replaceChildren(isPlayed ? work : link);
  playSounds(place);
}

/** "4", "4 and 5", "4, 5 and 7", "4 to 6" */
const listed = (numbers: readonly number[]): string => {
  const isRow = numbers.length > 2 && numbers.every((number, index) => number === (numbers[0] ?? 0) + index);
  if (isRow) return `${numbers[0]} to ${numbers.at(-1)}`;
  return [numbers.slice(0, -1).join(", "), String(numbers.at(-1))]
    .filter((text) => text !== "")
    .join(" and ");
};

/** What a mint or a claim has given to an account. */
export interface Given {
  readonly slug: string;
  readonly title: string;
  /** Who has made it. */
  readonly by: string;
  readonly account: string;
  /** Whether it is the collector's own. */
  readonly isOwn: boolean;
  /** Whether a link gave it before, to whomever. */
  readonly isBefore?: boolean;
  readonly tokens: readonly PublicToken[];
  readonly hash: string | null;
  readonly explorer: string | null;
}

/** An account as a sentence names it: of the id of a key, which is 64 digits long, both ends. */
export const shortAccount = (account: string): string =>
  isImplicitAccountId(account) ? `${account.slice(0, 6)}…${account.slice(-6)}` : account;

/** A sentence for each NFT that has another owner now than the account that got it. */
const ownersNow = (tokens: readonly PublicToken[], account: string): string =>
  tokens
    .filter(({ owner_id: owner }) => owner !== account)
    .map(({ number, owner_id: owner }) => ` No. ${number} belongs to ${shortAccount(owner)} now.`)
    .join("");

/** Whose it is for good, the transaction's hash where it is known, and its address in an explorer. */
function details({ account, hash, explorer }: Given): HTMLElement {
  const fold = document.createElement("details");
  const final = made("p", `Final on the chain, for ${shortAccount(account)}.`, "small");
  fold.append(made("summary", "Details"), final);
  if (hash === null) return fold;
  const name = made("code", hash);
  const link = explorer && Object.assign(document.createElement("a"), { href: explorer, rel: "noopener" });
  if (link) link.append(name);
  const said = made("p", "Transaction", "small");
  said.append(document.createElement("br"), link || name);
  fold.append(said);
  return fold;
}

/** What NFTs are called: a single one that has a name by it, others by their numbers. */
function nameOf(tokens: readonly PublicToken[], title: string): string {
  const [first] = tokens;
  const own = first && tokens.length === 1 ? ownNameOf(first, { title }) : "";
  return own === "" || isNumber(own) ? `No. ${listed(tokens.map(({ number }) => number))}` : own;
}

/**
 * Fills the page with what was given. An NFT shows its picture from the block after its mint on; what can't be read now
 * is shown without. Never fails.
 */
export async function showGiven(reads: ReturnType<typeof readsOf>, given: Given): Promise<void> {
  const { slug, title, by, account, isOwn, isBefore = false, tokens } = given;
  const place = find("owned");
  const numbers = tokens.map(({ number }) => number);
  const names = nameOf(tokens, title);
  const isNamed = !isNumber(names) && numbers.length === 1;
  const path =
    numbers.length === 1
      ? `/g/${slug}/${numbers[0]}`
      : `/g/${slug}?${new URLSearchParams({ owner: account })}`;
  const works = made("div", "", numbers.length === 1 ? "work" : "work several");
  const pictures = tokens.map((token) => {
    const place = made("div");
    showWork(place, slug, token);
    works.append(place);
    return { token, place };
  });
  // What others own is looked at first.
  const share = made("button", "Share", isOwn ? "" : "plain");
  share.type = "button";
  const view = Object.assign(made("a", "View", isOwn ? "button plain" : "button"), { href: path });
  const row = made("div", "", "row");
  row.append(share, view);
  const text = made("div", "", "says");
  const one = numbers.length === 1;
  const heading = isBefore
    ? `This link has given ${names}`
    : isOwn
      ? `You own ${names}`
      : `${names} ${one ? "is" : "are"} now owned by ${shortAccount(account)}`;
  const which = `${title}${isNamed ? ` No. ${numbers[0]}` : ""} · By ${by}`;
  text.append(made("h2", heading), made("p", which, "soft"));
  if (isBefore) {
    const line = `It was redeemed for ${shortAccount(account)}.${ownersNow(tokens, account)}`;
    text.append(made("p", line, "soft small"));
  }
  text.append(row);
  if (!isBefore) text.append(details(given));
  place.replaceChildren(works, text);
  sharing(share, isNamed ? `${names} · ${title}` : `${title}, ${names}`, path);
  document.body.classList.add("won");
  scrollTo({ top: 0, behavior: "instant" });
  await Promise.all(
    pictures.map(async ({ token, place }) => {
      let seen = token;
      for (let tries = 0; seen.media_url === null && tries < 20; tries++) {
        await pause(1_000);
        seen = await reads.token(token.number).catch(() => seen);
      }
      showWork(place, slug, seen);
    }),
  );
}

/** Shows what was given as it is after a reveal. */
export async function refreshGiven(reads: ReturnType<typeof readsOf>): Promise<void> {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("#owned a:has(> .picture)")) {
    const number = Number(link.pathname.split("/").at(-1));
    await replaceContent(link, [mediaOf(await reads.token(number))]);
  }
}

/** The account that stands in a field. Ids have no capitals, and phones write some and a blank behind. */
export const accountIn = (field: HTMLInputElement): string => field.value.trim().toLowerCase();

/** "one NFT", "3 NFTs" */
export const countNfts = (count: number): string => (count === 1 ? "one NFT" : `${count} NFTs`);
