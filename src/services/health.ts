import { sql } from "drizzle-orm";
import { isBehind } from "../db/queries/behind-wallets.ts";
import type { ServiceContext } from "./context.ts";

/** Whether the service can answer, and how full its database is. */
export interface Readiness {
  readonly status: "ready" | "unavailable";
  readonly database: {
    readonly size_bytes: number | null;
    readonly limit_bytes: number;
    /** It was taken back in time, and is to be recovered: wallets refuse what is new. Null where it doesn't answer. */
    readonly behind: boolean | null;
  };
}

/** What D1 stores at most (Cloudflare D1 limits): 10 GB. */
const DATABASE_LIMIT = 10_000_000_000;

/** Asks the database. It asks no node of the chain: reads of drafts go on without one, and anybody may call this. */
export const readiness = async (context: ServiceContext): Promise<Readiness> => {
  try {
    const { meta } = await context.db.run(sql`SELECT 1`);
    const behind = await isBehind(context.db);
    return {
      status: "ready",
      database: { size_bytes: meta.size_after, limit_bytes: DATABASE_LIMIT, behind },
    };
  } catch (error) {
    context.log("ready.database_failed", { error: String(error) });
    return {
      status: "unavailable",
      database: { size_bytes: null, limit_bytes: DATABASE_LIMIT, behind: null },
    };
  }
};
