import type { Cost } from "../../chain/cost.ts";

/** A new intent as it enters the journal. */
export interface NewIntent {
  readonly operation: string;
  readonly step: string;
  readonly fairness: string;
  readonly receiverId: string;
  readonly method: string | null;
  readonly actions: Uint8Array;
  /** What it may take. */
  readonly cost: Cost;
  /** What moves if it succeeds, yoctoNEAR; absent: nothing. */
  readonly deposit?: bigint;
  /** What its operation may cost in all, yoctoNEAR; null or absent: whatever it costs. */
  readonly most?: string | null;
  readonly state: "queued" | "unknown";
  /** The wallet's own intents, such as adding keys: signed before everything else, resumed by nobody. */
  readonly internal: boolean;
  /** With whose name it may share a transaction, and how many tokens it mints; null or absent: it goes alone. */
  readonly share?: { readonly name: string; readonly tokens: number } | null;
  readonly now: number;
}
