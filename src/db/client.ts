import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import * as schema from "./schema/index.ts";

/** D1 through Drizzle with the whole schema. */
export type Database = DrizzleD1Database<typeof schema>;

/** Opens the database of a request; it costs nothing until a query runs. */
export const openDatabase = (d1: D1Database): Database => drizzle(d1, { schema });
