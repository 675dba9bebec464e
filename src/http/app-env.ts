import type { Caller, ServiceContext } from "../context.ts";

/** What hono carries along with a request. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** The answer's X-Request-Id. */
    requestId: string;
    /** Missing only if the settings are wrong; every answer is 500 then. */
    context: ServiceContext;
    /** Set once the key is known, that is, in every handler under /api/v1. */
    caller: Caller;
    /**
     * Set by the idempotency middleware for a body that streams: to be called with its digest once it is read, before
     * anything of it is stored.
     */
    bodyRead?: (digest: Uint8Array) => Promise<void>;
    /** Set by a handler whose use case has kept the answer for the Idempotency-Key together with its effect. */
    answerKept?: boolean;
  };
}
