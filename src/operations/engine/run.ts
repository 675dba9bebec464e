import { type SQL, sql } from "drizzle-orm";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import type { Caller, EndpointResponse, ServiceContext } from "../../context.ts";
import { holds, runBatch } from "../../db/client.ts";
import { type Ledger, ledgerOf } from "../../db/ledger.ts";
import { recordChange } from "../../db/queries/audit.ts";
import { keepBlobs, reliesOnGone } from "../../db/queries/blobs.ts";
import { noteAddedFiles } from "../../db/queries/collection-media.ts";
import { isLeft } from "../../db/queries/contracts.ts";
import {
  hasNotFailed,
  insertOperationKey,
  isBound,
  refuseFailed,
  unlessTaken,
} from "../../db/queries/idempotency.ts";
import { findIntegration } from "../../db/queries/integrations.ts";
import {
  findOperation,
  insertOperation,
  type NewOperation,
  type OperationRow,
  wasAccepted,
} from "../../db/queries/operations.ts";
import { type AcceptanceRow, acceptance, acceptanceFrom } from "../../db/queries/rollback.ts";
import { hasRoom, mayWait, refuseAbove } from "../../db/queries/usage.ts";
import { refuseUsedUp, toQuotaError } from "../../db/quota.ts";
import { type Statement, violatesConstraint } from "../../db/statements.ts";
import { AUDITED_KINDS, auditedRequest } from "../../domain/audit.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { keyInFlight, ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { KINDS, type OperationKind } from "../../domain/operations.ts";
import type { AcceptedRow, RowWithResults } from "../../wallet/interface.ts";
import type { Kind, KindResults, Proposal } from "../kind.ts";
import { kindNamed, walletFor } from "../registry.ts";
import { acceptedUnread, maybeAccepted } from "./in-doubt.ts";
import { plannedOf, requireWithin } from "./limits.ts";
import { responseOf } from "./response.ts";

/** Extends the condition of a write to a contract: the wallet hasn't lost its role in a hand-over. */
const unlessLeft = (contract: string, condition: SQL = sql`true`): SQL =>
  sql`((${condition}) AND NOT ${isLeft(contract)})`;

/**
 * Whether a wallet has a role in a contract although it lost it in a hand-over: it stays the owner until the hand-over
 * is accepted, and the next owner may make it an admin. Reads the contract only after a hand-over.
 * @throws ServiceError conflict without a role, which the contract would reject after burning gas;
 *   ChainUnavailableError
 */
const hasRoleAgain = async (
  context: ServiceContext,
  integrationId: Uuid,
  contract: string,
): Promise<boolean> => {
  if (!(await holds(context.db, isLeft(contract)))) return false;
  const [roles, integration] = await Promise.all([
    contractViews(connectFor(context), contract).roles(),
    findIntegration(context.db, integrationId),
  ]);
  const wallet = integration?.walletAccountId ?? "";
  if (roles.owner_id === wallet || roles.admin_ids.includes(wallet)) return true;
  throw new ServiceError(
    "conflict",
    `Ask ${roles.owner_id}, the owner of the contract ${contract}, to make the wallet ${wallet} an admin of it: it was handed over without a role for the wallet. Nothing was sent.`,
    { outcome: "not_submitted", retryable: false },
  );
};

/**
 * Accepts an operation and inserts the request's Idempotency-Key in one batch, so that a crash can't separate them.
 * Null if the condition doesn't hold.
 * @throws ServiceError too_many_operations, quota_exceeded; conflict if it is the execution of a quote that has failed on
 *   the chain; idempotency_key_in_flight if another request has inserted the key; database_unavailable with the operation's uuid if the result of the batch is unknown
 */
const accept = async (
  context: ServiceContext,
  caller: Omit<Runner, "respondAsync">,
  {
    files = [],
    condition = sql`true`,
    after = [],
    known,
    refusal: _,
    quotedState: __,
    ...operation
  }: Proposal,
): Promise<AcceptedRow | null> => {
  const { db } = context;
  const { integrationId, requestKey, costLimit, reference, keyId } = caller;
  const ledger = ledgerOf(context, integrationId);
  const accepted = { id: newUuid(), integrationId, costLimit, reference, keyId, ...operation };
  const execution = costLimit?.execution;
  const isFirst = execution ? hasNotFailed(ledger, execution) : sql`true`;
  const isOnly = execution ? isBound(execution) : sql`true`;
  const mayBegin = sql`${mayWait(integrationId)} AND ${hasRoom(integrationId)} AND ${isFirst} AND ${isOnly}`;
  const brought = { collectionId: operation.subjectId, operationId: accepted.id };
  const { accepted: facts } = kindNamed(operation.kind);
  checkpoint("operation.before_accept");
  const isAccepted = wasAccepted(accepted.id);
  const kept = keepBlobs(db, operation.subjectId, files, isAccepted);
  const statements: Statement[] = [
    insertOperation(ledger, accepted, sql`${mayBegin} AND ${condition}`, context.now()),
    ...kept,
    ...(kept.length > 0 ? [noteAddedFiles(db, brought, files, isAccepted)] : []),
    ...(requestKey === null ? [] : insertOperationKey(ledger, requestKey, accepted.id)),
    ...after,
    ...recordAccepted(context, accepted, isAccepted),
    ...(kept.length > 0 ? [refuseAbove(db, integrationId, "stored_bytes")] : []),
    acceptance(db, accepted, requestKey?.key ?? null),
    ...(facts === null ? [] : [facts.read(ledger, accepted)]),
  ];
  const made = { id: accepted.id, facts };
  const row = await commit(context, ledger, statements, made).catch(async (error: unknown) => {
    if (reliesOnGone(error)) throw clearedAway(error);
    throw await toQuotaError(context, integrationId, unlessTaken(error));
  });
  checkpoint("operation.accepted");
  if (!row) {
    await refuseUsedUp(context, integrationId, ["operations_waiting", "database_bytes"]);
    if (execution) await refuseFailed(ledger, execution);
    return null;
  }
  context.log("operation.accepted", { operation_uuid: row.id, kind: row.kind });
  return { ...row, known: row.known ?? known };
};

/** The entry of an operation in the audit log, if its kind has one. */
const recordAccepted = (context: ServiceContext, operation: NewOperation, isAccepted: SQL): Statement[] => {
  const action = AUDITED_KINDS[operation.kind];
  if (action === undefined) return [];
  const shown = {
    operation_uuid: operation.id,
    ...auditedRequest(operation.kind, operation.request as object),
  };
  const change = { action, subjectId: operation.subjectId, changes: shown };
  return recordChange(context, operation.integrationId, change, isAccepted);
};

/**
 * Runs the batch. If its result is lost, the operation's row shows whether it was committed; if the row can't be read
 * or isn't there yet, the request may have had an effect.
 */
const commit = async (
  context: ServiceContext,
  ledger: Ledger,
  statements: readonly Statement[],
  { id, facts }: { readonly id: Uuid; readonly facts: Kind["accepted"] },
): Promise<AcceptedRow | undefined> => {
  try {
    const results = await runBatch(ledger, statements);
    const [row] = results[0] as OperationRow[];
    const [read] = results.at(facts === null ? -1 : -2) as AcceptanceRow[];
    if (!row || !read) return undefined;
    const known = facts?.facts(results.at(-1) as unknown[]);
    return { ...row, acceptance: acceptanceFrom(read), known };
  } catch (error) {
    // A batch that violates a constraint is rolled back, and the error names the constraint.
    if (violatesConstraint(error)) throw error;
    const row = await findOperation(ledger, id).catch(() => undefined);
    if (!row) throw maybeAccepted(id, error);
    context.log("operation.acceptance_recovered", { operation_uuid: id, error });
    return row;
  }
};

const clearedAway = (cause: unknown): ServiceError =>
  new ServiceError("asset_url_failed", "Send the request again: clean-up was deleting one of its files.", {
    outcome: "not_submitted",
    retryable: true,
    cause,
  });

/**
 * Accepts an operation and drives it while the caller waits. Every operation begins here; the wallet alone sends more, its
 * own keys and no-ops.
 * @returns the operation's response; null if the proposal's condition doesn't hold and it has no reason
 * @throws ServiceError those of `hasRoleAgain`, `requireWithin`, `accept` and `carryOut`, and the reason of a condition
 *   that doesn't hold
 */
export const tryOperation = async <K extends OperationKind>(
  context: ServiceContext,
  caller: Runner,
  proposal: Proposal<K>,
): Promise<EndpointResponse<KindResults[K]> | null> => {
  const row = await ifConditionHolds(context, caller, proposal, async (guarded) => {
    await requireWithin(context, caller, guarded);
    return accept(context, caller, guarded);
  });
  return row && carryOut(context, caller, { ...row, kind: proposal.kind }, true);
};

/** Like `tryOperation`, for a proposal without a condition or with its refusal. @throws ServiceError */
export const runOperation = async <K extends OperationKind>(
  context: ServiceContext,
  caller: Runner,
  proposal: Proposal<K>,
): Promise<EndpointResponse<KindResults[K]>> => {
  const response = await tryOperation(context, caller, proposal);
  if (response === null) throw keyInFlight();
  return response;
};

/**
 * The complete operation that would be accepted now, without accepting it.
 * @throws ServiceError those of `hasRoleAgain`, and the reason of a condition that doesn't hold
 */
export const planOperation = async (
  context: ServiceContext,
  caller: Runner,
  proposal: Proposal,
): Promise<Proposal> => {
  const planned = await ifConditionHolds(context, caller, proposal, (guarded) => plannedOf(context, guarded));
  if (planned) return planned;
  throw keyInFlight();
};

/**
 * Applies `act` to a proposal if the wallet has its role in the contract and the condition holds.
 * @param act null: the condition doesn't hold
 * @throws ServiceError those of `hasRoleAgain`, the reason of a condition that doesn't hold, and what `unlocked` forbids
 */
const ifConditionHolds = async <Result>(
  context: ServiceContext,
  caller: Runner,
  { unlocked, ...proposal }: Proposal,
  act: (proposal: Proposal) => Promise<Result | null>,
): Promise<Result | null> => {
  if (unlocked) {
    const { refusal: _, condition = sql`true`, ...rest } = proposal;
    const free = { ...rest, condition: sql`(${condition}) AND ${unlocked.condition}` };
    const result = await ifConditionHolds(context, caller, free, act);
    if (result !== null) return result;
    await unlocked.check();
  }
  const contract = contractOf(proposal);
  const guarded =
    contract === null ? proposal : { ...proposal, condition: unlessLeft(contract, proposal.condition) };
  let result = await act(guarded);
  if (result === null && contract !== null && (await hasRoleAgain(context, caller.integrationId, contract))) {
    result = await act(proposal);
  }
  if (result === null && proposal.refusal) throw (await proposal.refusal()) ?? keyInFlight();
  return result;
};

/**
 * The contract in which the wallet needs a role for an operation; null if none. Any account may redeem a claim link.
 */
const contractOf = ({ kind, request }: Proposal): string | null =>
  KINDS[kind].needsRole ? (request as CollectionTarget).contract : null;

/** Drives an operation that another request started, and responds like to that one. @throws ServiceError */
export const joinOperation = <K extends OperationKind>(
  context: ServiceContext,
  caller: Pick<Caller, "respondAsync">,
  row: RowOf<K>,
): Promise<EndpointResponse<KindResults[K]>> => carryOut(context, caller, row, false);

type RowOf<K extends OperationKind> = AcceptedRow & RowWithResults & { readonly kind: K };

/** The caller that an operation is run for. */
export type Runner = Pick<Caller, "integrationId" | "requestKey" | "respondAsync"> &
  Partial<Pick<Caller, "costLimit" | "reference" | "keyId">>;

/**
 * Has an accepted operation carried out by its wallet while the caller waits, and responds. If this fails, the operation
 * continues without its request. After a 202 it isn't abandoned for temporary failures, such as an unreachable chain.
 * @param isNew this request accepted it
 * @throws ServiceError if it failed; internal_error or database_unavailable with its uuid if its state is unknown
 */
const carryOut = async <K extends OperationKind>(
  context: ServiceContext,
  { respondAsync }: Pick<Caller, "respondAsync">,
  row: RowOf<K>,
  isNew: boolean,
): Promise<EndpointResponse<KindResults[K]>> => {
  // With respond-async, the first step is also submitted before the response, so that the caller learns of a refusal.
  const waitMs = respondAsync ? 0 : context.settings.SYNC_WAIT_MS;
  const isOver = row.state === "succeeded" || row.state === "failed";
  const unread = (error: unknown): never => {
    throw acceptedUnread(row.id, error);
  };
  const ended = isOver ? row : await walletFor(context, row).carryOut(row, { waitMs, isNew }).catch(unread);
  try {
    // The database stores the body that the kind's effects built.
    return (await responseOf(context, ended ?? row)) as EndpointResponse<KindResults[K]>;
  } catch (error) {
    throw error instanceof ServiceError ? error : acceptedUnread(row.id, error);
  }
};
