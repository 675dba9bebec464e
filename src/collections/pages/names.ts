import type { PublicCollection, PublicToken } from "../../api/resources/public-collection.ts";
import { grouped } from "../../domain/counted.ts";

/** A number, alone or with that of all: `4`, `#4`, `No. 4`, `4 of 120`. A name may begin with one. */
const NUMBER = /^(?:No\. ?|#)?(\d[\d,]*)(?: ?(?:of|\/) ?\d[\d,]*)?$/;

/** Whether an NFT's own name is but a number. */
export const isNumber = (own: string): boolean => NUMBER.test(own);

/** What tells an NFT from others of its collection: the contract puts the collection's title before each subtitle. */
export const ownNameOf = (
  { title: full, number }: Pick<PublicToken, "title" | "number">,
  { title }: Pick<PublicCollection, "title">,
): string => {
  const numbered = `No. ${grouped(number)}`;
  const name = full || numbered;
  const own = name.startsWith(`${title} `) ? name.slice(title.length).trim() : name;
  if (own === title || own === "") return numbered;
  return NUMBER.exec(own)?.[1]?.replaceAll(",", "") === String(number) ? numbered : own;
};
