import { ApiError, type Me, type MintInput, type Quote } from "../../client/src/index.ts";
import { inParallel } from "../../client/src/parallel.ts";
import { UsageError } from "../command.ts";
import { near } from "../table.ts";
import { type Airdrop, requestsToCome } from "./run.ts";

/** yoctoNEAR that NEAR locks for a stored byte (https://docs.near.org/protocol/storage/storage-staking). */
const BYTE_PRICE = 10n ** 19n;
/** yoctoNEAR that the service's top-ups leave a contract for later mints at most; test/start/airdrop.test.ts runs on this much. */
const TOPPED_UP_AHEAD = 6n * 10n ** 23n;
/** yoctoNEAR that the top-up of one request takes at most: what 25 NFTs store, twice, and 20,000 bytes ahead. */
const TOPPED_UP_FOR_ONE = 4n * 10n ** 23n;
/** yoctoNEAR that is asked for beyond what is missing: the wallet may burn gas between two runs. */
const SPARE = 10n ** 22n;
/** How old the contract's free balance of GET /me may be, milliseconds. */
export const BALANCE_LASTS_MS = 5_000;

/** Requests that cost the same, and the quote for one of them. */
export interface QuotedRequests {
  readonly count: number;
  /** NFTs of each. */
  readonly nfts: number;
  readonly quote: Pick<Quote, "transactions" | "storage_bytes" | "cost" | "top_up" | "wallet">;
}

/** What the rest of an airdrop costs; amounts in yoctoNEAR. */
export interface RunCost {
  readonly nfts: number;
  readonly transactions: number;
  readonly storageBytes: number;
  /** That contracts hold, part of the cost. */
  readonly storage: bigint;
  readonly expected: bigint;
  readonly most: bigint;
  readonly available: bigint;
  /** To be sent to the wallet before the run; 0: it can pay. */
  readonly missing: bigint;
}

/**
 * Adds quotes up. Each quote takes the contract's free balance for itself, so that top-ups are counted for the whole run.
 * @param free what the contract can still store for, yoctoNEAR
 * @param available what the wallet may spend, yoctoNEAR
 */
export function costOfRun(requests: readonly QuotedRequests[], free: bigint, available: bigint): RunCost {
  const sum = (of: (one: QuotedRequests) => bigint) =>
    requests.reduce((total, one) => total + BigInt(one.count) * of(one), 0n);
  const bytes = sum(({ quote }) => BigInt(quote.storage_bytes));
  const lacking = bytes * BYTE_PRICE - free;
  const storage = lacking > 0n ? lacking : 0n;
  const expected = sum(({ quote }) => BigInt(quote.cost.expected) - BigInt(quote.top_up)) + storage;
  const gasAtMost = sum(({ quote }) => BigInt(quote.cost.at_most) - BigInt(quote.top_up));
  const most = gasAtMost + storage + (storage > 0n ? TOPPED_UP_AHEAD : 0n);
  const lacks = [most - available, ...requests.map(({ quote }) => BigInt(quote.wallet.missing))].reduce(
    (one, other) => (one > other ? one : other),
  );
  return {
    nfts: Number(sum(({ nfts }) => BigInt(nfts))),
    transactions: Number(sum(({ quote }) => BigInt(quote.transactions))),
    storageBytes: Number(bytes),
    storage,
    expected,
    most,
    available,
    missing: lacks > 0n ? lacks + SPARE : 0n,
  };
}

/**
 * Has one request of each size quoted, of drawn copies and of chosen ones, the one that stores most, and adds up what all
 * that are to come cost.
 */
export async function quoteRun(airdrop: Airdrop, me: Me, contractAddress: string): Promise<RunCost> {
  const { client, collectionUuid, parallel } = airdrop;
  const path = `/collection/${collectionUuid}/mint`;
  const alike = Map.groupBy(requestsToCome(airdrop), ({ asset_uuid, ...body }) =>
    [nftsOf(body), body.quantity_per_receiver, asset_uuid !== undefined].join(),
  );
  const quoted: QuotedRequests[] = [];
  await inParallel([...alike.values()], parallel, async (requests) => {
    for (const body of requests.toSorted((one, other) => lengthOf(other) - lengthOf(one))) {
      const quote = await client
        .quote({ method: "POST", path, body: { ...body, receivers_must_exist: false } })
        .catch(soldOut);
      if (quote === null) continue;
      quoted.push({ count: requests.length, nfts: nftsOf(body), quote });
      break;
    }
  });
  const contract = me.contracts.find(({ account_id }) => account_id === contractAddress);
  // A quote has the balance of the last final block, GET /me one that may be older.
  const available = quoted[0]?.quote.wallet.available ?? me.wallet.available;
  return costOfRun(quoted, BigInt(contract?.balance_free ?? 0), BigInt(available ?? 0));
}

const lengthOf = ({ receiver_addresses }: MintInput): number => receiver_addresses.join("").length;

const nftsOf = ({ receiver_addresses, quantity_per_receiver }: MintInput): number =>
  receiver_addresses.length * (quantity_per_receiver ?? 1);

/** What is sold out costs nothing: the request itself is refused. */
function soldOut(error: unknown): null {
  if (error instanceof ApiError && error.code === "sold_out") return null;
  throw error;
}

/** Rows of the plan that say what a run costs. */
export const costRows = ({ transactions, storageBytes, storage, expected, most, available }: RunCost) => [
  { what: "transactions", value: `about ${transactions}` },
  {
    what: "storage",
    value: `${storageBytes} bytes; the contract gets ${near(String(storage), "up")} NEAR for them`,
  },
  {
    what: "cost in all",
    value: `about ${near(String(expected), "up")} NEAR, at most ${near(String(most), "up")} NEAR`,
  },
  { what: "the wallet may spend", value: `${near(String(available))} NEAR` },
];

/**
 * Requests at a time that the wallet can pay for, at most `parallel`. Of several that find the contract without storage each
 * has it topped up, so that money which is just enough is only enough one by one.
 */
export const atOnce = ({ storage, most, available }: RunCost, parallel: number): number =>
  storage === 0n
    ? parallel
    : Math.max(1, Math.min(parallel, 1 + Number((available - most) / TOPPED_UP_FOR_ONE)));

/** @param what the run does, as the subject of a sentence. @throws UsageError where the wallet can't pay for the whole run */
export function requireFunds({ most, available, missing }: RunCost, me: Me, what: string): void {
  if (missing === 0n) return;
  throw new UsageError(
    `Send ${near(String(missing), "up")} NEAR to ${me.wallet.account_id} and run it again: ${what} takes up to ${near(String(most), "up")} NEAR, and the wallet may spend ${near(String(available))} NEAR. Nothing was sent.`,
  );
}
