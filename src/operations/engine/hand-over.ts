import type { ServiceContext } from "../../context.ts";
import { hasOperation, type Lineage, lineage, lineageFrom, noteBehind } from "../../db/queries/lineage.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import type { Origin, SubmitResult, Wallet } from "../../wallet/interface.ts";
import { walletName } from "../registry.ts";

/** An operation's row, with its lineage and its kind's facts where they were read for or along with its acceptance. */
export type AcceptedRow = OperationRow & { readonly lineage?: Lineage; readonly known?: unknown };

/** The answer to a submitted step. */
export type HandedOver = Exclude<SubmitResult, { status: "unwitnessed" }>;

/**
 * Submits the first step of an operation to its wallet, with what the wallet stores to notice a rolled-back database
 * (docs/transactions.md). Usually the rows that were read at acceptance suffice; if not, because many operations came
 * at once, the database is asked.
 */
export const handOver = async (
  { db, log, now }: ServiceContext,
  wallet: Wallet,
  row: AcceptedRow,
  submit: (origin: Origin) => Promise<SubmitResult>,
): Promise<HandedOver> => {
  let origin = originOf(row, row.lineage ?? (await readLineage(db, row)));
  for (;;) {
    const answer = await submit(origin);
    if (answer.status !== "unwitnessed") return answer;
    const { witness, era } = answer;
    if (await hasOperation(db, witness)) {
      origin = { ...origin, beside: [...origin.beside, witness] };
    } else {
      log("database.behind", { operation_uuid: row.id, witness });
      await wallet.databaseLacks(witness, era);
      await noteBehind(db, walletName(row), witness, now());
    }
  }
};

const readLineage = async (db: ServiceContext["db"], row: OperationRow): Promise<Lineage> => {
  const read = await lineage(db, row).get();
  if (!read) throw new Error(`operation ${row.id} has no row`);
  return lineageFrom(read);
};

const originOf = (row: OperationRow, { rowNumber, beside, keys }: Lineage): Origin => ({
  kind: row.kind,
  integrationUuid: row.integrationId,
  subjectUuid: row.subjectId,
  request: JSON.stringify(row.request),
  quotedCost: row.quotedCost,
  mostCost: row.mostCost,
  reference: row.reference,
  keys,
  acceptedAt: row.createdAt.getTime(),
  rowNumber,
  beside,
});
