import type { ServiceContext } from "../context.ts";
import { findIntegration, type IntegrationRow } from "../db/queries/integrations.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";

/** An integration's row. @throws ServiceError not_found */
export const requireIntegration = async ({ db }: ServiceContext, id: Uuid): Promise<IntegrationRow> => {
  const row = await findIntegration(db, id);
  if (!row) throw new ServiceError("not_found", "There is no such integration. Check its integration_uuid.");
  return row;
};

/** An integration's row, unless it was deleted. @throws ServiceError not_found, conflict */
export const requireUndeleted = async (context: ServiceContext, id: Uuid): Promise<IntegrationRow> => {
  const row = await requireIntegration(context, id);
  if (row.deletedAt) throw new ServiceError("conflict", "This integration was deleted. Create another one.");
  return row;
};
