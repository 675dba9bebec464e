import type { PublicCollection, PublicToken } from "../../api/resources/public-collection.ts";

const nameOf = ({ title, number }: PublicToken): string => title || `No. ${number}`;

/** What tells an NFT from others of its collection: the contract puts the collection's title before each subtitle. */
export const ownNameOf = (token: PublicToken, { title }: Pick<PublicCollection, "title">): string => {
  const name = nameOf(token);
  const own = name.startsWith(`${title} `) ? name.slice(title.length).trim() : name;
  return own === title || own === "" ? `No. ${token.number}` : own;
};

/** Whether an NFT's own name is but its number. */
export const isNumber = (own: string): boolean => /^(?:No\. |#)?\d/.test(own);
