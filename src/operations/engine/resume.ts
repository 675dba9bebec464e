import type { ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { walletFor } from "../registry.ts";
import { driveById } from "./drive.ts";
import { endingOf } from "./endings.ts";

/** How long one call works on an operation. It may be called again at once. Milliseconds. */
const RESUME_MS = 15_000;

/**
 * Carries an operation on from wherever it is; the wallet object's alarm and the scheduled job call it. Calls for
 * operations that are over, and concurrent calls, do no harm.
 * @returns whether the database has the operation; if not, it is older than the wallet that asks
 */
export const resume = async (context: ServiceContext, operationUuid: Uuid): Promise<boolean> => {
  const row = await driveById(context, operationUuid, context.now().getTime() + RESUME_MS);
  // A wallet that still asks about an ended operation has missed the acknowledgement.
  if (row && (row.state === "succeeded" || row.state === "failed")) {
    await walletFor(context, row).acknowledgeAll([{ operationUuid: row.id, ending: endingOf(row) }]);
  }
  return row !== undefined;
};
