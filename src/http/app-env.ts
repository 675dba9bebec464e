import type { Caller, ServiceContext } from "../context.ts";
import type { Bindings } from "../env.ts";

/** Properties of an endpoint that middleware needs before its handler runs, from its definition. */
export interface EndpointTraits {
  readonly isWrite: boolean;
  /** Content types of its responses other than JSON. */
  readonly otherTypes: readonly string[];
  /** Its handler reads the body as it streams in. */
  readonly isStreamed: boolean;
  /** A long poll that several callers share: it reads from the primary. */
  readonly isLongPoll: boolean;
}

/** What hono carries along with a request. */
export interface AppEnv {
  Bindings: Bindings;
  Variables: {
    /** The response's X-Request-Id. */
    requestId: string;
    /** The endpoint of the request's method and path; undefined if there is none. */
    endpoint?: EndpointTraits | undefined;
    /** Missing only if the settings are wrong; every response is 503 then. */
    context: ServiceContext;
    /** Set once the key is known, that is, in every handler under /api/v1. */
    caller: Caller;
    /** Set in every handler under /admin/v1: the token was the operator's. */
    isOperator?: boolean;
    /** The response has a secret: it is stored sealed for its Idempotency-Key. */
    hasSecret?: boolean;
    /** The request was forwarded to the Worker for writes, which has responded and logged it, or has failed. */
    handedOn?: { readonly answered: true } | { readonly answered: false; readonly error: unknown };
  };
}
