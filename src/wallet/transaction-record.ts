import type { ContractToken } from "../chain/contract/views.ts";
import type { ChainTransactionResult } from "../chain/outcome.ts";
import type { Uuid } from "../domain/ids.ts";

/** A transaction as the wallet knows it; `result` is what callers see, the rest is for the operation's next step. */
export interface TransactionRecord {
  readonly operationUuid: Uuid;
  readonly step: string;
  /**
   * `queued`: journaled as an intent, not signed; `open`: signed, outcome not yet final; `succeeded`, `failed`: final
   * on the chain; `refused`: proven to have had no effect and not to be signed again (the chain refuses it for good);
   * `unknown`: unprovable, the operator settles it. A row proven dead for a temporary reason is signed again by the
   * object itself and stays `queued` or `open`.
   */
  readonly state: "queued" | "open" | "succeeded" | "failed" | "refused" | "unknown";
  /** Null while queued. */
  readonly result: ChainTransactionResult | null;
  /** The value that the first receipt's chain returned (SuccessValue), bytes; null unless succeeded. */
  readonly value: Uint8Array | null;
  /** The contract's stable code when it failed with one, such as `E_SOLD_OUT`; `TOO_DEAR` where it wasn't signed for that. */
  readonly contractCode: string | null;
  /** Height of the last block in which a receipt of it was executed: from there on its effects show. Null: not known. */
  readonly height: number | null;
  /**
   * yoctoNEAR that it has taken from the wallet by now: gas that was burnt for it, of a shared transaction its share, and
   * the deposit that has moved. Null, or absent in objects of the previous release: not known.
   */
  readonly cost?: string | null;
  /**
   * Of a mint without metadata of its own that somebody waited for: its tokens in the order of `value`, as the contract shows them at `height` or
   * above; null: burnt since. The wallet reads them once for all who wait, and gives them out once. Absent otherwise:
   * whoever needs them reads them.
   */
  readonly tokens?: readonly (ContractToken | null)[];
}
