import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";

/** How far a round of the scheduled job over something large has come, so that each run does a bounded part of it. */
export const sweeps = sqliteTable("sweeps", {
  name: text("name").primaryKey(),
  /** Where the next run goes on; null: from the beginning. */
  cursor: text("cursor"),
  updatedAt: instant("updated_at").notNull(),
});
