import { pendingResult, type TransactionIdentity } from "../chain/outcome.ts";
import type { Uuid } from "../domain/ids.ts";
import type { StuckRecord, TransactionRecord } from "./interface.ts";
import type { Journal } from "./journal/journal.ts";
import type { MintedTokens } from "./observing/minted-tokens.ts";
import type { Waiters } from "./waiters.ts";

/** Rows open for longer are reported to the operator as stuck. Milliseconds. */
const STUCK_AFTER_MS = 120_000;

interface RecordsParts {
  readonly journal: Journal;
  readonly waiters: Waiters;
  readonly mintedTokens: MintedTokens;
  readonly explorerUrl: string | null;
}

/** The journal's intents as the rest of the service sees them. */
export class Records {
  readonly #parts: RecordsParts;

  constructor(parts: RecordsParts) {
    this.#parts = parts;
  }

  /** The operation's records, once all are over or at the deadline (milliseconds since the epoch). */
  async of(operation: Uuid, until: number): Promise<TransactionRecord[]> {
    const { intents } = this.#parts.journal;
    while (Date.now() < until && !intents.isOver(operation)) {
      await this.#parts.waiters.wait(operation, until - Date.now());
    }
    return this.#withMore(intents.records(operation));
  }

  /** Records that need the operator, after a cursor in the journal. */
  stuck(after: number, limit: number): StuckRecord[] {
    const rows = this.#parts.journal.intents.stuck(Date.now() - STUCK_AFTER_MS, after, limit);
    return this.#withMore(rows).map((record, index) => ({ place: rows[index]!.id, record }));
  }

  /** The parts of a row's transaction that the journal knows without the chain. */
  identityOf(row: {
    readonly hash: string;
    readonly nonce: number;
    readonly intentId: number;
  }): TransactionIdentity {
    const { journal, explorerUrl } = this.#parts;
    return {
      hash: row.hash,
      signerId: journal.wallet()!.accountId,
      receiverId: journal.intents.get(row.intentId).receiverId,
      nonce: BigInt(row.nonce),
      explorerUrl,
    };
  }

  /** Adds the last signed transaction to open records, and the tokens to records of mints, once. */
  #withMore(rows: readonly { id: number; record: TransactionRecord }[]): TransactionRecord[] {
    return rows.map(({ id, record }) => {
      if (record.state === "succeeded") {
        const tokens = this.#parts.mintedTokens.take(id);
        return tokens ? { ...record, tokens } : record;
      }
      if (record.state !== "open") return record;
      const { shared, signed } = this.#parts.journal;
      const row = signed.lastOf(shared.carrierOf(id) ?? id);
      return row === null
        ? record
        : { ...record, result: pendingResult(this.identityOf({ ...row, intentId: id })) };
    });
  }
}
