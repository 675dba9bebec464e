import { env } from "cloudflare:workers";
import { openContext, type ServiceContext } from "../../src/context.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { reconcile } from "../../src/jobs/reconcile.ts";
import { resume } from "../../src/operations/engine/resume.ts";
import { api, bodyOf } from "./api.ts";

/** An operation as the API shows it. */
export interface OperationResource<Body = unknown> {
  readonly operation_uuid: string;
  readonly kind: string;
  readonly state: "pending" | "succeeded" | "failed" | "unknown";
  readonly subject_uuid: string;
  readonly finished_at: string | null;
  readonly transactions: readonly { readonly status: string; readonly transaction_hash: string }[];
  readonly answer: { readonly status: number; readonly body: Body } | null;
}

/** One operation. */
export const readOperation = async <Body>(key: string, uuid: string): Promise<OperationResource<Body>> =>
  bodyOf(await api(`/operation/${uuid}`, { key }), 200);

/** Waits until an operation is over. */
export async function operationOver<Body>(key: string, uuid: string): Promise<OperationResource<Body>> {
  for (;;) {
    const operation = await readOperation<Body>(key, uuid);
    if (operation.state !== "pending") return operation;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The answer of a write; after a 202 that of its operation, once it is over. */
export async function finalAnswer<Body>(
  key: string,
  answer: Response,
): Promise<{ readonly status: number; readonly body: Body }> {
  if (answer.status !== 202) return { status: answer.status, body: (await answer.json()) as Body };
  const { operation_uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  const operation = await operationOver<Body>(key, operation_uuid);
  if (operation.answer === null) throw new Error(`operation ${operation_uuid} ended as ${operation.state}`);
  return operation.answer;
}

/** A request's context, for what no request can do. `later`: as if so many milliseconds had passed. */
export const serviceContext = (later = 0, log: ServiceContext["log"] = () => undefined): ServiceContext => {
  const base = openContext(env, log, (work) => void work.catch(() => undefined));
  return { ...base, now: () => new Date(Date.now() + later) };
};

/** What the schedule and the wallet's alarm do, done now. */
export const background = {
  resume: (uuid: string): Promise<boolean> => resume(serviceContext(), uuid as Uuid),
  reconcile: (later = 0, log?: ServiceContext["log"]): Promise<void> => reconcile(serviceContext(later, log)),
};

/** Named points of an operation at which its request may vanish, from its acceptance to its answer. */
export const OPERATION_POINTS = [
  "operation.accepted",
  "operation.before_submit",
  "operation.after_submit",
  "operation.settled",
  "operation.before_effects",
  "operation.after_effects",
] as const;
