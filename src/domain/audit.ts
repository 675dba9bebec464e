import type { Uuid } from "./ids.ts";
import { jsonBytes } from "./json-text.ts";
import type { OperationKind } from "./operations.ts";

/** Who made a change, and the network that the request came from (`changeNetwork`). */
export type AuditActor =
  | { readonly type: "key"; readonly key_uuid: Uuid; readonly name: string; readonly network: string }
  | { readonly type: "operator"; readonly network: string };

/** What the audit log records. */
export const AUDIT_ACTIONS = [
  "key.created",
  "key.rotated",
  "key.deleted",
  "settings.changed",
  "collection.locked",
  "nft.locked",
  "page.changed",
  "payout.requested",
  "payout_account.changed",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.secret_rotated",
  "limits.changed",
  "integration.created",
  "integration.changed",
  "integration.deleted",
  "contract.deployed",
  "contract.upgraded",
  "contract.handed_over",
  "contract.accepted",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Kinds of operations whose acceptance is recorded. */
export const AUDITED_KINDS: Partial<Readonly<Record<OperationKind, AuditAction>>> = {
  collection_update: "settings.changed",
  collection_lock: "collection.locked",
  nft_lock: "nft.locked",
  wallet_payout: "payout.requested",
  currency_payout: "payout.requested",
  wallet_create: "integration.created",
  contract_deploy: "contract.deployed",
  contract_upgrade: "contract.upgraded",
  contract_hand_over: "contract.handed_over",
  contract_accept: "contract.accepted",
};

/** Largest value that an entry shows, bytes of JSON. */
const MOST_VALUE_BYTES = 1_000;

/** Values for the audit log: those that are too long are `"…"`. */
export const auditedChanges = (changes: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, jsonBytes(value) <= MOST_VALUE_BYTES ? value : "…"]),
  );

/** Days that entries are kept. */
export const AUDIT_KEPT_DAYS = 400;
