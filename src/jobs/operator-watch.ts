import { sql } from "drizzle-orm";
import type { ServiceContext } from "../context.ts";
import { insertOperatorEvent, type OperatorEvent } from "../db/queries/operator-events.ts";
import { isSweptTo, readSweep, sweepStatement } from "../db/queries/sweeps.ts";
import type { Statement } from "../db/statements.ts";
import { fillMark } from "../domain/fill.ts";
import { walletOf } from "../wallet/client.ts";

/** What the database's fill was at the last look, as its mark. */
const DATABASE = "operator_database";
/** What the platform's wallet was at the last look. */
const PLATFORM = "operator_platform";

/** Tells the operator's integration when the database fills and when the platform's wallet runs low. */
export const watchForOperator = async (context: ServiceContext): Promise<void> => {
  if (context.settings.OPERATOR_INTEGRATION === undefined) return;
  await watchFill(context);
  await watchPlatform(context);
};

/** A database that shrank may fill again, and that is told again. */
const watchFill = async (context: ServiceContext): Promise<void> => {
  const { db, settings, now } = context;
  const { meta } = await db.run(sql`SELECT 1`);
  const [size, limit] = [meta.size_after, settings.DATABASE_LIMIT];
  const mark = fillMark(size, limit);
  const before = await readSweep(db, DATABASE);
  const data = { size_bytes: size, limit_bytes: limit, percent: mark };
  const event = { type: "database.filling", data, at: now() } as const;
  await change(
    context,
    { name: DATABASE, before, after: String(mark) },
    mark > Number(before ?? 0) ? event : null,
  );
};

const watchPlatform = async (context: ServiceContext): Promise<void> => {
  const { db, env, settings, now } = context;
  const { accountId, state, balance, available, queued } = await walletOf(env, "platform").status();
  if (balance === null || available === null || available === undefined) return;
  const { WALLET_FUNDING, CONTRACT_FUNDING } = settings;
  const isLow = BigInt(available) < BigInt(WALLET_FUNDING) + BigInt(CONTRACT_FUNDING);
  const before = await readSweep(db, PLATFORM);
  const data = { integration_uuid: null, account_id: accountId, state, balance, available, queued };
  const event = { type: "wallet.low", data, at: now() } as const;
  await change(context, { name: PLATFORM, before, after: isLow ? "low" : "funded" }, isLow ? event : null);
};

interface Change {
  readonly name: string;
  readonly before: string | null;
  readonly after: string;
}

/** Notes a change, and tells of it. Two runs may look at once: the second finds that the first has told. */
const change = async (
  context: ServiceContext,
  { name, before, after }: Change,
  event: OperatorEvent | null,
): Promise<void> => {
  if (before === after) return;
  const { db, settings, now } = context;
  const { OPERATOR_INTEGRATION: operator } = settings;
  const told = event === null ? [] : insertOperatorEvent(db, operator, event, isSweptTo(name, before));
  await db.batch([...told, sweepStatement(db, name, after, now())] as unknown as [Statement, ...Statement[]]);
};
