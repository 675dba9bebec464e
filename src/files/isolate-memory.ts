import { MemoryBudget, MemorySpace } from "../domain/memory-budget.ts";
import { type PollPolicy, pollUntil } from "../waiting.ts";

/**
 * What forms, files at URLs and CARs may hold of an isolate's memory while they pass through, all together. Cloudflare
 * gives an isolate 128 MB (https://developers.cloudflare.com/workers/platform/limits/); the rest is for the code, and for
 * JSON. Each of the three has a budget of its own, which is a part of this one.
 */
export const filesInTransit = new MemorySpace({ bytes: 96 * 1_048_576, bytesOfOwner: 64 * 1_048_576 });

/** Bodies renew their shares with every piece; one that comes for longer is given up before. Milliseconds. */
const BODY_LAPSES_AFTER_MS = 150_000;

const bodies = (megabytes: number, megabytesOfOwner: number, lapsesAfterMs = BODY_LAPSES_AFTER_MS) =>
  new MemoryBudget({
    bytes: megabytes * 1_048_576,
    bytesOfOwner: megabytesOfOwner * 1_048_576,
    lapsesAfterMs,
  });

/** As above, for bodies that need no key, which have five seconds. Milliseconds. */
const PUBLIC_LAPSES_AFTER_MS = 10_000;

/**
 * What JSON bodies hold while they come in. It is no part of the files' memory, so that large uploads don't keep
 * everybody else's requests waiting; nor do large bodies keep small ones waiting, or anybody's the operator's. Bodies that
 * need no key belong to the network that they come from.
 */
export const bodiesInTransit = {
  large: bodies(16, 8),
  small: bodies(8, 2),
  operator: bodies(4, 4),
  public: bodies(8, 1 / 16, PUBLIC_LAPSES_AFTER_MS),
};

/** A share of an isolate's memory. */
export interface MemoryShare {
  /** A piece came, or was taken: the share doesn't lapse yet. */
  readonly moved: () => void;
  /** It is over. */
  readonly ended: () => void;
}

/** How much is wanted, whose it is, and how long it is waited for. */
interface Wanted extends PollPolicy {
  readonly bytes: number;
  readonly owner: string;
}

/**
 * A share of a budget as soon as there is room for it; null if there is none in time. Nobody is woken: whoever holds the
 * memory may be of a request that is gone.
 */
export const shareOf = async (
  budget: MemoryBudget,
  { bytes, owner, ...patience }: Wanted,
): Promise<MemoryShare | null> => {
  const time = () => patience.now().getTime();
  const share = await pollUntil(patience, () => budget.take(bytes, owner, time()));
  return share && { moved: () => budget.renew(share, time()), ended: () => budget.giveBack(share) };
};
