import type { ServiceContext } from "../../context.ts";
import { allLedgers } from "../../db/ledger.ts";
import { findOperation } from "../../db/queries/operations.ts";
import type { Uuid } from "../../domain/ids.ts";
import { loggedContext } from "../../http/log.ts";
import { within } from "../../waiting.ts";
import { type AcceptedRow, entryOf, type RowWithResults, type Waiting } from "../../wallet/interface.ts";
import { WalletObject } from "../../wallet/object.ts";
import { Drive } from "./drive.ts";
import { endingOf } from "./endings.ts";

/** How long an operation is driven at least, however short its caller waits. Milliseconds. */
const DRIVE_MS = 15_000;

/** A drive whose transition has overrun its time by this is taken for lost, and another one begins. Milliseconds. */
const LOST_MS = 60_000;

/** Extra time for writing small effects after the wait for the chain. Milliseconds. */
const GRACE_MS = 1_000;

/** The object of a wallet, which also drives the operations that the wallet signs for: nothing else does. */
export class IntegrationWallet extends WalletObject {
  /** The running drives. */
  readonly #drives = new Map<Uuid, Drive>();

  async carryOut(row: AcceptedRow, { waitMs, isNew = false }: Waiting): Promise<RowWithResults | null> {
    const running = this.#drives.get(row.id);
    // The operator knows a height that the running drive doesn't.
    if (running && (row.height ?? 0) > (running.row.height ?? 0)) await running.done.catch(() => undefined);
    const drive = this.#driveOf(row, waitMs, isNew);
    const { log } = this.#context(row.id);
    let interruption: unknown;
    const reached = await over(drive, waitMs).catch((error: unknown) => {
      // The alarm or the scheduled job drives it again.
      log("operation.interrupted", { error });
      interruption = error;
      return null;
    });
    if (reached && reached.state !== "pending") return reached;
    if (drive.isBegun || this.parts.journal.operations.promise(row.id)) return null;
    throw interruption ?? new Error(`operation ${row.id} is withdrawn, and its end isn't written yet`);
  }

  async resume(operationUuid: Uuid, waitMs: number): Promise<boolean> {
    const running = this.#drives.get(operationUuid);
    const context = this.#context(operationUuid);
    const row = running?.row ?? (await findOperation(allLedgers(context), operationUuid));
    if (!row) return false;
    if (row.state === "succeeded" || row.state === "failed") {
      await this.acknowledge(row.id, endingOf(row));
      return true;
    }
    await over(this.#driveOf(row, waitMs, false), waitMs).catch((error: unknown) =>
      context.log("operation.interrupted", { error }),
    );
    return true;
  }

  /** The operation's drive, begun unless it is running. */
  #driveOf(row: AcceptedRow, waitMs: number, isNew: boolean): Drive {
    const until = Date.now() + Math.max(waitMs, DRIVE_MS);
    const running = this.#drives.get(row.id);
    if (!running) return this.#begin(row, until, isNew);
    // A call without a deadline, such as one of R2, may never be answered.
    if (running.due + LOST_MS < Date.now()) return this.#begin(row, until, false);
    running.extend(until);
    return running;
  }

  #begin(row: AcceptedRow, until: number, isNew: boolean): Drive {
    const home = {
      context: this.#context(row.id),
      wallet: this,
      isPromised: (id: Uuid) => this.parts.journal.operations.isPromised(id),
      driveOther: (id: Uuid) => this.resume(id, DRIVE_MS),
      finish: (id: Uuid, height: number | null) => entryOf(this.ctx).finish(id, height),
    };
    const drive = new Drive(home, row, until, isNew);
    this.#drives.set(row.id, drive);
    const end = () => {
      if (this.#drives.get(row.id) === drive) this.#drives.delete(row.id);
    };
    drive.done.then(end, end);
    return drive;
  }

  #context(operation: Uuid): ServiceContext {
    const { connections } = this.parts;
    return { ...loggedContext(this.env, this.ctx, { operation_uuid: operation }), connections };
  }
}

/** The row of a drive that is over; null after the wait or, if it is 0, after the first step. */
const over = (drive: Drive, waitMs: number): Promise<RowWithResults | null> =>
  waitMs > 0
    ? within(waitMs + GRACE_MS, drive.done)
    : within(DRIVE_MS, Promise.race([drive.done, drive.first.then(() => null)]));
