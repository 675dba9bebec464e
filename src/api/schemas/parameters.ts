import { z } from "@hono/zod-openapi";
import { accountIdField, uuidField, wholeNumber } from "./fields.ts";

/** Parameters of paths and queries. */

export const draftParam = z.object({ collection_draft_uuid: uuidField });
export const collectionParam = z.object({ collection_uuid: uuidField });

const dropIdField = wholeNumber(/^[1-9]\d{0,8}$/, "Give the drop_id of a claim drop.", { minimum: 1 });

export const dropParam = z.object({ collection_uuid: uuidField, drop_id: dropIdField });
export const operationParam = z.object({ operation_uuid: uuidField });
export const eligibilityParam = z.object({ collection_uuid: uuidField, account_id: accountIdField });
export const integrationParam = z.object({ integration_uuid: uuidField });
export const contractParam = z.object({ contract_uuid: uuidField });
export const webhookParam = z.object({ webhook_uuid: uuidField });
export const ownKeyParam = z.object({ key_uuid: uuidField });
export const keyParam = z.object({ integration_uuid: uuidField, key_uuid: uuidField });

/** Account of the token that a mint is to be paid in; absent: NEAR. Described, it would be composed with its named schema. */
export const currencyQuery = z.strictObject({ currency: accountIdField.optional() });
const MAX_PAGE = 1_000;

const limit = wholeNumber(/^[1-9]\d{0,3}$/, `Give a whole number from 1 to ${MAX_PAGE}.`, {
  minimum: 1,
  maximum: MAX_PAGE,
  description: "Entries of one page; without it the answer is the whole list.",
});

const cursor = z
  .string()
  .min(1)
  .max(200)
  .openapi({ description: "Where to continue: from the previous page's Link header." });

/** `limit` and `cursor` of lists. */
export const pageQuery = z.strictObject({ limit: limit.optional(), cursor: cursor.optional() });

export const LINK = {
  Link: {
    description: 'With `limit`: `<…>; rel="next"` if there is more (RFC 8288).',
    schema: { type: "string" },
  },
} as const;
