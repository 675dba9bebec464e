import type { Uuid } from "../domain/ids.ts";
import type { Intent, SubmitResult } from "./interface.ts";
import type { OriginJournal } from "./journal/origins.ts";
import type { Runtime } from "./runtime.ts";

/** Operations that are remembered as shown by the database; one that isn't any more has to be witnessed again. */
const MOST_SHOWN = 4_096;
/** Seconds after which a wallet whose database has to be recovered is worth another try. */
const BEHIND_AFTER = 60;

interface Parts extends Runtime {
  readonly origins: OriginJournal;
}

/**
 * Notices a rolled-back database before anything of it is signed. The database of a new operation has to have the
 * witness: of the operations received here, the one accepted last. A database rolled back to before any of them lacks
 * the witness too, because it was accepted after them.
 */
export class Lineage {
  readonly #parts: Parts;
  /** Operations that were in the database together with a witness, and may come here yet. The oldest go first. */
  readonly #shown = new Set<Uuid>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get #origins() {
    return this.#parts.origins;
  }

  /** Why an operation that is new here is not taken; null: it is. */
  refusal({ operationUuid, origin }: Intent): SubmitResult | null {
    if (this.#origins.behind !== null) {
      return { status: "busy", retryAfter: BEHIND_AFTER, inactive: true, behind: true };
    }
    const witness = this.#origins.witness();
    if (origin === undefined || witness === null) return null;
    if (!origin.beside.includes(witness) && !this.#shown.has(operationUuid)) {
      return { status: "unwitnessed", witness, era: this.#origins.era };
    }
    this.#show(origin.beside);
    return null;
  }

  /** The database lacks an operation that came from it, as somebody saw in an era. From now on nothing new is taken. */
  lacks(witness: Uuid, era: number): void {
    const { log, now } = this.#parts;
    if (this.#origins.lacks(witness, era, now()))
      log("wallet.database_behind", { operation_uuid: witness, era });
  }

  /** The database was recovered: what it showed before counts for nothing, and new operations are taken. */
  recovered(): void {
    if (this.#origins.behind !== null)
      this.#parts.log("wallet.database_recovered", { era: this.#origins.era });
    this.#origins.recovered();
    this.#shown.clear();
  }

  #show(operations: readonly Uuid[]): void {
    for (const operation of operations) {
      this.#shown.delete(operation);
      this.#shown.add(operation);
    }
    for (const oldest of this.#shown) {
      if (this.#shown.size <= MOST_SHOWN) break;
      this.#shown.delete(oldest);
    }
  }
}
