import { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller, ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Issue } from "../../domain/issues.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { refuseInvalid } from "../../http/validation.ts";
import { Planned, type PlannedWrite } from "../../operations/engine/planned.ts";
import type { QuotedWrite } from "../../operations/quotes.ts";
import { CHAIN_WRITES } from "../chain-writes.ts";

/** Who asks for a quote, by the write that is handed to the endpoints. */
const askers = new WeakMap<Request, { readonly context: ServiceContext; readonly caller: Caller }>();

/**
 * The endpoints that write to the chain, once more: a write that is to be quoted goes through the very code that would
 * carry it out, as far as its acceptance.
 */
const writes = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });
writes.use(async (c, next) => {
  const { context, caller } = askers.get(c.req.raw)!;
  c.set("context", context);
  c.set("caller", { ...caller, claim: null, isQuoting: true });
  await next();
});
for (const register of CHAIN_WRITES) register(writes);
writes.onError((error) => {
  throw error;
});
writes.notFound(() => {
  const message =
    "Give method and path of a write to the chain, such as POST /collection/{collection_uuid}/mint.";
  throw new ServiceError("invalid_request", message, {
    issues: [
      { path: ["method"], message },
      { path: ["path"], message },
    ],
  });
});

/**
 * What a write would have had accepted; null where it would send nothing.
 * @throws ServiceError what the write would be refused with, its issues below `body` or at `path`
 */
export const plannedOf = async (
  context: ServiceContext,
  caller: Caller,
  { method, path, body }: QuotedWrite,
): Promise<PlannedWrite | null> => {
  const request = new Request(`http://write${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    }),
  });
  askers.set(request, { context, caller });
  try {
    const answer = await writes.fetch(request, context.env);
    await answer.body?.cancel();
    return null;
  } catch (error) {
    if (error instanceof Planned) return error.write;
    throw error instanceof ServiceError ? asked(error) : error;
  }
};

/** An error of the write as one of the request for its quote. */
const asked = (error: ServiceError): ServiceError => {
  const { issues } = error.details;
  if (!issues) return error;
  return new ServiceError(error.code, error.message, { ...error.details, issues: issues.map(moved) });
};

/** Parameters are part of the path; everything else is in the body. */
const moved = ({ path, message }: Issue): Issue =>
  OF_ASKER.includes(String(path[0]))
    ? { path, message }
    : { path: PARAMETERS.includes(String(path[0])) ? ["path"] : ["body", ...path], message };

const OF_ASKER = ["method", "path"];
/** Names of the parameters in the paths of these endpoints. */
const PARAMETERS = writes.routes.flatMap(({ path }) =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name),
);
