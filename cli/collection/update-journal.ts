import { randomUUID } from "node:crypto";
import { LineFile, type RowsHead } from "../line-file.ts";

interface UpdateHead extends RowsHead {
  /** Begins every Idempotency-Key and `reference`. */
  readonly update: string;
}

/** What became of a request, a line each. `part` is its index in the plan. */
type UpdateLine =
  /** It is about to be sent. `at_most`: yoctoNEAR that it may cost. */
  | { readonly part: number; readonly attempt: number; readonly at_most: string }
  | {
      readonly part: number;
      readonly attempt: number;
      /** Tokens that it couldn't change, and why. */
      readonly failed: Readonly<Record<string, string>>;
      readonly transactions: readonly string[];
      readonly burnt: string;
    }
  /** It had no effect and never will: the next attempt has a key of its own. */
  | { readonly part: number; readonly attempt: number; readonly refused: string };

/** An attempt that changed tokens. */
type UpdateReceipt = Extract<UpdateLine, { failed: unknown }>;

/** How far a request has come. */
export interface UpdateState {
  /** Number of the attempt that counts, from 1. */
  readonly attempt: number;
  /** yoctoNEAR at most for which a run has sent it, while no run has learnt what became of it; null: it wasn't sent. */
  readonly sentAtMost: string | null;
  /** Tokens that are still to be changed; null: all of the part. */
  readonly left: readonly string[] | null;
  readonly receipts: readonly UpdateReceipt[];
}

const NEW: UpdateState = { attempt: 1, sentAtMost: null, left: null, receipts: [] };

/** What became of each request of an update, kept in a file beside the one of its rows. */
export class UpdateJournal {
  readonly head: UpdateHead;
  readonly #file: LineFile<UpdateHead, UpdateLine>;
  readonly #parts = new Map<number, UpdateState>();

  private constructor(file: LineFile<UpdateHead, UpdateLine>) {
    this.#file = file;
    this.head = file.head;
    for (const line of file.lines) this.#apply(line);
  }

  /** Opens what an earlier run left, or begins. */
  static open(file: string, wanted: RowsHead): UpdateJournal {
    return new UpdateJournal(LineFile.open(file, { update: randomUUID(), ...wanted }));
  }

  /** Whether anything was sent. */
  get isBegun(): boolean {
    return this.#parts.size > 0;
  }

  part(index: number): UpdateState {
    return this.#parts.get(index) ?? NEW;
  }

  write(line: UpdateLine): void {
    this.#file.write(line);
    this.#apply(line);
  }

  #apply(line: UpdateLine): void {
    const state = this.part(line.part);
    // Of two runs at once each may tell what became of an attempt.
    if (line.attempt !== state.attempt) return;
    if ("at_most" in line) this.#parts.set(line.part, { ...state, sentAtMost: line.at_most });
    else {
      const next = { ...state, attempt: state.attempt + 1, sentAtMost: null };
      const done = "failed" in line && {
        left: Object.keys(line.failed),
        receipts: [...state.receipts, line],
      };
      this.#parts.set(line.part, { ...next, ...done });
    }
  }
}
