import type { z } from "@hono/zod-openapi";
import type { Caller, EndpointResponse, ServiceContext } from "../context.ts";
import { ServiceError } from "../domain/errors.ts";
import { requireRights } from "../domain/key-rights.ts";
import type { OperationKind } from "../domain/operations.ts";
import type { TypedResponse } from "../http/app-env.ts";
import { refuseInvalid } from "../http/validation.ts";
import { planOperation, runOperation } from "../operations/engine/run.ts";
import type { KindResults, Proposal } from "../operations/kind.ts";
import type { QuotedWrite } from "../operations/quotes.ts";
import {
  type Definition,
  type Endpoint,
  endpoint,
  type Input,
  type ResponseFor,
  traitsOf,
} from "./endpoint.ts";

interface WriteDefinition extends Definition {
  readonly request: NonNullable<Definition["request"]> & {
    readonly body: { readonly content: { readonly "application/json": { readonly schema: WithReference } } };
  };
}

type WithReference = z.ZodType<{ readonly reference?: string | null | undefined }>;

/** The validated input of a write without its `reference`, which kinds of operations don't need. */
type Unreferenced<D extends WriteDefinition> = Omit<Input<D>, "body"> & {
  readonly body: Omit<Input<D>["body"], "reference">;
};

type With<In, Result> = (context: ServiceContext, caller: Caller, input: In) => Promise<Result>;

type KindFor<D extends Definition> = {
  [K in OperationKind]: TypedResponse<KindResults[K], never> extends ResponseFor<D["success"]> ? K : never;
}[OperationKind];

interface ChainWrite {
  readonly definition: WriteDefinition;
  readonly propose: With<Unreferenced<WriteDefinition>, Proposal | null>;
}

const CHAIN_WRITES: ChainWrite[] = [];

/**
 * Describes an endpoint that runs the operation that `propose` returns, which keeps the body's `reference`; a quote
 * plans it. @param propose null: the write sends nothing, and `run` responds @param run replaces running the proposal
 */
export const chainWrite = <D extends WriteDefinition>(
  definition: D,
  propose: With<Unreferenced<D>, Proposal<KindFor<D>> | null>,
  run: With<Unreferenced<D>, EndpointResponse<KindResults[KindFor<D>]>> = async (context, caller, input) =>
    runOperation<KindFor<D>>(context, caller, (await propose(context, caller, input))!),
): Endpoint => {
  const whole: D = { ...definition, operation: true };
  CHAIN_WRITES.push({ definition: whole, propose: propose as ChainWrite["propose"] });
  return endpoint(whole, (input) => {
    const { reference, ...body } = input.body as z.output<WithReference>;
    const caller = { ...input.caller, reference: reference ?? null };
    // `KindFor` ensures that the response fits.
    return run(input.context, caller, { ...input, body } as unknown as Unreferenced<D>) as never;
  });
};

/** The operation that a write would accept; null: none. @throws ServiceError its refusal, as of the quote's body */
export const planWrite = async (
  context: ServiceContext,
  caller: Caller,
  write: QuotedWrite,
): Promise<Proposal | null> => {
  const { definition, propose, found } = requireWrite(write);
  requireRightsFor(caller, write);
  try {
    const params = definition.request.params?.safeParse(found);
    if (params) refuseInvalid(params);
    const parsed = definition.request.body.content["application/json"].schema.safeParse(write.body ?? {});
    refuseInvalid(parsed);
    const { reference: _, ...body } = parsed.data!;
    const proposal = await propose(context, caller, { params: params?.data, body } as never);
    return proposal && (await planOperation(context, caller, proposal));
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.details.issues) throw error;
    const issues = error.details.issues.map(({ path, message }) => ({
      path: String(path[0]) in found ? ["path"] : ["body", ...path],
      message,
    }));
    throw new ServiceError(error.code, error.message, { ...error.details, issues });
  }
};

/** Refuses a write that the caller's key may not send. @throws ServiceError scope_missing, collection_not_allowed, invalid_request */
export const requireRightsFor = ({ rights }: Pick<Caller, "rights">, write: QuotedWrite): void => {
  const { definition, found } = requireWrite(write);
  requireRights(rights, { ...traitsOf(definition), collectionUuid: found.collection_uuid });
};

/** The definition of a write, and the parameters in its path. @throws ServiceError invalid_request */
export const requireWrite = ({ method, path }: QuotedWrite) => {
  for (const write of CHAIN_WRITES) {
    if (write.definition.method !== method.toLowerCase()) continue;
    const names = new RegExp(`^${write.definition.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
    const match = names.exec(path);
    if (match) return { ...write, found: match.groups ?? {} };
  }
  const message =
    "Give method and path of a write to the chain, such as POST /collection/{collection_uuid}/mint.";
  const issues = [["method"], ["path"]].map((path) => ({ path, message }));
  throw new ServiceError("invalid_request", message, { issues });
};
