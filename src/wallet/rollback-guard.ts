import type { Uuid } from "../domain/ids.ts";
import type { Intent, SubmitResult } from "./interface.ts";
import type { SnapshotJournal } from "./journal/snapshots.ts";
import type { Runtime } from "./runtime.ts";

/** Operations that are remembered as checked against the database; one that is dropped is checked again. */
const MAX_CHECKED = 4_096;
/** `Retry-After` of a wallet whose database has to be recovered first. Seconds. */
const BEHIND_AFTER = 60;

interface RollbackGuardParts extends Runtime {
  readonly snapshots: SnapshotJournal;
}

/**
 * Detects a rolled-back database before the wallet signs a transaction for it. The database that a new operation comes from
 * must contain the latest operation, which is the one accepted last among those that this wallet received. A database that was
 * rolled back to before any of them lacks the latest operation too.
 */
export class RollbackGuard {
  readonly #parts: RollbackGuardParts;
  /** Operations that the database contained together with a latest operation, and that may still arrive. Oldest first. */
  readonly #shown = new Set<Uuid>();

  constructor(parts: RollbackGuardParts) {
    this.#parts = parts;
  }

  get #snapshots() {
    return this.#parts.snapshots;
  }

  /** Why the wallet refuses a new operation; null if it accepts it. */
  refusal({ operationUuid, snapshot }: Intent): SubmitResult | null {
    if (this.#snapshots.behind !== null) {
      return { status: "busy", retryAfter: BEHIND_AFTER, inactive: true, behind: true };
    }
    const latest = this.#snapshots.latest();
    if (snapshot === undefined || latest === null) return null;
    if (!snapshot.recent.includes(latest) && !this.#shown.has(operationUuid)) {
      return { status: "unchecked", latest, generation: this.#snapshots.generation };
    }
    this.#show(snapshot.recent);
    return null;
  }

  /** Notes that the database of this generation lacks an operation that came from it. New operations are refused from now on. */
  lacks(missing: Uuid, generation: number): void {
    const { log, now } = this.#parts;
    if (this.#snapshots.lacks(missing, generation, now()))
      log("wallet.database_behind", { operation_uuid: missing, generation });
  }

  /** The database was recovered: earlier checks no longer count, and new operations are accepted. */
  recovered(): void {
    if (this.#snapshots.behind !== null)
      this.#parts.log("wallet.database_recovered", { generation: this.#snapshots.generation });
    this.#snapshots.recovered();
    this.#shown.clear();
  }

  #show(operations: readonly Uuid[]): void {
    for (const operation of operations) {
      this.#shown.delete(operation);
      this.#shown.add(operation);
    }
    for (const oldest of this.#shown) {
      if (this.#shown.size <= MAX_CHECKED) break;
      this.#shown.delete(oldest);
    }
  }
}
