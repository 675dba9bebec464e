import type { ServiceContext } from "../../context.ts";
import { duration } from "../../domain/counted.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { MemoryBudget } from "../../domain/memory-budget.ts";
import { BLOCK_SIZE } from "../ipfs/file.ts";
import { filesInTransit, shareOf } from "../isolate-memory.ts";
import { PART_SIZE } from "../storage/multipart-upload.ts";
import { STALL_MS } from "./media-download.ts";

/** The two fields that name a file by its address. */
export type UrlField = "asset_file_url" | "reference_file_url";

/** Bytes that are in memory while a file comes in: its first block, and two parts of one that is larger. */
const HELD: Readonly<Record<UrlField, number>> = {
  asset_file_url: BLOCK_SIZE + 2 * PART_SIZE,
  reference_file_url: BLOCK_SIZE,
};

/** Requests with both files that an isolate serves at once, and those of one integration. */
const MOST_AT_ONCE = 4;
const MOST_OF_INTEGRATION = 2;
const HELD_BY_REQUEST = HELD.asset_file_url + HELD.reference_file_url;

/** Files that come in are renewed with every piece; a host that sends none for so long is given up before. */
const memory = new MemoryBudget(
  {
    bytes: MOST_AT_ONCE * HELD_BY_REQUEST,
    bytesOfOwner: MOST_OF_INTEGRATION * HELD_BY_REQUEST,
    lapsesAfterMs: 2 * STALL_MS,
  },
  filesInTransit,
);

/** How long a file waits until others are in, and how often it looks. Milliseconds. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 100;
/** Seconds after which some of the others are likely to be in. */
const RETRY_AFTER = 5;

/**
 * Takes a file in as soon as there is memory for it.
 * @param take gets what has to be called with every piece that comes
 * @throws ServiceError rate_limited if there is none within 20 s; `take` isn't called then
 */
export async function withFetchMemory<T>(
  { now }: ServiceContext,
  { integrationId, field }: { readonly integrationId: Uuid; readonly field: UrlField },
  take: (moved: () => void) => Promise<T>,
): Promise<T> {
  const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now };
  const share = await shareOf(memory, { bytes: HELD[field], owner: integrationId, ...patience });
  if (share === null) throw tooMany();
  try {
    return await take(share.moved);
  } finally {
    share.ended();
  }
}

const tooMany = (): ServiceError =>
  new ServiceError(
    "rate_limited",
    `Too many files are fetched by their URLs at once. Nothing was sent. Wait ${duration(RETRY_AFTER)}.`,
    { outcome: "not_submitted", retryable: true, retryAfter: RETRY_AFTER },
  );
