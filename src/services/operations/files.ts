import { keepBlobs } from "../../db/queries/blobs.ts";
import type { NewOperation } from "../../db/queries/operations.ts";
import type { Answer, Caller, ServiceContext } from "../context.ts";
import { accept, carryOut, claimTaken } from "./accept.ts";

/**
 * Accepts an operation on a collection together with files that its request names, so that the collection keeps them
 * from the moment of acceptance, and carries it out.
 * @param files SHA-256 of each in lower-case hexadecimal
 */
export const performWithFiles = async (
  context: ServiceContext,
  caller: Caller,
  operation: Omit<NewOperation, "id" | "integrationId">,
  files: readonly string[],
): Promise<Answer> => {
  const before = files.length === 0 ? [] : keepBlobs(context.db, operation.subjectId, files);
  const row = await accept(context, caller, { operation, before });
  if (!row) throw claimTaken();
  return carryOut(context, caller, row, true);
};
