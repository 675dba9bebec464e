import type { ChainRpc } from "../chain/rpc.ts";
import type { Settings } from "../env.ts";
import type { Funds } from "./funds.ts";
import type { Journal } from "./journal/journal.ts";
import type { Head } from "./observing/head.ts";
import type { Keyring } from "./signing/keys.ts";
import type { Waiters } from "./waiters.ts";

/** What the parts of a wallet object share. */
export interface WalletContext {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly settings: Settings;
  readonly head: Head;
  readonly funds: Funds;
  readonly waiters: Waiters;
  readonly now: () => number;
  /** One JSON object a line; never secrets. */
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Passes a named point at which a test may kill the object. */
  readonly at: (point: string) => void;
  /** Resolves once everything journaled so far is on disk. */
  readonly committed: () => Promise<void>;
  /** Sets the alarm for a row that has come to the journal, in the turn in which it is called. */
  readonly arm: () => Promise<void>;
  /** The open keys of an active wallet; null while it may not sign. */
  readonly signing: () => { readonly accountId: string; readonly keyring: Keyring } | null;
}
