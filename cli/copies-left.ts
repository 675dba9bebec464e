import type { Collection } from "../client/src/index.ts";

/** Copies of a collection that can still be minted: none where its supply is locked. */
export const copiesLeft = ({
  locks,
  total_copies,
  minted,
}: Pick<Collection, "locks" | "total_copies" | "minted">): number =>
  locks.includes("supply") ? 0 : total_copies - minted;
