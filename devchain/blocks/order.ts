/** What a block does without a transaction, for setting up and for faults. */

/** An account to make. */
export interface GenesisAccount {
  accountId: string;
  /** Its full-access key, `ed25519:…`. */
  publicKey: string;
  /** yoctoNEAR. */
  balance: string | bigint;
}

/** A key to take off its account. */
export interface KeyDeletion {
  accountId: string;
  publicKey: string;
}

/** What is done with the next block without a transaction. */
export type Order = { kind: "account"; account: GenesisAccount } | ({ kind: "delete_key" } & KeyDeletion);
