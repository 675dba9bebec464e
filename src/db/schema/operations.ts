import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OperationKind } from "../../domain/operations.ts";
import { instant, timestamps, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** A write that touches the chain, from its acceptance to its answer. After its acceptance only the engine changes a row. */
export const operations = sqliteTable(
  "operations",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    kind: text("kind").$type<OperationKind>().notNull(),
    /** `pending`: work goes on; `succeeded`, `failed`: over; `unknown`: the operator has to settle it. */
    state: text("state", { enum: ["pending", "succeeded", "failed", "unknown"] }).notNull(),
    /** What it acts on: a draft, a collection or a contract, by `kind`. */
    subjectId: uuid("subject_id").notNull(),
    /** The validated request, by `kind`; all that its steps need. */
    request: text("request", { mode: "json" }).notNull(),
    /** Status of the answer once it is over. */
    answerStatus: integer("answer_status"),
    /**
     * The body that the synchronous call has, with hashes in the places of its transactions' results
     * (`withoutResults`); above 64 kB `r2:<key>` of the object that holds the very body.
     */
    answerBody: text("answer_body"),
    finishedAt: instant("finished_at"),
    /**
     * `promised`: a caller was told 202, so that it is never given up for what passes; `given_up`: the request that
     * brought it gives it up, so that nobody is told 202. Null: neither. The first stands (`commitTo`).
     */
    commitment: text("commitment", { enum: ["promised", "given_up"] }),
    /** Final height at which all that it did on the chain shows; null: it is open, or did nothing there. */
    height: integer("height"),
    /** Somebody is reading and writing its effects until then, where that is much work; null: nobody has begun. */
    leasedUntil: instant("leased_until"),
    ...timestamps(),
    /** yoctoNEAR: what it was quoted; null: it named no quote. */
    quotedCost: text("quoted_cost"),
    /** The most that it may cost its wallet; null: whatever it costs. */
    mostCost: text("most_cost"),
    /** What it has cost; null: it goes on, or that isn't known. */
    actualCost: text("actual_cost"),
  },
  (table) => [
    index("operations_integration").on(table.integrationId, table.id),
    index("operations_subject").on(table.subjectId, table.id),
    // Those that the platform's wallet signs: a few an integration, among all that its customers do.
    index("operations_platform")
      .on(table.id)
      .where(sql`kind IN ('wallet_create', 'contract_deploy', 'contract_publish')`),
    // Queries about open operations read this, whose size is what goes on; `OPEN` in db/queries/operations.ts. One for
    // all of them, because each index is a row to write for every operation.
    index("operations_going_on")
      .on(table.integrationId, table.subjectId, table.kind, table.state)
      .where(sql`state IN ('pending', 'unknown')`),
  ],
);
