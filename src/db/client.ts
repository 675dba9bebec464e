// db/: D1, and the texts of its rows that are so large that they lie in R2.

import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import * as schema from "./schema/index.ts";

/** D1 through Drizzle with the whole schema. */
export type Database = DrizzleD1Database<typeof schema>;

const opened = new WeakMap<D1Database, Database>();

/** Opens the database, once for each binding: it holds nothing of a request, and reading the schema takes a while. */
export const openDatabase = (d1: D1Database): Database => {
  const known = opened.get(d1);
  if (known) return known;
  const database = drizzle(d1, { schema });
  opened.set(d1, database);
  return database;
};
