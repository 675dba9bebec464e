import type { TransactionRecord, Wallet } from "./interface.ts";
import type { Journal } from "./journal/journal.ts";
import { isOlder } from "./journal/origins.ts";
import type { Runtime } from "./runtime.ts";
import type { WholeJournal } from "./whole-journal.ts";

interface Parts extends Runtime {
  readonly journal: Journal;
  readonly whole: WholeJournal;
}

/** Seals operations against further steps (docs/transactions.md, "The alarm and operations"). */
export class Withdrawal {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** As `withdraw` of a wallet. One that ended and is in a file takes no further step anyway. */
  async of(...[operation, journaled, fresh, states]: Parameters<Wallet["withdraw"]>): Promise<boolean> {
    const { journal, whole, now } = this.#parts;
    const { intents, operations } = journal;
    const records = intents.records(operation).map(({ record }) => record);
    const filed = records.length > 0 ? null : await whole.filed(operation);
    if (filed !== null) return filed.records.length === journaled && areIn(filed.records, states);
    if (records.length !== journaled) return false;
    if (operations.isWithdrawn(operation)) return true;
    const wallet = journal.wallet();
    if (!fresh && (wallet === null || isOlder(operation, wallet.restoredAt))) return false;
    if (!intents.isOver(operation) || !areIn(records, states)) return false;
    operations.withdraw(operation, journaled, now());
    return true;
  }
}

/** Whether records are in the states on which a decision rests. */
const areIn = (
  records: readonly TransactionRecord[],
  states: readonly TransactionRecord["state"][] = [],
): boolean => states.every((state, index) => records[index]?.state === state);
