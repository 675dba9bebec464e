import { sha256 } from "@noble/hashes/sha2.js";
import type { PublicCollection, PublicToken } from "../../api/resources/public-collection.ts";
import { grouped } from "../../domain/counted.ts";
import { toHex } from "../../domain/ids.ts";
import type { CardTexts } from "../../domain/share-card.ts";
import { isolated } from "../../domain/texts.ts";
import { makerOf } from "./by.tsx";
import { signOf } from "./media.tsx";
import { isNumber, ownNameOf } from "./names.ts";
import { ACCENT } from "./styles.ts";

/** What the card of a page shows. */
export interface Card {
  readonly texts: CardTexts;
  /** Of the work; null: there is none so far. */
  readonly url: string | null;
  /** Where it is, by an address that changes with what it shows: other sites keep pictures by their addresses. */
  readonly path: string;
  /** Of all that it shows. */
  readonly digest: string;
  readonly alt: string;
}

export const CARD_PATH = "/public/v1/card";

/** The card of a collection, or of an NFT of it. @param token null: the collection's */
export function cardOfPage(collection: PublicCollection, token: PublicToken | null): Card {
  const { slug, title, cover, theme, total_copies: total } = collection;
  const own = token && ownNameOf(token, collection);
  const isNamed = own !== null && !isNumber(own);
  const by = `By ${makerOf(collection)}`;
  const texts = {
    title: isNamed ? own : title,
    line: token ? `No. ${grouped(token.number)} of ${grouped(total)}` : `${grouped(total)} NFTs`,
    creator: isNamed ? `${title} · ${by}` : by,
    accent: theme?.accent ?? ACCENT,
    sign: signOf((token ? token.media_type : cover?.media_type) ?? null),
  };
  const url = (token ? token.media_url : cover?.url) ?? null;
  const digest = toHex(sha256(new TextEncoder().encode(JSON.stringify([texts, url])))).slice(0, 16);
  return {
    texts,
    url,
    path: `${CARD_PATH}/${slug}/${token?.number ?? "collection"}?v=${digest}`,
    digest,
    alt: token ? `${isolated(texts.title)}, No. ${token.number}` : `Cover of ${isolated(title)}`,
  };
}
