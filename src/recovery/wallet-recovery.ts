import { findArchived } from "../archive/read.ts";
import type { ServiceContext } from "../context.ts";
import { forgetBehind } from "../db/queries/behind-wallets.ts";
import { skipNumbers } from "../db/queries/events.ts";
import { hasOperation } from "../db/queries/lineage.ts";
import { lackedOf, latestSucceeded, openOf, type WalletName } from "../db/queries/recovery.ts";
import { recountUsage } from "../db/queries/usage.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { beginOfEra } from "../domain/events.ts";
import type { OperationKind } from "../domain/operations.ts";
import { Unrestorable } from "../operations/kind.ts";
import { walletOf } from "../wallet/client.ts";
import type { JournaledOperation, OriginPlace, Wallet } from "../wallet/interface.ts";
import { putBack } from "./put-back.ts";

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
export const recoverWallet = async (
  context: ServiceContext,
  name: WalletName,
  account: Account,
  until: number,
): Promise<boolean> => {
  const { db, env } = context;
  const wallet = walletOf(env, name);
  const { state, witness, era } = await wallet.testimony();
  const isBehind = state === "behind" || (witness !== null && !(await hasOperation(db, witness)));
  if (isBehind && witness !== null) {
    await wallet.databaseLacks(witness, era);
    // Readers of events may hold numbers that the database has lost, so restored and new events get other numbers.
    if (name !== "platform") await db.batch([skipNumbers(db, name, beginOfEra(era + 1), context.now())]);
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
      const lacked = await lackedOf(
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
      page = await this.#wallet.journaled(last.place satisfies OriginPlace, PAGE);
    }
  }

  /** Ends operations that the database has as open and that the journal knows the end of. */
  async endOpen(): Promise<boolean> {
    for (let after = 0; ; ) {
      const open = await openOf(this.#context.db, this.#name, after, PAGE);
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
