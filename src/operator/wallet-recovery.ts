import type { Recovery } from "../api/resources/recovery.ts";
import type { ServiceContext } from "../context.ts";
import { runBatch } from "../db/client.ts";
import { allLedgers, ledgerOf } from "../db/ledger.ts";
import { findCollection } from "../db/queries/collections.ts";
import { skipNumbers } from "../db/queries/events.ts";
import { findIntegration, HAS_WALLET, integrationIds } from "../db/queries/integrations.ts";
import { acceptedRow, findOperation, type OperationRow } from "../db/queries/operations.ts";
import {
  latestSucceeded,
  missingOperations,
  openOperationsOf,
  openOperationsOfKeys,
  putBackKey,
  putBackOperation,
  type WalletName,
} from "../db/queries/recovery.ts";
import { forgetBehind, hasOperation } from "../db/queries/rollback.ts";
import { recountUsage } from "../db/queries/usage.ts";
import type { Statement } from "../db/statements.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { unknownCursor } from "../domain/cursors.ts";
import { eventsOfOutcome, firstOfGeneration } from "../domain/events.ts";
import { hadEffect } from "../domain/failures.ts";
import { isUuid, type Uuid } from "../domain/ids.ts";
import { KINDS, OPERATION_KINDS, type OperationKind } from "../domain/operations.ts";
import { findArchived } from "../files/archive/read.ts";
import { openText } from "../files/storage/large-texts.ts";
import { endingStatements, fail } from "../operations/engine/endings.ts";
import { refusalFailure } from "../operations/engine/failure.ts";
import { type Effects, Unrestorable } from "../operations/kind.ts";
import { kindNamed } from "../operations/registry.ts";
import { walletOf } from "../wallet/client.ts";
import type {
  JournaledOperation,
  OperationEnding,
  SnapshotKey,
  TransactionRecord,
  Wallet,
} from "../wallet/interface.ts";

/** How long the recovery waits for an operation that goes on. Milliseconds. */
const RESUME_MS = 15_000;

/** Retry-After, in seconds, of an operation that was given up in favour of an earlier one. */
const GIVEN_UP_AFTER = 1;

/**
 * Restores a lost operation from its wallet's journal, with its Idempotency-Keys, effects and response, in one batch.
 * An open operation then continues. Idempotent.
 * @param isLacked false: the database has it, open, and only its end is restored. Its keys stay: a key that its failure has
 * freed may belong to a later operation
 * @throws ChainUnavailableError; Unrestorable if its subject is gone: then only its response is restored
 */
const putBack = async (
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
  const keys = keysOf(context, journaled).map(({ key }) => key);
  const holders = isLacked ? await openOperationsOfKeys(db, operation.integrationId, keys) : [];
  for (const other of holders) if (other !== operation.id) await giveUp(context, wallet, other);
  const records = await wallet.transactions(operation.id);
  const giveUpOther = (other: Uuid) => giveUp(context, wallet, other);
  const accepted = await unrestorable(() =>
    kindNamed(operation.kind).acceptedWith(context, operation, giveUpOther),
  );
  checkpoint("recovery.before_put_back");
  if (accepted !== null && journaled.ending === null) throw accepted;
  const { ending } = journaled;
  const answer = ending && (await bodyOf(context, ending));
  const effects =
    accepted === null && ending !== null
      ? await effectsOf(context, operation, { state: ending.state, answer }, records)
      : { statements: [] };
  const statements =
    ending === null
      ? []
      : endingStatements(db, operation, ending, {
          records,
          ...effects,
          report: eventsOfOutcome(operation.kind, ending.state, answer),
          at: new Date(ending.endedAt),
        });
  const batch = [
    putBackOperation(db, operation),
    ...(isLacked ? keyStatements(context, journaled) : []),
    ...statements,
  ];
  const write = () => runBatch(db, batch);
  await (effects.commit?.(write) ?? write());
  checkpoint("recovery.put_back");
  if (accepted !== null) throw accepted;
  if (journaled.ending === null) await wallet.resume(operation.id, RESUME_MS);
};

/** The reason why it can't be restored; null if it can. */
const unrestorable = async (attempt: () => Promise<void>): Promise<Unrestorable | null> => {
  try {
    await attempt();
    return null;
  } catch (error) {
    if (error instanceof Unrestorable) return error;
    throw error;
  }
};

const bodyOf = async (context: ServiceContext, { answerBody }: OperationEnding): Promise<unknown> =>
  new Response(await openText(context.env.BUCKET, answerBody)).json();

const operationOf = (journaled: JournaledOperation): OperationRow =>
  acceptedRow(
    {
      id: journaled.operationUuid,
      integrationId: journaled.integrationUuid,
      kind: journaled.kind,
      subjectId: journaled.subjectUuid,
      request: JSON.parse(journaled.request) as unknown,
      costLimit: journaled.mostCost ? { quoted: journaled.quotedCost, most: journaled.mostCost } : null,
      reference: journaled.reference,
      keyId: journaled.apiKey,
    },
    new Date(journaled.acceptedAt),
  );

const keysOf = (context: ServiceContext, { keys }: JournaledOperation): readonly SnapshotKey[] =>
  keys.filter(({ expiresAt }) => expiresAt > context.now().getTime());

const keyStatements = (context: ServiceContext, journaled: JournaledOperation): Statement[] =>
  keysOf(context, journaled).map(({ key, fingerprint, expiresAt }) =>
    putBackKey(context.db, {
      integrationId: journaled.integrationUuid,
      key,
      fingerprint: fingerprint === null ? null : Buffer.from(fingerprint, "hex"),
      operationId: journaled.operationUuid,
      createdAt: new Date(journaled.acceptedAt),
      expiresAt: new Date(expiresAt),
    }),
  );

/** The effects of an ended operation, read again; none if its collection no longer exists. @param answer its body */
const effectsOf = async (
  context: ServiceContext,
  operation: OperationRow,
  { state, answer }: Pick<OperationEnding, "state"> & { readonly answer: unknown },
  records: readonly TransactionRecord[],
): Promise<Pick<Effects, "statements" | "commit" | "mint">> => {
  const { id, kind, integrationId, subjectId } = operation;
  const isSettled = state === "failed" && hadEffect(answer);
  if (state === "failed" && !isSettled)
    return { statements: await kindNamed(kind).onFailure(context, operation, records) };
  if (KINDS[kind].isOnCollection && !(await findCollection(context.db, integrationId, subjectId))) {
    context.log("recovery.collection_missing", { operation_uuid: id, collection_uuid: subjectId });
    return { statements: [] };
  }
  if (isSettled) return { statements: await kindNamed(kind).onSettled(context, operation, records) };
  const outlook = await kindNamed(kind).look(context, operation, records);
  const effects = await outlook.effects();
  if (effects && "statements" in effects) return effects;
  context.log("recovery.effects_missing", { operation_uuid: id, kind });
  return { statements: [] };
};

/** Fails an operation accepted after the rollback that conflicts with a lost one and that its wallet hasn't accepted. */
const giveUp = async (context: ServiceContext, wallet: Wallet, id: Uuid): Promise<void> => {
  const row = await findOperation(allLedgers(context), id);
  if (row?.state !== "pending" || !(await wallet.withdraw(id, 0, true))) return;
  const refusal = { status: "busy", retryAfter: GIVEN_UP_AFTER, inactive: true, behind: true } as const;
  const statements = await kindNamed(row.kind).onFailure(context, row, []);
  await fail(context, row, { failure: refusalFailure(refusal, undefined), statements, records: [] });
  context.log("recovery.given_up", { operation_uuid: id, kind: row.kind });
};

/** The latest operations that the database has; the search for lost ones starts at these. */
const ANCHORS = 64;
const PAGE = 50;

/** The counts of a recovery, and the operations that could not be restored completely. */
interface Account {
  readonly putBack: Record<OperationKind, number>;
  keys: number;
  readonly unrestored: Recovery["unrestored"][number][];
}

interface Job {
  readonly context: ServiceContext;
  readonly name: WalletName;
  readonly wallet: Wallet;
  readonly account: Account;
  /** Nothing new begins after this time; milliseconds since the epoch. */
  readonly until: number;
}

const isLate = ({ context, until }: Pick<Job, "context" | "until">): boolean =>
  context.now().getTime() >= until;

/** Restores a wallet's lost operations, then lets it accept new ones. False: not complete. @throws ChainUnavailableError */
const recoverWallet = async (job: Job): Promise<boolean> => {
  const { context, name, wallet } = job;
  const { db } = context;
  const { state, latest, generation } = await wallet.rollbackCheck();
  const isBehind = state === "behind" || (latest !== null && !(await hasOperation(db, latest)));
  if (isBehind && latest !== null) {
    await wallet.databaseLacks(latest, generation);
    // Readers may have seen event numbers that the database has lost, so restored and new events get other numbers.
    if (name !== "platform")
      await db.batch([
        skipNumbers(ledgerOf({ db }, name), name, firstOfGeneration(generation + 1), context.now()),
      ]);
    if (!(await putAllBack(job)) || !(await endOpen(job))) return false;
    if (name !== "platform") await recountUsage(db, name);
    checkpoint("recovery.before_end");
    await wallet.recovered();
  }
  checkpoint("recovery.before_forgotten");
  await forgetBehind(db, [name]);
  checkpoint("recovery.wallet_recovered");
  return true;
};

/** Restores all operations that the database lacks. False if time ran out. */
const putAllBack = async (job: Job): Promise<boolean> => {
  const { context, name, wallet } = job;
  let page = await wallet.journaled(await latestSucceeded(context.db, name, ANCHORS), PAGE);
  for (;;) {
    const lacked = await missingOperations(
      context.db,
      page.map(({ operationUuid }) => operationUuid),
    );
    for (const operation of page) {
      const { operationUuid: id, integrationUuid } = operation;
      // An archived operation isn't lost.
      if (!lacked.has(id) || (await findArchived(context, integrationUuid, id))) continue;
      if (isLate(job)) return false;
      await tryPutBack(job, operation, true);
    }
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return true;
    page = await wallet.journaled(last.place, PAGE);
  }
};

/** Ends operations that are open in the database but ended in the journal. False if time ran out. */
const endOpen = async (job: Job): Promise<boolean> => {
  const { context, name, wallet } = job;
  for (let after = 0; ; ) {
    const open = await openOperationsOf(context.db, name, after, PAGE);
    for (const operation of await wallet.journaledOf(open.map(({ id }) => id))) {
      if (operation.ending === null) continue;
      if (isLate(job)) return false;
      await tryPutBack(job, operation, false);
    }
    const last = open.at(-1);
    if (open.length < PAGE || last === undefined) return true;
    after = last.rowNumber;
  }
};

/** As `putBack`; counts it, or names an operation that can't be restored. */
const tryPutBack = async (
  { context, wallet, account }: Job,
  operation: JournaledOperation,
  isLacked: boolean,
): Promise<void> => {
  const { operationUuid, integrationUuid, subjectUuid, kind, keys } = operation;
  try {
    await putBack(context, wallet, operation, isLacked);
    account.putBack[kind] += 1;
    if (isLacked) account.keys += keys.length;
  } catch (error) {
    if (!(error instanceof Unrestorable)) throw error;
    context.log("recovery.unrestorable", { operation_uuid: operationUuid, kind, error });
    account.unrestored.push({
      operation_uuid: operationUuid,
      integration_uuid: integrationUuid,
      kind,
      subject_uuid: subjectUuid,
      reason: error.message,
    });
    await wallet.lose(operationUuid);
  }
};

/** A call starts nothing new after this time; the caller continues with the next. Milliseconds. */
const CALL_MS = 15_000;
const WALLETS_PAGE = 50;

/**
 * Restores what a rolled-back database has lost, from the wallets' journals, the chain and R2 (docs/running.md, "Rolling the
 * database back"). The platform's wallet is first: its journal has the integrations and contracts. Idempotent.
 * @param cursor `next` of the call before; null begins @throws ServiceError invalid_request (cursor); ChainUnavailableError
 */
export const recoverDatabase = async (context: ServiceContext, cursor: string | null): Promise<Recovery> => {
  const account: Account = {
    putBack: Object.fromEntries(OPERATION_KINDS.map((kind) => [kind, 0])) as Account["putBack"],
    keys: 0,
    unrestored: [],
  };
  const until = context.now().getTime() + CALL_MS;
  let wallets = 0;
  for await (const name of walletsFrom(context, nameOf(cursor))) {
    const job = { context, name, wallet: walletOf(context.env, name), account, until };
    if (isLate(job) || !(await recoverWallet(job))) {
      return viewOf(account, wallets, name);
    }
    wallets++;
  }
  return viewOf(account, wallets, null);
};

/** The wallets starting with one: the platform's, then the integrations' by their ids. */
async function* walletsFrom(context: ServiceContext, first: WalletName): AsyncGenerator<WalletName> {
  yield first;
  let after = first === "platform" ? null : first;
  for (;;) {
    const page = await integrationIds(context.db, { which: HAS_WALLET, after }, WALLETS_PAGE);
    yield* page;
    const last = page.at(-1);
    if (page.length < WALLETS_PAGE || last === undefined) return;
    after = last;
  }
}

const nameOf = (cursor: string | null): WalletName => {
  if (cursor === null || cursor === "platform") return "platform";
  if (!isUuid(cursor)) throw unknownCursor();
  return cursor;
};

const viewOf = ({ putBack, keys, unrestored }: Account, wallets: number, next: string | null): Recovery => ({
  next,
  wallets,
  operations: Object.values(putBack).reduce((sum, count) => sum + count, 0),
  idempotency_keys: keys,
  integrations: putBack.wallet_create,
  contracts: putBack.contract_deploy,
  collections: putBack.finalize,
  unrestored,
});
