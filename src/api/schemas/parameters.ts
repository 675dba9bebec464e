import { z } from "@hono/zod-openapi";
import { accountIdField, uuidField } from "./fields.ts";

/** Parameters of paths. */

export const draftParam = z.object({ collection_draft_uuid: uuidField });

export const collectionParam = z.object({ collection_uuid: uuidField });

export const operationParam = z.object({ operation_uuid: uuidField });

export const eligibilityParam = z.object({ collection_uuid: uuidField, account_id: accountIdField });

export const integrationParam = z.object({ integration_uuid: uuidField });

export const contractParam = z.object({ contract_uuid: uuidField });

export const keyParam = z.object({ integration_uuid: uuidField, key_uuid: uuidField });
