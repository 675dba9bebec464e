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
  "collection.revealed",
  "collection.order_exported",
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
  collection_reveal: "collection.revealed",
  wallet_payout: "payout.requested",
  currency_payout: "payout.requested",
  wallet_create: "integration.created",
  contract_deploy: "contract.deployed",
  contract_upgrade: "contract.upgraded",
  contract_hand_over: "contract.handed_over",
  contract_accept: "contract.accepted",
};

interface AuditedRequest {
  /** Of a change of settings. */
  readonly changes?: object;
  /** Of locks. */
  readonly locks?: readonly string[];
  readonly assetUuids?: readonly Uuid[];
  readonly tokenId?: string;
  /** Of a reveal. */
  readonly steps?: readonly { readonly shown: number }[];
}

/** What the entry of an operation shows of its stored request, by the API's names. */
export const auditedRequest = (kind: OperationKind, request: object): object => {
  const { changes, locks, assetUuids, tokenId, steps } = request as AuditedRequest;
  switch (kind) {
    case "collection_lock":
      return { locks, asset_uuids: assetUuids };
    case "nft_lock":
      return { token_id: tokenId };
    case "collection_reveal":
      return { shown: steps?.at(-1)?.shown };
    default:
      return changes ?? request;
  }
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
