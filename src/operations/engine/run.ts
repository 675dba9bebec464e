import { type SQL, sql } from "drizzle-orm";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import type { Caller, EndpointResponse, ServiceContext } from "../../context.ts";
import { holds, runBatch } from "../../db/client.ts";
import { ledgerOf, sentOf } from "../../db/ledger.ts";
import { postToD1 } from "../../db/outbox.ts";
import { hasRoomFor, recordChange } from "../../db/queries/audit.ts";
import { keepBlobs, putFilesBack, reliesOnGone, selectFiles } from "../../db/queries/blobs.ts";
import { noteAddedFiles, releaseFiles } from "../../db/queries/collection-media.ts";
import { isLeft } from "../../db/queries/contracts.ts";
import {
  hasNotFailed,
  insertOperationKey,
  isBound,
  refuseFailed,
  unbind,
} from "../../db/queries/idempotency.ts";
import { findIntegration } from "../../db/queries/integrations.ts";
import { acceptedRow, insertOperation, type NewOperation, wasAccepted } from "../../db/queries/operations.ts";
import { mayWait, readOperationLimits, refuseAbove } from "../../db/queries/usage.ts";
import { exceeded, refuseUsedUp } from "../../db/quota.ts";
import type { blobLeaves, blobs } from "../../db/schema/index.ts";
import type { Statement } from "../../db/statements.ts";
import { AUDITED_KINDS, auditedRequest } from "../../domain/audit.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { keyInFlight, ServiceError, suspended } from "../../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../../domain/ids.ts";
import { KINDS, type OperationKind } from "../../domain/operations.ts";
import { walletOf } from "../../wallet/client.ts";
import type { NewWrite, RowWithResults, WriteResult } from "../../wallet/interface.ts";
import type { KindResults, Proposal, Reservation } from "../kind.ts";
import { refusalFailure } from "./failure.ts";
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
  if (!(await holds(ledgerOf(context, integrationId), isLeft(contract)))) return false;
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
 * Has an operation accepted by its ledger, with the request's Idempotency-Key and its first step, and waits for its end.
 * @returns its row, ended or not; null if the condition doesn't hold
 * @throws ServiceError too_many_operations; quota_exceeded; conflict if it is the execution of a quote that has failed on the chain;
 *   idempotency_key_in_flight if another request has the key; the refusal of its first step; database_unavailable with the
 *   operation's uuid if the ledger doesn't answer
 */
const accept = async (
  context: ServiceContext,
  caller: Runner,
  proposal: Proposal,
): Promise<RowWithResults | null> => {
  const accepting = acceptOrUndo(context, caller, proposal);
  // What it has reserved is also released if the client goes away.
  context.waitUntil(accepting.catch(() => undefined));
  return accepting;
};

const acceptOrUndo = async (
  context: ServiceContext,
  caller: Runner,
  proposal: Proposal,
): Promise<RowWithResults | null> => {
  const { integrationId } = caller;
  const id = proposal.id ?? newUuid();
  await requireAuditRoom(context, integrationId, proposal.kind);
  const reservation = reservationOf(context, integrationId, proposal);
  checkpoint("operation.before_accept");
  if (!(await reservation.take(id))) return null;
  const again = reservation.again?.(id) ?? [];
  const write = await writeOf(context, caller, { ...proposal, id, again }).catch(async (error: unknown) => {
    await release(context, reservation, id);
    throw error;
  });
  // With respond-async, the first step is also submitted before the response, so that the caller learns of a refusal.
  const waitMs = caller.respondAsync ? 0 : context.settings.SYNC_WAIT_MS;
  const written = await walletOf(context.env, integrationId)
    .write(write, waitMs)
    .catch((error: unknown) => {
      throw maybeAccepted(id, error);
    });
  checkpoint("operation.accepted");
  if (written.status === "accepted") return written.row ?? write.row;
  await release(context, reservation, id);
  if (written.status === "not_accepted") return whyNot(context, caller);
  const { execution } = caller.costLimit ?? {};
  if (execution && written.status !== "taken") await unbind(ledgerOf(context, integrationId), execution);
  throw refusalOf(written);
};

/**
 * Releases what D1 has reserved for an operation that isn't accepted. Never rejects: the caller gets the reason, and where D1
 * doesn't answer the scheduled job releases it (src/operator/jobs/unaccepted.ts).
 */
const release = async ({ log }: ServiceContext, reservation: Reservation, id: Uuid): Promise<void> => {
  try {
    await reservation.undo(id);
  } catch (error) {
    log("operation.reservation_kept", { operation_uuid: id, error });
  }
};

/** Why the ledger's own conditions don't hold; null: the proposal's doesn't. @throws ServiceError */
const whyNot = async (context: ServiceContext, caller: Runner): Promise<null> => {
  const { integrationId, costLimit } = caller;
  await refuseUsedUp(context, integrationId, ["operations_waiting"]);
  if (costLimit?.execution) await refuseFailed(ledgerOf(context, integrationId), costLimit.execution);
  return null;
};

const refusalOf = (
  written: Exclude<WriteResult, { readonly status: "accepted" | "not_accepted" }>,
): ServiceError => {
  switch (written.status) {
    case "taken":
      return keyInFlight();
    case "suspended":
      return suspended();
    case "failed":
      return new ServiceError(written.code, written.message, written.details);
    case "refused": {
      const { code, message, ...details } = refusalFailure(written.refusal, undefined);
      return new ServiceError(code, message, details);
    }
  }
};

/** An operation as its ledger accepts it. */
const writeOf = async (
  context: ServiceContext,
  caller: Runner,
  {
    condition = sql`true`,
    after = [],
    known,
    acceptFirst = false,
    again,
    ...operation
  }: Proposal & { readonly id: Uuid; readonly again: ReturnType<NonNullable<Reservation["again"]>> },
): Promise<NewWrite> => {
  const { integrationId, requestKey, costLimit, reference, keyId } = caller;
  const now = context.now();
  const ledger = ledgerOf(context, integrationId);
  const accepted = { integrationId, costLimit, reference, keyId, ...operation };
  const execution = costLimit?.execution;
  const isFirst = execution ? hasNotFailed(ledger, execution) : sql`true`;
  const isOnly = execution ? isBound(execution) : sql`true`;
  const limits =
    caller.limits ?? (await readOperationLimits(context.db, { integrationId, keyId: keyId ?? null }));
  const mayBegin = sql`${mayWait(integrationId, limits.waiting)} AND ${isFirst} AND ${isOnly}`;
  const statements = [
    insertOperation(ledger, accepted, sql`${mayBegin} AND ${condition}`, now),
    ...(requestKey === null ? [] : [insertOperationKey(ledger, requestKey, accepted.id)]),
    ...after,
    ...[recordAccepted(context, accepted), ...again].flatMap((entry) =>
      postToD1(ledger, entry, wasAccepted(accepted.id), now),
    ),
  ];
  return {
    row: { ...acceptedRow(accepted, now), limits, known },
    statements: statements.map(sentOf),
    key: requestKey?.key ?? null,
    acceptFirst: acceptFirst || operation.filled !== undefined || KINDS[operation.kind].isInTurn,
  };
};

/** Files of an entry of the outbox, whose statements are at most 1 MB: a file has a hundred leaves at most. */
const FILES_OF_ENTRY = 100;

/** What a proposal needs of D1: its own reservation, and its files. */
const reservationOf = (
  context: ServiceContext,
  integrationId: Uuid,
  { kind, subjectId, files = [], reserve }: Proposal,
): Reservation => {
  if (files.length === 0) return reserve ?? NOTHING;
  const { db } = context;
  let stored: FileRows = [[], []];
  return {
    take: async (operationId) => {
      if (reserve && !(await reserve.take(operationId))) return false;
      const brought = { collectionId: subjectId, operationId };
      try {
        const results = await runBatch(db, [
          ...selectFiles(db, files),
          ...keepBlobs(db, subjectId, files, integrationId),
          noteAddedFiles(db, brought, files),
          refuseAbove(db, integrationId, "stored_bytes"),
        ]);
        stored = [results[0], results[1]];
      } catch (error) {
        if (reserve) await release(context, reserve, operationId);
        throw reliesOnGone(error) ? clearedAway(error) : error;
      }
      context.log("operation.files_reserved", { operation_uuid: operationId, kind });
      return true;
    },
    undo: async (operationId) => {
      await reserve?.undo(operationId);
      await runBatch(db, releaseFiles(db, { collectionId: subjectId, operationId }, files));
    },
    again: (operationId) => {
      const [rows, leaves] = stored;
      const groups = Array.from({ length: Math.ceil(rows.length / FILES_OF_ENTRY) }, (_, group) =>
        rows.slice(group * FILES_OF_ENTRY, (group + 1) * FILES_OF_ENTRY),
      );
      return groups.map((group) => {
        const hexes = group.map(({ sha256 }) => toHex(sha256));
        const own = leaves.filter(({ blobSha256 }) => hexes.includes(toHex(blobSha256)));
        return [
          ...putFilesBack(db, group, own),
          ...keepBlobs(db, subjectId, hexes, integrationId),
          noteAddedFiles(db, { collectionId: subjectId, operationId }, hexes),
        ];
      });
    },
  };
};

type FileRows = readonly [
  rows: readonly (typeof blobs.$inferSelect)[],
  leaves: readonly (typeof blobLeaves.$inferSelect)[],
];

const NOTHING: Reservation = { take: async () => true, undo: async () => undefined };

/** @throws ServiceError quota_exceeded if the audit log has no room for the operation's entry, which follows its acceptance */
const requireAuditRoom = async (
  context: ServiceContext,
  integrationId: Uuid,
  kind: OperationKind,
): Promise<void> => {
  const action = AUDITED_KINDS[kind];
  if (action === undefined || (await hasRoomFor(context, integrationId, action))) return;
  throw await exceeded(context, integrationId, "audit_entries");
};

/** The entry of an operation in the audit log, if its kind has one. */
const recordAccepted = (context: ServiceContext, operation: NewOperation): Statement[] => {
  const action = AUDITED_KINDS[operation.kind];
  if (action === undefined) return [];
  const shown = {
    operation_uuid: operation.id,
    ...auditedRequest(operation.kind, operation.request as object),
  };
  const change = { action, subjectId: operation.subjectId, changes: shown, hasRoom: true } as const;
  return recordChange(context, operation.integrationId, change, sql`true`);
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
  return row && respond<K>(context, row);
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
  const planned = await ifConditionHolds(context, caller, proposal, (guarded) =>
    plannedOf(context, caller.integrationId, guarded),
  );
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
export const joinOperation = async <K extends OperationKind>(
  context: ServiceContext,
  { respondAsync }: Pick<Caller, "respondAsync">,
  row: RowWithResults & { readonly kind: K },
): Promise<EndpointResponse<KindResults[K]>> => {
  const waitMs = respondAsync ? 0 : context.settings.SYNC_WAIT_MS;
  // What others look for in D1 has to be there with the answer.
  const isOver =
    (row.state === "succeeded" || row.state === "failed") && KINDS[row.kind].event === "nft.minted";
  const ended = isOver
    ? row
    : await walletOf(context.env, row.integrationId)
        .carryOut(row.id, waitMs)
        .catch((error: unknown) => {
          throw acceptedUnread(row.id, error);
        });
  return respond<K>(context, ended ?? row);
};

/** The caller that an operation is run for. */
export type Runner = Pick<Caller, "integrationId" | "requestKey" | "respondAsync"> &
  Partial<Pick<Caller, "costLimit" | "reference" | "keyId" | "limits">>;

/** @throws ServiceError if the operation failed; internal_error or database_unavailable with its uuid if its state is unknown */
const respond = async <K extends OperationKind>(
  context: ServiceContext,
  row: RowWithResults,
): Promise<EndpointResponse<KindResults[K]>> => {
  try {
    // The ledger stores the body that the kind's effects built.
    return (await responseOf(context, row)) as EndpointResponse<KindResults[K]>;
  } catch (error) {
    throw error instanceof ServiceError ? error : acceptedUnread(row.id, error);
  }
};
