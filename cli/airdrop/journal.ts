import { randomUUID } from "node:crypto";
import { LineFile, type RowsHead } from "../line-file.ts";

interface AirdropHead extends RowsHead {
  /** Begins every Idempotency-Key. */
  readonly airdrop: string;
}

/** What became of a request, a line of the journal each. `part` is its index in the plan. */
export type AirdropLine =
  /** It is about to be sent; milliseconds since 1970. */
  | { readonly part: number; readonly sent: number; readonly attempt: number }
  | {
      readonly part: number;
      /** Absent in journals of former releases. */
      readonly attempt?: number;
      readonly tokens: readonly MintedToken[];
      readonly transaction: string | null;
      readonly burnt: string | null;
      /** Accounts of the part that this attempt left out, and that are still to get theirs; absent: none. */
      readonly left?: readonly string[];
    }
  /**
   * It had no effect and never will: the next attempt has a key of its own, and leaves out the accounts `without` unless
   * there is no other.
   */
  | {
      readonly part: number;
      readonly failed: string;
      readonly attempt: number;
      readonly without?: readonly string[];
    };

/** A token and whom it was minted to. */
export interface MintedToken {
  readonly token_id: string;
  readonly owner_id: string;
}

/** An attempt that minted. */
export type Receipt = Extract<AirdropLine, { tokens: unknown }>;

/** How far a request has come. */
export interface PartState {
  /** Number of the attempt that counts, from 1. */
  readonly attempt: number;
  /** When this attempt was first sent; null if it wasn't. Milliseconds since 1970. */
  readonly sent: number | null;
  /** Accounts that are still to get theirs; null: all of the part. */
  readonly left: readonly string[] | null;
  /** Those of them that this attempt leaves out. */
  readonly without: readonly string[];
  readonly receipts: readonly Receipt[];
}

const NEW: PartState = { attempt: 1, sent: null, left: null, without: [], receipts: [] };

/** What became of each request of an airdrop, kept in a file beside the receivers'. */
export class AirdropJournal {
  readonly head: AirdropHead;
  readonly #file: LineFile<AirdropHead, AirdropLine>;
  readonly #parts = new Map<number, PartState>();

  private constructor(file: LineFile<AirdropHead, AirdropLine>) {
    this.#file = file;
    this.head = file.head;
    for (const line of file.lines) this.#apply(line);
  }

  /** Opens what an earlier run left, or begins. */
  static open(file: string, wanted: RowsHead): AirdropJournal {
    return new AirdropJournal(LineFile.open(file, { airdrop: randomUUID(), ...wanted }));
  }

  part(index: number): PartState {
    return this.#parts.get(index) ?? NEW;
  }

  write(line: AirdropLine): void {
    this.#file.write(line);
    this.#apply(line);
  }

  #apply(line: AirdropLine): void {
    const state = this.part(line.part);
    if ("sent" in line) this.#parts.set(line.part, { ...state, sent: state.sent ?? line.sent });
    // Of two runs at once each may tell what became of an attempt.
    else if ((line.attempt ?? state.attempt) !== state.attempt || state.left?.length === 0) return;
    else {
      const next = { ...state, attempt: state.attempt + 1, sent: null };
      this.#parts.set(
        line.part,
        "tokens" in line
          ? { ...next, left: line.left ?? [], without: [], receipts: [...state.receipts, line] }
          : { ...next, without: line.without ?? [] },
      );
    }
  }
}
