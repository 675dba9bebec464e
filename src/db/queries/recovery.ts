import { and, desc, eq, inArray, isNull, notInArray, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes } from "../../domain/ids.ts";
import { PLATFORM_KINDS } from "../../domain/operations.ts";
import type { Database } from "../client.ts";
import { idempotencyKeys, integrations, operations } from "../schema/index.ts";
import { OPEN, type OperationRow } from "./operations.ts";

/** The wallet of an integration by its uuid, or the platform's. */
export type WalletName = Uuid | "platform";

/** Condition: an operation is of `PLATFORM_KINDS`, in the words of its partial index, so that SQLite uses it. */
const OF_PLATFORM = sql`kind IN ('wallet_create', 'contract_deploy', 'contract_publish')`;

/** Operations that a wallet signs. */
const signedBy = (wallet: WalletName): SQL =>
  wallet === "platform"
    ? OF_PLATFORM
    : (and(eq(operations.integrationId, wallet), notInArray(operations.kind, PLATFORM_KINDS)) as SQL);

/** The latest operations of a wallet that succeeded. */
export const latestSucceeded = async (db: Database, wallet: WalletName, limit: number): Promise<Uuid[]> => {
  const rows = await db
    .select({ id: operations.id })
    .from(operations)
    .where(and(signedBy(wallet), eq(operations.state, "succeeded")))
    .orderBy(desc(operations.id))
    .limit(limit);
  return rows.map(({ id }) => id);
};

/** The given operations that the database lacks. */
export const missingOperations = async (db: Database, ids: readonly Uuid[]): Promise<Set<Uuid>> => {
  const hexes = ids.map((id) => id.replaceAll("-", ""));
  const rows = await db.all<{ hex: string }>(sql`
    SELECT value AS hex FROM json_each(${JSON.stringify(hexes)})
    WHERE unhex(value) NOT IN (SELECT id FROM operations)`);
  return new Set(rows.map(({ hex }) => uuidFromBytes(Buffer.from(hex, "hex"))));
};

/** Open operations of a wallet in the order of acceptance. The unary plus keeps SQLite from scanning by row number. */
export const openOperationsOf = (db: Database, wallet: WalletName, after: number, limit: number) =>
  db
    .select({ rowNumber: sql<number>`rowid`, id: operations.id, kind: operations.kind })
    .from(operations)
    .where(and(OPEN, signedBy(wallet), sql`+rowid > ${after}`))
    .orderBy(sql`+rowid`)
    .limit(limit);

/** Restores an operation as it was accepted. An existing row is unchanged. */
export const putBackOperation = (db: Database, row: OperationRow) =>
  db.insert(operations).values(row).onConflictDoNothing();

/** Restores the operation of an Idempotency-Key, in place of any other. */
export const putBackKey = (
  db: Database,
  key: Omit<typeof idempotencyKeys.$inferSelect, "status" | "body" | "bodyBytes">,
) => {
  const row = { ...key, status: null, body: null, bodyBytes: null };
  return db
    .insert(idempotencyKeys)
    .values(row)
    .onConflictDoUpdate({ target: [idempotencyKeys.integrationId, idempotencyKeys.key], set: row });
};

/** Open operations of keys. */
export const openOperationsOfKeys = async (
  db: Database,
  integrationId: Uuid,
  keys: readonly string[],
): Promise<Uuid[]> => {
  const rows = await db
    .selectDistinct({ id: operations.id })
    .from(idempotencyKeys)
    .innerJoin(operations, eq(operations.id, idempotencyKeys.operationId))
    .where(
      and(
        eq(idempotencyKeys.integrationId, integrationId),
        inArray(idempotencyKeys.key, sql`(SELECT value FROM json_each(${JSON.stringify(keys)}))`),
        OPEN,
      ),
    );
  return rows.map(({ id }) => id);
};

/** Restores an integration without its wallet. An existing one keeps its name and its key. */
export const putBackIntegration = (
  db: Database,
  row: Omit<typeof integrations.$inferInsert, "walletState" | "updatedAt">,
) => {
  const { id, walletAccountId, walletPublicKey, walletSecret, walletSecretVersion, createdAt } = row;
  const wallet = { walletAccountId, walletPublicKey, walletSecret, walletSecretVersion };
  return [
    db
      .insert(integrations)
      .values({ ...row, walletState: "creating", updatedAt: createdAt })
      .onConflictDoNothing(),
    db
      .update(integrations)
      .set(wallet)
      .where(and(eq(integrations.id, id), isNull(integrations.walletSecret))),
  ] as const;
};
