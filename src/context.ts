import { type Database, openDatabase } from "./db/client.ts";
import type { OwnedKey } from "./db/queries/idempotency.ts";
import type { Uuid } from "./domain/ids.ts";
import { type Bindings, type Settings, settingsOf } from "./env.ts";

/** What a use case works with. A service never sees a Request; what it needs of one is in its arguments. */
export interface ServiceContext {
  readonly env: Bindings;
  readonly settings: Settings;
  readonly db: Database;
  /** The clock, so that rules stay testable. */
  readonly now: () => Date;
  /** One JSON object a line, with the request's id where there is a request. Never secrets. */
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Work that may outlive the answer, up to the platform's 30 s. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** Who asks, and how they want to be answered. */
export interface Caller {
  readonly integrationId: Uuid;
  readonly keyId: Uuid;
  readonly role: "full" | "read";
  /** `Prefer: respond-async` (RFC 7240). */
  readonly respondAsync: boolean;
  /** The request's claim on its Idempotency-Key, already held; null if none was sent. */
  readonly claim: Pick<OwnedKey, "key" | "owner"> | null;
  /** Base address of the service as the caller sees it, without a slash at the end. */
  readonly baseUrl: string;
}

/** The claim that a caller's writes are bound to; null if it sent no Idempotency-Key. */
export const ownedKey = ({
  integrationId,
  claim,
}: Pick<Caller, "integrationId" | "claim">): OwnedKey | null => claim && { integrationId, ...claim };

/** An answer that a use case gives: the status and body that the interface says. */
export interface Answer<Body = unknown> {
  readonly status: number;
  /** A stream where it is long JSON that was kept as text. */
  readonly body: Body | ReadableStream<Uint8Array>;
  /** The operation that it is the answer of. */
  readonly operationUuid?: Uuid;
}

/** Makes a context of bindings. @throws Error if settings are missing or wrong (src/env.ts) */
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
});
