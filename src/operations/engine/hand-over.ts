import type { ServiceContext } from "../../context.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import {
  type Acceptance,
  acceptance,
  acceptanceFrom,
  hasOperation,
  noteBehind,
} from "../../db/queries/rollback.ts";
import type { AcceptedRow, OperationSnapshot, SubmitResult, Wallet } from "../../wallet/interface.ts";
import { walletName } from "../registry.ts";

/** The response to a submitted step. */
export type HandedOver = Exclude<SubmitResult, { status: "unchecked" }>;

/**
 * Submits an operation's first step to its wallet, with the snapshot for detecting a rolled-back database
 * (docs/transactions.md). Usually the rows read at acceptance suffice; if many operations arrived at once, the database
 * is read.
 */
export const handOver = async (
  { db, log, now }: ServiceContext,
  wallet: Pick<Wallet, "databaseLacks">,
  row: AcceptedRow,
  submit: (snapshot: OperationSnapshot) => Promise<SubmitResult>,
): Promise<HandedOver> => {
  let snapshot = snapshotOf(row, row.acceptance ?? (await readAcceptance(db, row)));
  for (;;) {
    const answer = await submit(snapshot);
    if (answer.status !== "unchecked") return answer;
    const { latest, generation } = answer;
    if (await hasOperation(db, latest)) {
      snapshot = { ...snapshot, recent: [...snapshot.recent, latest] };
    } else {
      log("database.behind", { operation_uuid: row.id, latest });
      await wallet.databaseLacks(latest, generation);
      await noteBehind(db, walletName(row), latest, now());
    }
  }
};

const readAcceptance = async (db: ServiceContext["db"], row: OperationRow): Promise<Acceptance> => {
  const read = await acceptance(db, row).get();
  if (!read) throw new Error(`operation ${row.id} has no row`);
  return acceptanceFrom(read);
};

const snapshotOf = (row: OperationRow, { rowNumber, recent, keys }: Acceptance): OperationSnapshot => ({
  kind: row.kind,
  integrationUuid: row.integrationId,
  subjectUuid: row.subjectId,
  request: JSON.stringify(row.request),
  quotedCost: row.quotedCost,
  mostCost: row.mostCost,
  reference: row.reference,
  apiKey: row.keyId,
  keys,
  acceptedAt: row.createdAt.getTime(),
  rowNumber,
  recent,
});
