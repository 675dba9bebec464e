import { type Database, openDatabase } from "./db/client.ts";
import type { LedgerContext } from "./db/ledger.ts";
import type { KeyWithResponse, NewKey } from "./db/queries/idempotency.ts";
import type { OperationLimits } from "./db/queries/usage.ts";
import type { AuditActor } from "./domain/audit.ts";
import type { Uuid } from "./domain/ids.ts";
import type { KeyRights } from "./domain/key-rights.ts";
import type { CostLimit } from "./domain/spending.ts";
import { type Bindings, type Settings, settingsOf } from "./env.ts";

/** The dependencies of a use case. A use case never sees a Request; its arguments have the request's data. */
export interface ServiceContext {
  readonly env: Bindings;
  readonly settings: Settings;
  readonly db: Database;
  /** The ledger of the object that the work runs in; absent in the Worker. */
  readonly ledger?: LedgerContext["ledger"];
  /** The clock, so that rules stay testable. */
  readonly now: () => Date;
  /** One JSON object a line, with the request's id where there is a request. Never secrets. */
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Work that may outlive the response, up to the platform's 30 s. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Waits until a call of a node that only the answer needs may be made (`connectFor`). @throws ServiceError rate_limited */
  readonly admitCall: () => Promise<void>;
  /** The connections of the object that the work runs in; absent in the Worker, where each client has its own. */
  readonly connections?: { use<T>(work: () => Promise<T>): Promise<T> };
  /** The network that a request without a key comes from: few of its calls of nodes are made at once. */
  readonly network?: string;
  /** Who the request is from, for the audit log; absent: a collector, or no request. */
  readonly actor?: AuditActor;
}

/** Who asks, and how they want to be answered. */
export interface Caller {
  readonly integrationId: Uuid;
  readonly keyId: Uuid;
  /** What the key may do. */
  readonly rights: KeyRights;
  /** `Prefer: respond-async` (RFC 7240). */
  readonly respondAsync: boolean;
  readonly requestKey: RequestKey | null;
  /** Base address of the service as the caller sees it, without a slash at the end. */
  readonly baseUrl: string;
  /** What the write may cost; null or absent: whatever it costs. */
  readonly costLimit?: CostLimit | null;
  /** What limits the operations that its key has accepted; absent: they are read. */
  readonly limits?: OperationLimits;
  /** The write's `reference`, which its operation keeps; null or absent: none. */
  readonly reference?: string | null;
}

/** A request's Idempotency-Key, as use cases see it: the batch that has the request's effect inserts it. */
export interface RequestKey extends NewKey {
  /**
   * Takes the digest of a body that streamed in, once it is valid and before anything is committed; what it throws ends the
   * request. @throws ServiceError if the request was carried out before, or the key belongs to another one
   */
  confirm(digest: Uint8Array): Promise<void>;
  /** The key with the response, JSON or null, for the batch of the effect. A long body is in R2 then. */
  keeps(
    status: number,
    body: string | AsyncIterable<Uint8Array> | null,
    options?: {
      /** It has a secret, so that it is stored sealed; only texts can be. */
      readonly isSecret?: boolean;
    },
  ): Promise<KeyWithResponse>;
}

/** A use case's response: the status and body of the interface. */
export interface EndpointResponse<Body = unknown> {
  readonly status: number;
  /** A stream if it is long stored JSON. */
  readonly body: Body | ReadableStream<Uint8Array>;
  readonly operationUuid?: Uuid;
}

/** Makes a context of bindings. @throws SettingsError */
export const openContext = (
  env: Bindings,
  log: ServiceContext["log"],
  waitUntil: ServiceContext["waitUntil"],
): ServiceContext => ({
  env,
  settings: settingsOf(env),
  db: openDatabase(env.DB),
  now: () => new Date(),
  log,
  waitUntil,
  admitCall: async () => undefined,
});
