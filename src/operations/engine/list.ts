import { archivedOperations } from "../../archive/lists.ts";
import { FILES_AT_ONCE, joined } from "../../archive/read.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import {
  type ListedOperation,
  listOperations,
  type OperationFilter,
} from "../../db/queries/operation-list.ts";
import { cursorUuid, type Page } from "../../domain/cursors.ts";
import type { OperationSummary } from "../../resources/operation.ts";

/**
 * Operations of the caller's, newest first. No wallet is asked: what an open one has sent is read with the operation
 * itself. A page may have fewer than `size`, or none, and a next one.
 * @throws ServiceError invalid_request (cursor)
 */
export const listOwnOperations = async (
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
  const { items, reached } = joined([{ items: rows, reached: floor }, archived], ({ id }) => id);
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
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});
