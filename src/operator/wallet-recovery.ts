import type { Recovery } from "../api/resources/recovery.ts";
import type { ServiceContext } from "../context.ts";
import { runBatch } from "../db/client.ts";
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
import { isUuid, type Uuid } from "../domain/ids.ts";
import { KINDS, OPERATION_KINDS, type OperationKind } from "../domain/operations.ts";
import { findArchived } from "../files/archive/read.ts";
import { openText } from "../files/storage/large-texts.ts";
import { endingStatements, fail } from "../operations/engine/endings.ts";
import { refusalFailure } from "../operations/engine/failure.ts";
import { resume } from "../operations/engine/resume.ts";
import { type Effects, Unrestorable } from "../operations/kind.ts";
import { kindNamed } from "../operations/registry.ts";
import { walletOf } from "../wallet/client.ts";
import type {
  JournaledOperation,
  OperationEnding,
  SnapshotPosition,
  TransactionRecord,
  Wallet,
} from "../wallet/interface.ts";

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
  const holders = isLacked
    ? await openOperationsOfKeys(db, operation.integrationId, keysOf(context, journaled))
    : [];
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
          report: eventsOfOutcome(
            operation.kind,
            journaled.ending.state,
            await bodyOf(context, journaled.ending),
          ),
          at: new Date(journaled.ending.endedAt),
        });
  const batch = [
    putBackOperation(db, { ...operation, acceptedAt: operation.createdAt }),
    ...(isLacked ? keyStatements(context, journaled) : []),
    ...statements,
  ];
  const write = () => runBatch(db, batch);
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
const answerOf = ({ state, answerStatus, answerBody }: OperationEnding) => ({
  state,
  answerStatus: answerStatus ?? 200,
  answerBody: answerBody ?? "null",
});

/** The body of that answer. */
const bodyOf = async (context: ServiceContext, ending: OperationEnding): Promise<unknown> => {
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
      reference: journaled.reference ?? null,
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
  { state }: OperationEnding,
  records: readonly TransactionRecord[],
): Promise<Pick<Effects, "statements" | "commit" | "mint">> => {
  const { id, kind, integrationId, subjectId } = operation;
  if (state === "failed") return { statements: kindNamed(kind).onFailure(context, operation, records) };
  if (KINDS[kind].isOnCollection && !(await findCollection(context.db, integrationId, subjectId))) {
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

/** Operations that the database is known to have, from which on its gaps are looked for. */
const ANCHORS = 64;
/** Operations of the journal that one call of the wallet answers with. */
const PAGE = 50;

/** An operation of which something could not be put back. */
export interface Unrestored {
  readonly operation: JournaledOperation;
  readonly reason: string;
}

/** Counts and names what a recovery has done. */
export interface Account {
  readonly putBack: Record<OperationKind, number>;
  keys: number;
  readonly unrestored: Unrestored[];
}

/**
 * Restores what the database has lost of one wallet's operations, in the order of their acceptance, then lets the
 * wallet take new ones. It goes on where an earlier run stopped, because what was put back is there.
 * @param until begins nothing new after then; milliseconds since the epoch
 * @returns whether it came to its end
 * @throws ChainUnavailableError if no node shows what operations came to
 */
const recoverWallet = async (
  context: ServiceContext,
  name: WalletName,
  account: Account,
  until: number,
): Promise<boolean> => {
  const { db, env } = context;
  const wallet = walletOf(env, name);
  const { state, latest, generation } = await wallet.rollbackCheck();
  const isBehind = state === "behind" || (latest !== null && !(await hasOperation(db, latest)));
  if (isBehind && latest !== null) {
    await wallet.databaseLacks(latest, generation);
    // Readers of events may hold numbers that the database has lost, so restored and new events get other numbers.
    if (name !== "platform")
      await db.batch([skipNumbers(db, name, firstOfGeneration(generation + 1), context.now())]);
    const recovery = new WalletRecovery(context, { name, wallet, account, until });
    if (!(await recovery.putAllBack()) || !(await recovery.endOpen())) return false;
    // What was put back is weighed at once.
    if (name !== "platform") await recountUsage(db, name);
    checkpoint("recovery.before_end");
    await wallet.recovered();
  }
  checkpoint("recovery.before_forgotten");
  await forgetBehind(db, [name]);
  checkpoint("recovery.wallet_recovered");
  return true;
};

/** A wallet to recover, and what goes with that. */
interface Job {
  readonly name: WalletName;
  readonly wallet: Wallet;
  readonly account: Account;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

class WalletRecovery {
  readonly #context: ServiceContext;
  readonly #name: WalletName;
  readonly #wallet: Wallet;
  readonly #account: Account;
  readonly #until: number;

  constructor(context: ServiceContext, { name, wallet, account, until }: Job) {
    this.#context = context;
    this.#name = name;
    this.#wallet = wallet;
    this.#account = account;
    this.#until = until;
  }

  get #isLate(): boolean {
    return this.#context.now().getTime() >= this.#until;
  }

  /** Puts back what the database lacks. False if the time was up before. */
  async putAllBack(): Promise<boolean> {
    const { db } = this.#context;
    const anchors = await latestSucceeded(db, this.#name, ANCHORS);
    let page = await this.#wallet.journaled(anchors, PAGE);
    for (;;) {
      const lacked = await missingOperations(
        db,
        page.map(({ operationUuid }) => operationUuid),
      );
      for (const operation of page) {
        const { operationUuid: id, integrationUuid } = operation;
        // One that was archived isn't lost.
        if (!lacked.has(id) || (await findArchived(this.#context, integrationUuid, id))) continue;
        if (this.#isLate) return false;
        await this.#putBack(operation, true);
      }
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return true;
      page = await this.#wallet.journaled(last.place satisfies SnapshotPosition, PAGE);
    }
  }

  /** Ends operations that the database has as open and that the journal knows the end of. */
  async endOpen(): Promise<boolean> {
    for (let after = 0; ; ) {
      const open = await openOperationsOf(this.#context.db, this.#name, after, PAGE);
      for (const operation of await this.#wallet.journaledOf(open.map(({ id }) => id))) {
        if (operation.ending === null) continue;
        if (this.#isLate) return false;
        await this.#putBack(operation, false);
      }
      const last = open.at(-1);
      if (open.length < PAGE || last === undefined) return true;
      after = last.rowNumber;
    }
  }

  /** @param isLacked the database doesn't have it; else it is open there */
  async #putBack(operation: JournaledOperation, isLacked: boolean): Promise<void> {
    const { log } = this.#context;
    try {
      await putBack(this.#context, this.#wallet, operation, isLacked);
      this.#account.putBack[operation.kind] += 1;
      if (isLacked) this.#account.keys += operation.keys.length;
    } catch (error) {
      if (!(error instanceof Unrestorable)) throw error;
      const { operationUuid, kind } = operation;
      log("recovery.unrestorable", { operation_uuid: operationUuid, kind, error });
      this.#account.unrestored.push({ operation, reason: error.message });
      await this.#wallet.lose(operationUuid);
    }
  }
}

/** A call starts nothing new after this time; the caller continues with the next. Milliseconds. */
const CALL_MS = 15_000;
/** Wallets that are looked at between two looks at the clock. */
const WALLETS_PAGE = 50;

/**
 * Restores what a rolled-back database has lost, as far as the wallets' journals, the chain and R2 know it
 * (docs/running.md, "Rolling the database back"). The platform's wallet comes first, because integrations and
 * contracts are put back from its journal. Safe to repeat; with nothing lost it changes nothing.
 * @param cursor `next` of the call before; null begins
 * @throws ServiceError invalid_request (cursor); ChainUnavailableError
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
    const isLate = context.now().getTime() >= until;
    if (isLate || !(await recoverWallet(context, name, account, until))) {
      return viewOf(account, wallets, name);
    }
    wallets++;
  }
  return viewOf(account, wallets, null);
};

/** The wallets from one on: the platform's, then the integrations' by their ids. */
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
  unrestored: unrestored.map(unrestoredView),
});

const unrestoredView = ({ operation, reason }: Unrestored): Recovery["unrestored"][number] => ({
  operation_uuid: operation.operationUuid,
  integration_uuid: operation.integrationUuid,
  kind: operation.kind,
  subject_uuid: operation.subjectUuid,
  reason,
});
