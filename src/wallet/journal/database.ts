import { TABLES } from "./tables.ts";

/** Creates the tables of a new object. Safe to run at every start of the object. */
export const createTables = (storage: DurableObjectStorage): void => {
  const made = storage.sql.exec("PRAGMA table_info(wallet)").toArray();
  if (made.length > 0) return;
  storage.transactionSync(() => {
    for (const statement of TABLES) storage.sql.exec(statement);
  });
};
