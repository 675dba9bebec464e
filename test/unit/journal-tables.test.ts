import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import { expect, test } from "vitest";
import * as schema from "../../src/wallet/journal/schema.ts";

/** Drizzle has no name for it. Their rows are found by their key alone, so an index of it would be a second copy. */
const WITHOUT_ROWID = /^CREATE TABLE `(?:carried|forgotten)`/;

/** Statements that make the tables of the schema, each on one line. */
const statementsOf = async (tables: Record<string, unknown>): Promise<string[]> =>
  (
    await generateSQLiteMigration(
      await generateSQLiteDrizzleJson({}),
      await generateSQLiteDrizzleJson(tables),
    )
  )
    .map((statement) => statement.trim().replace(/;$/, "").replaceAll(/\s+/g, " ").replaceAll('"', "`"))
    .map((statement) => (WITHOUT_ROWID.test(statement) ? `${statement} WITHOUT ROWID` : statement));

test("the tables of a wallet object are those of its schema", async () => {
  const statements = [...(await statementsOf(schema)), "INSERT INTO `database` (`id`) VALUES (1)"];
  const text = [
    "/** Makes the tables of a wallet object. Generated from schema.ts by `npm run surface`. */",
    "export const TABLES = [",
    ...statements.map((statement) => `  ${JSON.stringify(statement)},`),
    "];",
    "",
  ].join("\n");
  await expect(text).toMatchFileSnapshot("../../src/wallet/journal/tables.ts");
});
