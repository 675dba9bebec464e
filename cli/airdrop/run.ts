import { ApiError, type MintAnswer, type MintageClient } from "../../client/src/index.ts";
import { inParallel } from "../../client/src/parallel.ts";
import { UsageError } from "../command.ts";
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

/** NFTs of a request. */
export const mintsOf = ({ rows, quantity }: MintPart): number => rows.length * quantity;

/** NFTs of the requests that are through. */
export const mintedBefore = ({ parts, journal }: Pick<Airdrop, "parts" | "journal">): number =>
  parts.reduce((sum, part, index) => sum + (journal.part(index).done ? mintsOf(part) : 0), 0);

/**
 * Requests that a run sent too long ago for their keys to tell what became of them.
 * @param now milliseconds since 1970
 */
export const inDoubt = ({ parts, journal }: Pick<Airdrop, "parts" | "journal">, now: number): number[] =>
  parts.flatMap((_, index) => {
    const { done, sent } = journal.part(index);
    return done === null && sent !== null && now - sent > KEY_LASTS_MS ? [index] : [];
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
 * @throws the first failure, once the requests under way have ended
 */
export async function mintAll(airdrop: Airdrop): Promise<void> {
  const { parts, journal, parallel, onProgress } = airdrop;
  let minted = mintedBefore(airdrop);
  onProgress(minted);
  const open = [...parts.entries()].filter(([index]) => journal.part(index).done === null);
  await inParallel(open, parallel, async ([index, part], signal) => {
    await mintPart(airdrop, index, signal);
    minted += mintsOf(part);
    onProgress(minted);
  });
}

async function mintPart(airdrop: Airdrop, index: number, signal: AbortSignal): Promise<void> {
  const { client, collectionUuid, receivers, parts, assets, journal, allowsUnknown } = airdrop;
  const part = parts[index];
  if (part === undefined) throw new UsageError(`There is no request ${index}.`);
  const { attempt } = journal.part(index);
  journal.write({ part: index, sent: Date.now(), attempt });
  try {
    const answer = await client.collections.mint(
      collectionUuid,
      {
        receiver_addresses: part.rows.map((row) => receivers[row]?.account ?? ""),
        quantity_per_receiver: part.quantity,
        ...(part.asset !== undefined && { asset_uuid: assets.get(part.asset) ?? part.asset }),
        receivers_must_exist: !allowsUnknown,
      },
      { idempotencyKey: `airdrop-${journal.head.airdrop}-${index}-${attempt}`, signal },
    );
    journal.write({ part: index, ...receiptOf(answer) });
  } catch (error) {
    if (hadNoEffect(error)) journal.write({ part: index, failed: error.code, attempt });
    if (error instanceof ApiError && error.code === "unknown_account") throw new UsageError(unknown(error));
    throw error;
  }
}

/** The rest of the file is minted by the next run, once these accounts are there. */
const unknown = ({ message }: ApiError): string =>
  `${message.split("\n")[0]} Then run it again; with --allow-unknown it mints to them all the same.`;

const receiptOf = ({ tokens, tx_results: [transaction] }: MintAnswer) => ({
  tokens: tokens.map(({ token_id, owner_id }) => ({ token_id, owner_id })),
  transaction: transaction?.transaction_hash ?? null,
  burnt: transaction?.tokens_burnt ?? null,
});

/** A CSV with a line for each row of the receivers' file: what it got, and by which transactions. */
export function receiptsCsv({
  receivers,
  parts,
  journal,
}: Pick<Airdrop, "receivers" | "parts" | "journal">): string {
  const tokens = receivers.map((): string[] => []);
  const transactions = receivers.map(() => new Set<string>());
  for (const [index, { rows }] of parts.entries()) {
    const { done } = journal.part(index);
    if (done === null) continue;
    const rowOf = new Map(rows.map((row) => [receivers[row]?.account, row]));
    for (const { token_id, owner_id } of done.tokens) tokens[rowOf.get(owner_id) ?? -1]?.push(token_id);
    for (const row of rows) if (done.transaction) transactions[row]?.add(done.transaction);
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
