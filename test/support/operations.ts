import { env } from "cloudflare:workers";
import { openContext, type ServiceContext } from "../../src/context.ts";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { findAsOperator } from "../../src/operations/engine/read.ts";
import { cleanUp } from "../../src/operator/jobs/clean-up.ts";
import { reconcile } from "../../src/operator/jobs/reconcile.ts";
import { walletOf } from "../../src/wallet/client.ts";
import { api, apiWith, bodyOf } from "./api.ts";
import { acceptingFirst, watchedLedgers } from "./ledgers.ts";

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

/** The answer to a write. After a 202 it waits for the operation and returns its answer. */
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

/** A request's context, for what no request can do. @param bindings other ones than the Worker's */
export const serviceContext = (
  later = 0,
  log: ServiceContext["log"] = () => undefined,
  bindings?: object,
): ServiceContext => {
  // Settings and what the isolate keeps go by the object.
  const own = bindings === undefined ? env : { ...env, ...bindings };
  const base = openContext(own, log, (work) => void work.catch(() => undefined));
  return { ...base, now: () => new Date(Date.now() + later) };
};

/** Resumes operations now, as the schedule and the wallet's alarm do, and runs the schedule or its clean-up alone. */
export const background = {
  resume: async (uuid: string): Promise<boolean> => {
    const row = await findAsOperator(serviceContext(), uuid as Uuid);
    if (!row) return false;
    await walletOf(env, row.integrationId).resume(row.id, 15_000);
    return true;
  },
  reconcile: (later = 0, log?: ServiceContext["log"], bindings?: object): Promise<void> =>
    reconcile(serviceContext(later, log, bindings)),
  cleanUp: async (later: number): Promise<void> => void (await cleanUp(serviceContext(later))),
};

// Checkpoints are inside the Worker: a test that interrupts or watches a write there has no other way.
export { observeCheckpoints };

/** How often a checkpoint was passed, and how often it killed. */
export interface Kills {
  passes: number;
  count: number;
}

/**
 * Kills whatever passes a checkpoint, as an eviction would, until `observeCheckpoints(null)`: a request, or an object with
 * all that it does at once.
 * @param isKilled whether a pass is killed, by its number from 1; default: every pass
 * @param end ends the object that passes, where it is one; default: by its own means
 */
export const killAt = (
  point: string,
  isKilled: (pass: number) => boolean = () => true,
  end: (die: (() => void) | undefined) => void = (die) => die?.(),
): Kills => {
  const kills = { passes: 0, count: 0 };
  observeCheckpoints((name, die) => {
    if (name !== point || !isKilled(++kills.passes)) return;
    kills.count++;
    end(die);
    throw new Error(`killed at ${name}`);
  });
  return kills;
};

/** Only the first passes of a checkpoint. */
export const firstPasses =
  (count: number) =>
  (pass: number): boolean =>
    pass <= count;

/** Only the first pass of a checkpoint. */
export const firstPass = firstPasses(1);

/**
 * Answers a request that is killed at a checkpoint.
 * @param isKilled as for `killAt`
 * @throws Error if it didn't come to the checkpoint
 */
export const killedAt = async (
  point: string,
  request: () => Promise<Response>,
  isKilled?: (pass: number) => boolean,
): Promise<Response> => {
  const kills = killAt(point, isKilled);
  try {
    const answer = await request();
    if (kills.count === 0) throw new Error(`the request did not come to ${point}`);
    return answer;
  } finally {
    observeCheckpoints(null);
  }
};

/**
 * Has a write accepted, as one whose first step depends on that, and stops its drive before that step.
 * @param meanwhile at its end the operation may go on
 */
export const acceptedOnly = async <T>(key: string, path: string, meanwhile: () => Promise<T>): Promise<T> => {
  killAt("operation.before_submit");
  try {
    const { response } = await apiWith({ WALLET: acceptingFirst() }, path, { key, json: {} });
    await response.body?.cancel();
    return await meanwhile();
  } finally {
    observeCheckpoints(null);
  }
};

/** The objects' namespace for a request that joins a stopped operation, which may go on once the request waits for it. */
export const untilJoined = (): typeof env.WALLET =>
  watchedLedgers((method, call) => {
    if (method === "carryOut") observeCheckpoints(null);
    return call();
  });

/** Checkpoints of an operation, from its acceptance to its answer, at which a test ends its request. */
export const OPERATION_POINTS = [
  "operation.accepted",
  "operation.before_submit",
  "operation.after_submit",
  "operation.settled",
  "operation.before_effects",
  "operation.after_effects",
] as const;

/** How many operations an integration has. */
export const operationCount = async (key: string): Promise<number> =>
  (await bodyOf<object[]>(await api("/operation", { key }), 200)).length;

/** All events of a type, the oldest first. */
export async function eventsOf<Event>(key: string, type: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let path: string | undefined = `/event?type=${type}`; path !== undefined; ) {
    const answer = await api(path, { key });
    events.push(...(await bodyOf<Event[]>(answer, 200)));
    path = /<http:\/\/mintage\.test\/api\/v1([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return events;
}
