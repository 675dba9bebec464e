// recovery/: the operator recovers a database that was rolled back.

import type { ServiceContext } from "../context.ts";
import { findCollection } from "../db/queries/collections.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { acceptedRow, findOperation, type OperationRow } from "../db/queries/operations.ts";
import { heldBy, putBackKey, putBackOperation } from "../db/queries/recovery.ts";
import type { Statement } from "../db/statements.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { toldByEnd } from "../domain/events.ts";
import type { Uuid } from "../domain/ids.ts";
import { COLLECTION_KINDS } from "../domain/operations.ts";
import { endingStatements, fail } from "../operations/engine/endings.ts";
import { refusalFailure } from "../operations/engine/failure.ts";
import { resume } from "../operations/engine/resume.ts";
import { type Effects, Unrestorable } from "../operations/kind.ts";
import { kindNamed } from "../operations/registry.ts";
import { openText } from "../storage/large-texts.ts";
import type { Ending, JournaledOperation, TransactionRecord, Wallet } from "../wallet/interface.ts";

/** Seconds after which a caller whose operation was given up in favour of an earlier one may try again. */
const GIVEN_UP_AFTER = 1;

/**
 * Puts an operation that the database has lost back from its wallet's journal, with its Idempotency-Keys, its effects
 * and the answer that its caller was given, in one batch. One that has not ended goes on from there. Running it again
 * changes nothing.
 * @param isLacked false: the database has it, open, and it is ended in the same way. Its keys are left alone: one that
 * its failure has freed may stand for a later operation, which was put back before
 * @throws ChainUnavailableError; Unrestorable where what it was about can't be had any more: one that
 * has ended is in the database then with its answer alone, if its integration is
 */
export const putBack = async (
  context: ServiceContext,
  wallet: Wallet,
  journaled: JournaledOperation,
  isLacked: boolean,
): Promise<void> => {
  const { db } = context;
  const operation = operationOf(journaled);
  if (operation.kind !== "wallet_create" && !(await findIntegration(db, operation.integrationId))) {
    throw new Unrestorable("Its integration is in no journal.");
  }
  const holders = isLacked ? await heldBy(db, operation.integrationId, keysOf(context, journaled)) : [];
  for (const other of holders) if (other !== operation.id) await giveUp(context, wallet, other);
  const records = await wallet.transactions(operation.id);
  const giveUpOther = (other: Uuid) => giveUp(context, wallet, other);
  const accepted = await unrestorable(() =>
    kindNamed(operation.kind).acceptedWith(context, operation, giveUpOther),
  );
  checkpoint("recovery.before_put_back");
  if (accepted !== null && journaled.ending === null) throw accepted;
  const effects =
    accepted === null && journaled.ending !== null
      ? await effectsOf(context, operation, journaled.ending, records)
      : { statements: [] };
  const statements =
    journaled.ending === null
      ? []
      : endingStatements(db, operation, answerOf(journaled.ending), {
          records,
          ...effects,
          told: toldByEnd(operation.kind, journaled.ending.state, await bodyOf(context, journaled.ending)),
          at: new Date(journaled.ending.endedAt),
        });
  const batch = [
    putBackOperation(db, { ...operation, acceptedAt: operation.createdAt }),
    ...(isLacked ? keyStatements(context, journaled) : []),
    ...statements,
  ] as [Statement, ...Statement[]];
  const write = () => db.batch(batch);
  await (effects.commit?.(write) ?? write());
  checkpoint("recovery.put_back");
  if (accepted !== null) throw accepted;
  if (journaled.ending === null) await resume(context, operation.id);
};

/** Why it can't be restored; null: it can. */
const unrestorable = async (attempt: () => Promise<void>): Promise<Unrestorable | null> => {
  try {
    await attempt();
    return null;
  } catch (error) {
    if (error instanceof Unrestorable) return error;
    throw error;
  }
};

/** The answer that was given, as the database keeps it. */
const answerOf = ({ state, answerStatus, answerBody }: Ending) => ({
  state,
  answerStatus: answerStatus ?? 200,
  answerBody: answerBody ?? "null",
});

/** The body of that answer. */
const bodyOf = async (context: ServiceContext, ending: Ending): Promise<unknown> => {
  const text = await openText(context.env.BUCKET, answerOf(ending).answerBody);
  return typeof text === "string" ? JSON.parse(text) : new Response(text).json();
};

/** The operation as its rules take it: as it was accepted. */
const operationOf = (journaled: JournaledOperation): OperationRow =>
  acceptedRow(
    {
      id: journaled.operationUuid,
      integrationId: journaled.integrationUuid,
      kind: journaled.kind,
      subjectId: journaled.subjectUuid,
      request: JSON.parse(journaled.request) as unknown,
      costLimit: journaled.mostCost
        ? { quoted: journaled.quotedCost ?? null, most: journaled.mostCost }
        : null,
    },
    new Date(journaled.acceptedAt),
  );

const keysOf = (context: ServiceContext, { keys }: JournaledOperation): string[] =>
  keys.filter(({ expiresAt }) => expiresAt > context.now().getTime()).map(({ key }) => key);

const keyStatements = (context: ServiceContext, journaled: JournaledOperation): Statement[] => {
  const alive = keysOf(context, journaled);
  return journaled.keys
    .filter(({ key }) => alive.includes(key))
    .map(({ key, fingerprint, expiresAt }) =>
      putBackKey(context.db, {
        integrationId: journaled.integrationUuid,
        key,
        fingerprint: fingerprint === null ? null : Buffer.from(fingerprint, "hex"),
        operationId: journaled.operationUuid,
        createdAt: new Date(journaled.acceptedAt),
        expiresAt: new Date(expiresAt),
      }),
    );
};

/** Writes of an operation that is over, read again. None where what it acted on is not there any more. */
const effectsOf = async (
  context: ServiceContext,
  operation: OperationRow,
  { state }: Ending,
  records: readonly TransactionRecord[],
): Promise<Pick<Effects, "statements" | "commit" | "mint">> => {
  const { id, kind, integrationId, subjectId } = operation;
  if (state === "failed") return { statements: kindNamed(kind).onFailure(context, operation, records) };
  if (COLLECTION_KINDS.includes(kind) && !(await findCollection(context.db, integrationId, subjectId))) {
    context.log("recovery.collection_missing", { operation_uuid: id, collection_uuid: subjectId });
    return { statements: [] };
  }
  const outlook = await kindNamed(kind).look(context, operation, records);
  const effects = await outlook.effects();
  if (effects && "statements" in effects) return effects;
  context.log("recovery.effects_missing", { operation_uuid: id, kind });
  return { statements: [] };
};

/**
 * Gives up an operation that was accepted since the database went back, and stands where one that it had lost belongs.
 * Its wallet has taken nothing new since, so that nothing of it was sent. One that the wallet knows goes on.
 */
const giveUp = async (context: ServiceContext, wallet: Wallet, id: Uuid): Promise<void> => {
  const row = await findOperation(context.db, id);
  if (row?.state !== "pending" || !(await wallet.withdraw(id, 0, true))) return;
  const refusal = { status: "busy", retryAfter: GIVEN_UP_AFTER, inactive: true, behind: true } as const;
  const statements = kindNamed(row.kind).onFailure(context, row, []);
  await fail(context, row, { failure: refusalFailure(refusal, undefined), statements, records: [] });
  context.log("recovery.given_up", { operation_uuid: id, kind: row.kind });
};
