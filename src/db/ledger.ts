import type { Uuid } from "../domain/ids.ts";
import type { Database } from "./client.ts";

declare const OF_ONE_INTEGRATION: unique symbol;

/**
 * What one integration has of writes to the chain: its operations with their transactions and Idempotency-Keys, and its
 * events. Statements on these tables are made for a ledger alone, and a ledger is asked for by its integration.
 */
export type Ledger = Database & { readonly [OF_ONE_INTEGRATION]: true };

/** The ledger of an integration: a part of D1. */
export const ledgerOf = ({ db }: { readonly db: Database }, _integrationId: Uuid): Ledger => db as Ledger;

/** The ledgers of all integrations, for an operation that is looked for without its integration. */
export const allLedgers = ({ db }: { readonly db: Database }): Ledger => db as Ledger;
