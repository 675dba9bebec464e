import { sqliteTable } from "drizzle-orm/sqlite-core";
import { bytes, instant, uuid } from "./columns.ts";

/**
 * Which deployment publishes a code as a global contract. Publishing burns NEAR for each byte, so of several first
 * deployments at once only one does it.
 */
export const publications = sqliteTable("publications", {
  /** SHA-256 of the code. */
  codeHash: bytes("code_hash").primaryKey(),
  /** The deployment whose `publish` step it is; another takes over once that one is over. */
  operationId: uuid("operation_id").notNull(),
  createdAt: instant("created_at").notNull(),
});
