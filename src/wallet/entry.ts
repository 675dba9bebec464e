/** What a collection's contract should hold the storage of. */
export interface StorageDemand {
  /** Account of the contract, and the collection's number on it. */
  readonly contract: string;
  readonly collectionId: number;
  /** Tokens that it should be able to hold, and how many it is topped up for if it can't. */
  readonly least: number;
  readonly wanted: number;
  /** yoctoNEAR that a top-up takes at most, as a decimal string. */
  readonly most: string;
}

/** What the object asks of the Worker's own entry point (src/index.ts). */
export interface WorkerEntry {
  /** Carries an operation on; false if the database doesn't have it. A Worker of a former release answers nothing. */
  resume(operationUuid: string): Promise<boolean | undefined>;
  /**
   * Tops a contract up if it can't hold the tokens that are likely to be ordered.
   * @returns how many tokens it can hold, what it is topped up with included; null: none of the service's collections
   */
  provideStorage(demand: StorageDemand): Promise<number | null>;
}

/** The Worker that an object belongs to. */
export const entryOf = (ctx: Pick<DurableObjectState, "exports">): WorkerEntry =>
  (ctx.exports as unknown as { readonly default: WorkerEntry }).default;
