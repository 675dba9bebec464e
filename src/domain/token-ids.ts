/** A token id is `<collection_id>:<number>`, both from 1 without leading zeros (docs/contract.md, "Conventions"). */
const TOKEN_ID = /^([1-9]\d{0,9}):([1-9]\d{0,9})$/;

/** The two numbers of a token id; null if the text isn't one. */
export const parseTokenId = (text: string): { collectionId: number; number: number } | null => {
  const match = TOKEN_ID.exec(text);
  return match && { collectionId: Number(match[1]), number: Number(match[2]) };
};

/** A token's number within its collection, which is its place in minting order. @throws Error for any other text */
export const tokenNumber = (text: string): number => {
  const parsed = parseTokenId(text);
  if (!parsed) throw new Error("the contract returned something that is no token id");
  return parsed.number;
};

/** The collection's number in a token id. */
export const collectionOf = (tokenId: string): number => Number(tokenId.slice(0, tokenId.indexOf(":")));
