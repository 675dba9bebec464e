import type { Context } from "hono";
import type { Caller, ServiceContext } from "../context.ts";
import type { NeededScope } from "../domain/key-rights.ts";
import type { Bindings } from "../env.ts";

/** Properties of an endpoint that middleware needs before its handler runs, from its definition. */
export interface EndpointTraits {
  readonly isWrite: boolean;
  /** Content types of its responses other than JSON. */
  readonly otherTypes: readonly string[];
  /** Its handler reads the body as it streams in. */
  readonly isStreamed: boolean;
  /** Its effect is in the ledger, and so are its Idempotency-Keys. */
  readonly isOfLedger: boolean;
  /** Its Idempotency-Key is looked up by the call that carries it out, and before that only if that isn't made. */
  readonly looksUpKeyLast: boolean;
  /** Where the integration's share of the database is used up, it is carried out without its Idempotency-Key. */
  readonly needsNoRoom: boolean;
  /** The scope that a key needs for it. */
  readonly scope: NeededScope;
  /** Its handler itself keeps a limited key from other collections. */
  readonly limitsCollections: boolean;
}

/** The endpoint of a request, with the collection in its path. */
export interface MatchedEndpoint extends EndpointTraits {
  readonly collectionUuid: string | undefined;
}

export interface AppEnv {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    /** The endpoint of the request's method and path; undefined if there is none. */
    endpoint?: MatchedEndpoint | undefined;
    /** Missing only if the settings are wrong; every response is 503 then. */
    context: ServiceContext;
    /** Set once the key is known, that is, in every handler under /api/v1. */
    caller: Caller;
    /** Set in every handler under /admin/v1: the token was the operator's. */
    isOperator?: boolean;
  };
}

/** The service's public address, without a slash at the end: PUBLIC_URL, or the request's origin. */
export const baseUrl = (c: Context<AppEnv>): string =>
  c.get("context")?.settings.PUBLIC_URL ?? new URL(c.req.url).origin;

/** Whether a request may change something. @param endpoint undefined: none matches */
export const isWrite = (method: string, endpoint: EndpointTraits | undefined): boolean =>
  endpoint?.isWrite ?? (method !== "GET" && method !== "HEAD");

declare const ANSWER: unique symbol;

/** A response typed by its status and JSON, so that the compiler checks it against the endpoint's definition. */
export type TypedResponse<Body, Status extends number> = Response & {
  readonly [ANSWER]: { readonly body: Body; readonly status: Status };
};

/** Types a response. */
export const typedResponse = <Body, Status extends number>(response: Response) =>
  response as TypedResponse<Body, Status>;
