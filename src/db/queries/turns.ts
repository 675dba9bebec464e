import { and, eq, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import type { OperationKind } from "../../domain/operations.ts";
import type { Ledger } from "../ledger.ts";
import { collections, operations } from "../schema/ledger.ts";
import { COLLECTION_ROW, type CollectionRow } from "./collections.ts";
import { OPEN, type OperationRow, openOf, type Subject } from "./operations.ts";

export interface CollectionTurn {
  /** The last pending operation of its kind that was accepted before it for the same collection; null: none. */
  readonly earlier: Uuid | null;
  readonly row: CollectionRow | null;
}

/** A row of `collectionTurn`; `turnFrom` converts it. */
export interface TurnRow extends CollectionRow {
  readonly earlier: string | null;
}

/** Reads the turn of an operation on a collection. Row numbers ascend. */
export const collectionTurn = (
  ledger: Ledger,
  { id, kind, integrationId, subjectId }: Pick<OperationRow, "id" | "kind" | "integrationId" | "subjectId">,
) =>
  ledger
    .select({
      ...COLLECTION_ROW,
      earlier: sql<string | null>`(SELECT lower(hex(id)) FROM operations
        WHERE integration_id = ${uuidToBytes(integrationId)} AND subject_id = ${uuidToBytes(subjectId)}
        AND kind = ${kind} AND ${OPEN} AND state = 'pending'
        AND rowid < (SELECT rowid FROM operations WHERE id = ${uuidToBytes(id)}) ORDER BY rowid DESC LIMIT 1)`,
    })
    .from(collections)
    .where(and(eq(collections.id, subjectId), eq(collections.integrationId, integrationId)));

export const turnFrom = ([row]: readonly TurnRow[]): CollectionTurn => ({
  earlier: row?.earlier ? uuidFromBytes(Buffer.from(row.earlier, "hex")) : null,
  row: row ?? null,
});

/** Reads the first pending operation of a kind on a subject. */
export const firstInTurn = (ledger: Ledger, subject: Subject, kind: OperationKind) =>
  ledger
    .select({ id: operations.id })
    .from(operations)
    .where(and(openOf(subject, kind), eq(operations.state, "pending")))
    .orderBy(sql`rowid`)
    .limit(1);
