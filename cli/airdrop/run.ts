import type { ApiError, MintAnswer, MintageClient, MintInput } from "../../client/src/index.ts";
import { inParallel } from "../../client/src/parallel.ts";
import { csvText } from "../csv.ts";
import { hadNoEffect } from "../no-effect.ts";
import type { AirdropJournal } from "./journal.ts";
import type { MintPart } from "./plan.ts";
import type { Receiver } from "./receivers.ts";

/** What an airdrop works with. */
export interface Airdrop {
  readonly client: MintageClient;
  readonly collectionUuid: string;
  readonly receivers: readonly Receiver[];
  readonly parts: readonly MintPart[];
  /** Uuids of the assets that rows name. */
  readonly assets: ReadonlyMap<string, string>;
  readonly journal: AirdropJournal;
  /** Requests at a time. */
  readonly parallel: number;
  /** Mints to accounts that don't exist as well; without it a request that names one mints nothing. */
  readonly allowsUnknown: boolean;
  /** Told how many NFTs are minted. */
  readonly onProgress: (minted: number) => void;
}

/** The service keeps the answers to Idempotency-Keys for a day; an hour of it is left for this run. Milliseconds. */
const KEY_LASTS_MS = 23 * 3_600_000;

/** Tries of a request after the first: a restart of the service is waited out, and so are refusals for too many requests. */
export const MINT_RETRIES = 45;

/** A row that gets nothing as it is, and why. */
export interface RefusedRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly account: string;
  readonly reason: string;
}

type Work = Pick<Airdrop, "receivers" | "parts" | "journal">;

const accountOf = ({ receivers }: Pick<Airdrop, "receivers">, row: number): string =>
  receivers[row]?.account ?? "";

/** Rows of a request that are still to get theirs. */
function rowsLeft(work: Work, index: number): readonly number[] {
  const { left } = work.journal.part(index);
  const { rows } = partOf(work, index);
  return left === null ? rows : rows.filter((row) => left.includes(accountOf(work, row)));
}

/** Rows of a request's next attempt. It is the same for the same attempt, whichever run sends it. */
function rowsOfAttempt(work: Work, index: number): readonly number[] {
  const { without } = work.journal.part(index);
  const rows = rowsLeft(work, index);
  const others = rows.filter((row) => !without.includes(accountOf(work, row)));
  return others.length > 0 ? others : rows;
}

/**
 * Bodies of the requests that weren't sent yet. One that was sent without an answer may have been carried out: it is sent
 * again, and costs nothing more then.
 */
export const requestsToCome = (airdrop: Airdrop): MintInput[] =>
  [...airdrop.parts.keys()].flatMap((index) => {
    const rows = rowsLeft(airdrop, index);
    return rows.length > 0 && airdrop.journal.part(index).sent === null ? [bodyOf(airdrop, index, rows)] : [];
  });

function partOf({ parts }: Pick<Airdrop, "parts">, index: number): MintPart {
  const part = parts[index];
  if (part === undefined) throw new Error(`The plan has no request ${index}.`);
  return part;
}

/** NFTs that are minted. */
export const mintedSoFar = (work: Work): number =>
  work.parts.reduce(
    (sum, { rows, quantity }, index) => sum + (rows.length - rowsLeft(work, index).length) * quantity,
    0,
  );

/**
 * Requests that a run sent too long ago for their keys to tell what became of them.
 * @param now milliseconds since 1970
 */
export const inDoubt = ({ parts, journal }: Pick<Airdrop, "parts" | "journal">, now: number): number[] =>
  parts.flatMap((_, index) => {
    const { sent } = journal.part(index);
    return sent !== null && now - sent > KEY_LASTS_MS ? [index] : [];
  });

/** Gives requests up whose outcome a person has found to be nothing, so that they are sent again. */
export function sendAnew({ journal }: Airdrop, parts: readonly number[]): void {
  for (const part of parts) {
    journal.write({ part, failed: "sent again by --resend", attempt: journal.part(part).attempt });
  }
}

/**
 * Mints what isn't minted yet, several requests at a time. A request is sent again under the key that it had, so that
 * one which was carried out isn't carried out twice, whenever the run before was killed.
 * @returns rows that got nothing because of what they say, of which others got theirs; another run tries them again
 * @throws the first other failure, once the requests under way have ended
 */
export async function mintAll(airdrop: Airdrop): Promise<RefusedRow[]> {
  const { parts, parallel, onProgress } = airdrop;
  // A row of many NFTs takes several requests, and is refused once.
  const refused = new Map<number, RefusedRow>();
  let minted = mintedSoFar(airdrop);
  onProgress(minted);
  const open = [...parts.keys()].filter((index) => rowsLeft(airdrop, index).length > 0);
  // Requests under way aren't broken off when another fails: what became of them would not be known.
  await inParallel(open, parallel, async (index) => {
    const before = rowsLeft(airdrop, index).length;
    for (const row of await mintPart(airdrop, index)) refused.set(row.line, row);
    minted += (before - rowsLeft(airdrop, index).length) * partOf(airdrop, index).quantity;
    onProgress(minted);
  });
  return [...refused.values()].toSorted((one, other) => one.line - other.line);
}

/** Mints to those of a request's rows that can get theirs. @returns the others */
async function mintPart(airdrop: Airdrop, index: number): Promise<RefusedRow[]> {
  const { journal, receivers } = airdrop;
  const refused: RefusedRow[] = [];
  for (;;) {
    const rows = rowsOfAttempt(airdrop, index);
    const { attempt } = journal.part(index);
    journal.write({ part: index, sent: Date.now(), attempt });
    try {
      const answer = await send(airdrop, index, rows);
      const left = rowsLeft(airdrop, index)
        .filter((row) => !rows.includes(row))
        .map((row) => accountOf(airdrop, row));
      journal.write({ part: index, attempt, ...receiptOf(answer), left });
      return refused;
    } catch (error) {
      if (!hadNoEffect(error)) throw error;
      const faulty = faultyRows(airdrop, index, { rows, error });
      const reason = error.code === "unknown_account" ? "there is no such account" : error.message;
      refused.push(
        ...faulty.map((row) => ({
          line: receivers[row]?.line ?? 0,
          account: accountOf(airdrop, row),
          reason,
        })),
      );
      const out = [...journal.part(index).without, ...faulty.map((row) => accountOf(airdrop, row))];
      journal.write({ part: index, failed: error.code, attempt, without: out });
      if (faulty.length === 0) throw error;
      if (faulty.length === rows.length) return refused;
    }
  }
}

/** Rows that are at fault themselves that an attempt was refused; none where all rows of the file would fare alike. */
function faultyRows(
  { parts }: Pick<Airdrop, "parts">,
  index: number,
  { rows, error }: { readonly rows: readonly number[]; readonly error: ApiError },
): readonly number[] {
  if (error.code === "unknown_account") {
    const named = error.issues.map(({ path }) => (path[0] === "receiver_addresses" ? path[1] : undefined));
    return rows.filter((_, at) => named.includes(at));
  }
  return error.code === "sold_out" && parts[index]?.asset !== undefined ? rows : [];
}

function bodyOf(airdrop: Airdrop, index: number, rows: readonly number[]): MintInput {
  const { assets, allowsUnknown } = airdrop;
  const { asset, quantity } = partOf(airdrop, index);
  return {
    receiver_addresses: rows.map((row) => accountOf(airdrop, row)),
    quantity_per_receiver: quantity,
    ...(asset !== undefined && { asset_uuid: assets.get(asset) ?? asset }),
    receivers_must_exist: !allowsUnknown,
  };
}

function send(airdrop: Airdrop, index: number, rows: readonly number[]): Promise<MintAnswer> {
  const { client, collectionUuid, journal } = airdrop;
  return client.collections.mint(collectionUuid, bodyOf(airdrop, index, rows), {
    idempotencyKey: `airdrop-${journal.head.airdrop}-${index}-${journal.part(index).attempt}`,
  });
}

const receiptOf = ({ tokens, tx_results: [transaction] }: MintAnswer) => ({
  tokens: tokens.map(({ token_id, owner_id }) => ({ token_id, owner_id })),
  transaction: transaction?.transaction_hash ?? null,
  burnt: transaction?.tokens_burnt ?? null,
});

/** A CSV with a line for each row of the receivers' file: what it got, and by which transactions. */
export function receiptsCsv({ receivers, parts, journal }: Work): string {
  const tokens = receivers.map((): string[] => []);
  const transactions = receivers.map(() => new Set<string>());
  for (const [index, { rows }] of parts.entries()) {
    const rowOf = new Map(rows.map((row) => [receivers[row]?.account, row]));
    for (const { tokens: minted, transaction } of journal.part(index).receipts) {
      for (const { token_id, owner_id } of minted) {
        const row = rowOf.get(owner_id) ?? -1;
        tokens[row]?.push(token_id);
        if (transaction) transactions[row]?.add(transaction);
      }
    }
  }
  return csvText(
    ["line", "account", "quantity", "token_ids", "transactions", "asset"],
    receivers.map(({ line, account, quantity, asset = "" }, row) => [
      line,
      account,
      quantity,
      (tokens[row] ?? []).join(" "),
      [...(transactions[row] ?? [])].join(" "),
      asset,
    ]),
  );
}
