import type { DropSummary, MintageClient } from "../../client/src/index.ts";
import { counted } from "../table.ts";

/** What the open links of a collection's drops can still take. */
export interface OpenClaims {
  readonly links: number;
  readonly copies: number;
}

const isOpen = ({ expires_at: end }: DropSummary): boolean => Date.parse(end) > Date.now();

/** The open links of a collection. */
export async function openClaims(client: MintageClient, collectionUuid: string): Promise<OpenClaims> {
  let [links, copies] = [0, 0];
  for await (const drop of client.drops.list(collectionUuid)) {
    if (!isOpen(drop)) continue;
    const left = drop.links - drop.claimed - drop.revoked;
    links += left;
    copies += left * drop.quantity;
  }
  return { links, copies };
}

/**
 * What whoever sells copies, promises more of them or mints some has to know of open links; empty where there are none.
 * @param left copies that the collection has left
 * @param minted copies of these that are to be minted now
 */
export function claimsText({ links, copies }: OpenClaims, left: number, minted = 0): string {
  if (links === 0) return "";
  const spare = left - copies - minted;
  const after = minted > 0 ? `after ${minted} more are minted, ` : "";
  const beyond =
    spare < 0
      ? `${after}${counted(-spare, "copy is", "copies are")} missing, so some links will fail`
      : `${after}${spare} more can be minted before links fail`;
  return `Claim links: ${counted(links, "is open and needs", "are open and need")} ${copies} of the ${counted(left, "copy", "copies")} left; ${beyond}. No copies are reserved for links.`;
}
