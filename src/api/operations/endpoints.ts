import { z } from "@hono/zod-openapi";
import { desc, sql } from "drizzle-orm";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { type Ledger, ledgerOf } from "../../db/ledger.ts";
import { withinBytes } from "../../db/page-bytes.ts";
import { filesOfTransactions } from "../../db/queries/archives.ts";
import {
  type ListedOperation,
  listOperations,
  type OperationFilter,
} from "../../db/queries/operation-list.ts";
import { HASH_BYTES } from "../../db/queries/operation-transactions.ts";
import { transactions } from "../../db/schema/ledger.ts";
import { cursorUuid, type Page, type PageOfList, unknownCursor } from "../../domain/cursors.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { mayReach } from "../../domain/key-rights.ts";
import { OPERATION_KINDS, OPERATION_STATES } from "../../domain/operations.ts";
import { archivedOperations, archivedTransactions, transactionPosition } from "../../files/archive/lists.ts";
import { FILES_AT_ONCE, mergeParts } from "../../files/archive/read.ts";
import { readOperation } from "../../operations/engine/read.ts";
import { endpoint, json, list, reply } from "../endpoint.ts";
import {
  type OperationSummary,
  operationSummaryView,
  operationView,
  transactionView,
} from "../resources/operation.ts";
import { instantField, referenceText, uuidField } from "../schemas/fields.ts";
import { operationParam } from "../schemas/parameters.ts";

/**
 * Operations of the caller's, newest first, without asking wallets. A page may have fewer than the limit, or none, and
 * a next one. @throws ServiceError invalid_request (cursor)
 */
const listOwnOperations = async (
  context: ServiceContext,
  { integrationId, rights }: Caller,
  filter: OperationFilter,
  { cursor, limit: size }: PageOfList,
): Promise<Page<OperationSummary>> => {
  const after = cursorUuid(cursor);
  const page = { after, limit: size + 1, files: FILES_AT_ONCE };
  const ledger = ledgerOf(context, integrationId);
  const { rows, lookedAt, files } = await listOperations(ledger, integrationId, filter, page);
  const floor = rows.length > size ? rows.at(-1)!.id : lookedAt;
  const asked = { integrationId, files, before: after, floor, want: size + 1 };
  const archived = await archivedOperations(context, filter, asked);
  const { items, reached } = mergeParts([{ items: rows, reached: floor }, archived], ({ id }) => id);
  const shown = items.slice(0, size);
  return {
    items: shown.filter(({ subjectId }) => mayReach(rights, subjectId)).map(toSummary),
    next: items.length > size ? (shown.at(-1)?.id ?? null) : reached,
  };
};

const toSummary = (row: ListedOperation): OperationSummary => ({
  operation_uuid: row.id,
  kind: row.kind,
  state: row.state,
  subject_uuid: row.subjectId,
  reference: row.reference,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `Give one of ${values.join(", ")}.`);

const filters = {
  state: oneOf(OPERATION_STATES).optional(),
  kind: oneOf(OPERATION_KINDS).optional(),
  subject_uuid: uuidField
    .optional()
    .openapi({ description: "Only operations on this draft, collection or contract." }),
  reference: referenceText
    .optional()
    .openapi({ description: "Only operations whose write had exactly this `reference`." }),
  created_after: instantField
    .optional()
    .openapi({ description: "Only operations accepted after this time." }),
};

/**
 * Final transactions of an integration, each once, newest first, after a position, fewer than the limit if they are
 * large; and archive files that may have a part of this range.
 */
const transactionRows = async (
  db: Ledger,
  integrationId: Uuid,
  after: { readonly time: Date; readonly rowNumber: number } | null,
  { limit, files: mostFiles }: { readonly limit: number; readonly files: number },
) => {
  const behind = after ? sql`AND (created_at, rowid) < (${after.time.getTime()}, ${after.rowNumber})` : sql``;
  const { places, candidates } = withinBytes({
    rows: sql`SELECT rowid AS place, created_at, octet_length(result) AS bytes FROM transactions
      WHERE integration_id = ${uuidToBytes(integrationId)} AND length(hash) = ${HASH_BYTES} ${behind}
      ORDER BY created_at DESC, rowid DESC LIMIT ${limit}`,
    order: sql`created_at DESC, place DESC`,
  });
  const select = db
    .select({
      result: transactions.result,
      createdAt: transactions.createdAt,
      rowNumber: sql<number>`rowid`,
      candidates,
    })
    .from(transactions)
    .where(sql`rowid IN ${places}`)
    .orderBy(desc(transactions.createdAt), sql`rowid DESC`);
  const part = { before: after?.time ?? null, floor: null };
  const [rows, files] = await db.batch([select, filesOfTransactions(db, integrationId, part, mostFiles)]);
  return { rows, files };
};

/** Some final transactions of an integration, newest first. @throws ServiceError invalid_request (cursor) */
const listTransactions = async (
  context: ServiceContext,
  { integrationId }: Caller,
  { cursor, limit }: PageOfList,
): Promise<Page<ChainTransactionResult>> => {
  const after = cursor === null ? null : positionOf(cursor);
  const { rows: found, files } = await transactionRows(
    ledgerOf(context, integrationId),
    integrationId,
    after,
    {
      limit: limit + 1,
      files: FILES_AT_ONCE,
    },
  );
  const items = found.map(({ result, createdAt, rowNumber }) => ({
    result,
    time: createdAt.getTime(),
    rowNumber,
  }));
  const last = items.at(-1);
  const isAll = found.length <= limit && (found.at(-1)?.candidates ?? 0) <= found.length;
  const floor = last && !isAll ? transactionPosition(last) : null;
  const before = after && transactionPosition({ ...after, time: after.time.getTime() });
  const asked = { integrationId, files, before, floor, want: limit + 1 };
  const archived = await archivedTransactions(context, asked);
  const { items: all, reached } = mergeParts([{ items, reached: floor }, archived], transactionPosition);
  const shown = all.slice(0, limit);
  const end = all.length > limit ? transactionPosition(shown.at(-1)!) : reached;
  return {
    items: shown.map(({ result }) => result as ChainTransactionResult),
    next: end === null ? null : cursorOf(end),
  };
};

/** A cursor has the numbers of a position without leading zeros. */
const cursorOf = (position: string): string => position.split("-").map(Number).join("-");

/** A position in the list: the time of a row, and its row number. */
const positionOf = (cursor: string): { time: Date; rowNumber: number } => {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(cursor);
  if (!match) throw unknownCursor();
  return { time: new Date(Number(match[1])), rowNumber: Number(match[2]) };
};

export const operationEndpoints = [
  endpoint(
    {
      method: "get",
      path: "/operation/{operation_uuid}",
      operationId: "getOperation",
      scope: "any",
      limitsCollections: true,
      tag: "Operations",
      summary: "Read an operation: a write to the chain",
      request: { params: operationParam },
      success: { 200: json("The operation.", operationView) },
    },
    async ({ context, caller, params }, c) =>
      reply(c, await readOperation(context, caller, params.operation_uuid)),
  ),
  list(
    {
      path: "/operation",
      operationId: "listOperations",
      scope: "read",
      limitsCollections: true,
      tag: "Operations",
      summary: "List the integration's operations, newest first",
      description:
        "Of a key that is limited to collections, only operations on those. Read an operation by itself for its transactions and answer. A page may have fewer entries than `limit`, or none, and still have a next one: follow Link until there is none.",
      filters,
      entries: ["The operations.", operationSummaryView],
    },
    ({ context, caller, query }, cursor, limit) => {
      const { state, kind, subject_uuid: subject, reference, created_after: after } = query;
      const createdAfter = after === undefined ? undefined : new Date(after);
      const filter = { state, kind, subject, reference, createdAfter };
      return listOwnOperations(context, caller, filter, { cursor, limit });
    },
  ),
  list(
    {
      path: "/transaction",
      operationId: "listTransactions",
      scope: "read",
      tag: "Operations",
      summary: "List the integration's final transactions, newest first",
      entries: ["The transactions.", transactionView],
    },
    ({ context, caller }, cursor, limit) => listTransactions(context, caller, { cursor, limit }),
  ),
];
