import { z } from "@hono/zod-openapi";
import type { Caller, ServiceContext } from "../../context.ts";
import {
  type ListedOperation,
  listOperations,
  type OperationFilter,
} from "../../db/queries/operation-list.ts";
import { cursorUuid, type Page } from "../../domain/cursors.ts";
import { OPERATION_KINDS, OPERATION_STATES } from "../../domain/operations.ts";
import { archivedOperations } from "../../files/archive/lists.ts";
import { FILES_AT_ONCE, mergeParts } from "../../files/archive/read.ts";
import { listResponse } from "../../http/list-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { type OperationSummary, operationSummaryView } from "../resources/operation.ts";
import { instantField, referenceText, uuidField } from "../schemas/fields.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";

/**
 * Operations of the caller's, newest first. No wallet is asked: what an open one has sent is read with the operation
 * itself. A page may have fewer than `size`, or none, and a next one.
 * @throws ServiceError invalid_request (cursor)
 */
const listOwnOperations = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  filter: OperationFilter,
  { cursor, size }: { readonly cursor: string | null; readonly size: number },
): Promise<Page<OperationSummary>> => {
  const after = cursorUuid(cursor);
  const { integrationId } = caller;
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

const query = pageQuery.extend({
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
});

export const operationsList = endpoint(
  {
    method: "get",
    path: "/operation",
    operationId: "listOperations",
    tag: "Operations",
    summary: "List the integration's operations, newest first",
    description:
      "Read an operation by itself for its transactions and answer. A page may have fewer entries than " +
      "`limit`, or none, and still have a next one: follow Link until there is none.",
    request: { query },
    success: { 200: json("The operations.", z.array(operationSummaryView), LINK) },
  },
  (c, { query: { limit, cursor, ...wanted } }) => {
    const { state, kind, subject_uuid: subject, reference, created_after: after } = wanted;
    const filter = {
      state,
      kind,
      subject,
      reference,
      createdAfter: after === undefined ? undefined : new Date(after),
    };
    return listResponse(c, { limit, cursor }, (place, size) =>
      listOwnOperations(c.get("context"), c.get("caller"), filter, { cursor: place, size }),
    );
  },
);
