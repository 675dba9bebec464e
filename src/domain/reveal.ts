/** The order of hidden assets, sealed: nobody else may learn it before the reveal. */
export interface SealedOrder {
  /** base64 of the sealed seed. */
  readonly sealed: string;
  /** Version of WALLET_SECRETS. */
  readonly secretVersion: number;
}

/** What the service knows of a collection that was made with hidden assets. */
export interface RevealRecord {
  /** Null if it was lost. */
  readonly order: SealedOrder | null;
  /** base64 of 32 bytes. */
  readonly commitment: string;
  /** Assets that are shown, as last read from the chain. */
  readonly shown: number;
}

/** State of a reveal, as the contract names it. */
export const revealState = (shown: number, assets: number): "hidden" | "partly" | "revealed" => {
  if (shown === 0) return "hidden";
  return shown < assets ? "partly" : "revealed";
};
