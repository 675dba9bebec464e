import type { Token } from "../api/resources/token.ts";
import { type ContractViews, contractViews } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { connectFor } from "../chain/rpc.ts";
import type { CollectionTarget } from "../collections/collection-target.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import { findCollection } from "../db/queries/collections.ts";
import { insertEvents } from "../db/queries/events.ts";
import { isOpen, type OperationRow } from "../db/queries/operations.ts";
import type { Statement } from "../db/statements.ts";
import type { EventType } from "../domain/events.ts";
import type { TransactionRecord } from "../wallet/interface.ts";
import type { Operation } from "./kind.ts";
import { heightOf } from "./records.ts";
import { type OnTokens, tokensAfter } from "./tokens-after.ts";

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

/**
 * Reads what such an operation did, at a node that has all effects of operations on its collection.
 * @returns null, with a line in the log, if the contract can't be read: its owner may run other code there
 * @throws ChainUnavailableError
 */
export const readSettled = async <T>(
  context: ServiceContext,
  { id, integrationId, subjectId, request }: Operation<CollectionTarget>,
  records: readonly TransactionRecord[],
  read: (views: ContractViews, height: number) => Promise<T>,
): Promise<T | null> => {
  const row = await findCollection(ledgerOf(context, integrationId), subjectId);
  const height = Math.max(heightOf(records), row?.collection.height ?? 0);
  try {
    return await read(contractViews(connectFor(context), request.contract, height), height);
  } catch (error) {
    if (!(error instanceof ViewError)) throw error;
    context.log("operation.settled_unread", { operation_uuid: id, contract: request.contract, error });
    return null;
  }
};

/** The tokens of such an operation as they are now; none if they can't be read. @throws ChainUnavailableError */
export const settledTokens = async (
  context: ServiceContext,
  operation: Operation<OnTokens>,
  records: readonly TransactionRecord[],
  tokenIds: readonly string[],
): Promise<Token[]> =>
  (await readSettled(context, operation, records, (_, height) =>
    tokensAfter(context, operation, height, tokenIds),
  )) ?? [];
