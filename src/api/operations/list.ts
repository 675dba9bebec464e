import { z } from "@hono/zod-openapi";
import type { Caller, ServiceContext } from "../../context.ts";
import {
  type ListedOperation,
  listOperations,
  type OperationFilter,
} from "../../db/queries/operation-list.ts";
import { cursorUuid, type Page, type PageOfList } from "../../domain/cursors.ts";
import { OPERATION_KINDS, OPERATION_STATES } from "../../domain/operations.ts";
import { archivedOperations } from "../../files/archive/lists.ts";
import { FILES_AT_ONCE, mergeParts } from "../../files/archive/read.ts";
import { readOperation } from "../../operations/engine/read.ts";
import { endpoint, json, list, reply } from "../endpoint.ts";
import { type OperationSummary, operationSummaryView, operationView } from "../resources/operation.ts";
import { instantField, referenceText, uuidField } from "../schemas/fields.ts";
import { operationParam } from "../schemas/parameters.ts";

/**
 * Operations of the caller's, newest first, without asking wallets. A page may have fewer than the limit, or none, and
 * a next one. @throws ServiceError invalid_request (cursor)
 */
const listOwnOperations = async (
  context: ServiceContext,
  { integrationId }: Caller,
  filter: OperationFilter,
  { cursor, limit: size }: PageOfList,
): Promise<Page<OperationSummary>> => {
  const after = cursorUuid(cursor);
  const page = { after, limit: size + 1, files: FILES_AT_ONCE };
  const { rows, lookedAt, files } = await listOperations(context.db, integrationId, filter, page);
  const floor = rows.length > size ? rows.at(-1)!.id : lookedAt;
  const asked = { integrationId, files, before: after, floor, want: size + 1 };
  const archived = await archivedOperations(context, filter, asked);
  const { items, reached } = mergeParts([{ items: rows, reached: floor }, archived], ({ id }) => id);
  const shown = items.slice(0, size);
  return {
    items: shown.map(toSummary),
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

export const operationEndpoints = [
  endpoint(
    {
      method: "get",
      path: "/operation/{operation_uuid}",
      operationId: "getOperation",
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
      tag: "Operations",
      summary: "List the integration's operations, newest first",
      description:
        "Read an operation by itself for its transactions and answer. A page may have fewer entries than `limit`, or none, and still have a next one: follow Link until there is none.",
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
];
