import { z } from "@hono/zod-openapi";
import { accountIdField, uuidField } from "./fields.ts";

/** Parameters of paths. */

export const draftParam = z.object({ collection_draft_uuid: uuidField });

export const collectionParam = z.object({ collection_uuid: uuidField });

/** A number of a drop on its contract. */
const dropIdField = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "Give the drop_id of a claim drop.")
  .transform(Number)
  .openapi({ type: "integer", minimum: 1 });

export const dropParam = z.object({ collection_uuid: uuidField, drop_id: dropIdField });

export const operationParam = z.object({ operation_uuid: uuidField });

export const eligibilityParam = z.object({ collection_uuid: uuidField, account_id: accountIdField });

export const integrationParam = z.object({ integration_uuid: uuidField });

export const contractParam = z.object({ contract_uuid: uuidField });

export const keyParam = z.object({ integration_uuid: uuidField, key_uuid: uuidField });
