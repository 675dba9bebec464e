import type { ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { walletFor } from "../registry.ts";
import { driveById } from "./drive.ts";
import { endingOf } from "./endings.ts";

/** How long one call drives an operation. Milliseconds. */
const RESUME_MS = 15_000;

/**
 * Resumes an operation; called by the wallet object's alarm and the scheduled job. Safe for ended operations and
 * concurrent calls.
 * @returns whether the database has the operation; if not, it is older than the wallet
 */
export const resume = async (context: ServiceContext, operationUuid: Uuid): Promise<boolean> => {
  const row = await driveById(context, operationUuid, context.now().getTime() + RESUME_MS);
  // A wallet that resumes an ended operation has missed the acknowledgement.
  if (row && (row.state === "succeeded" || row.state === "failed")) {
    await walletFor(context, row).acknowledgeAll([{ operationUuid: row.id, ending: endingOf(row) }]);
  }
  return row !== undefined;
};
