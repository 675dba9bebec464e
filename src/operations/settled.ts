import type { ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import { insertEvents } from "../db/queries/events.ts";
import { isOpen, type OperationRow } from "../db/queries/operations.ts";
import type { Statement } from "../db/statements.ts";
import type { EventType } from "../domain/events.ts";

/** Most resources of one row: a token takes up to 20 kB. */
const ROW = 25;

/**
 * The events of an operation that the operator settles as having taken effect: it has no answer that shows what it did.
 * @param resources what it did, an event each
 */
export const reportSettled = (
  context: ServiceContext,
  { id, integrationId }: Pick<OperationRow, "id" | "integrationId">,
  type: EventType,
  resources: readonly object[],
): Statement[] => {
  const rows = Array.from({ length: Math.ceil(resources.length / ROW) }, (_, at) =>
    resources.slice(at * ROW, (at + 1) * ROW),
  );
  return rows.map((data) => {
    const events = { integrationId, runs: [[type, data.length]], operationId: id, data } as const;
    return insertEvents(ledgerOf(context, integrationId), { ...events, at: context.now() }, isOpen(id));
  });
};
