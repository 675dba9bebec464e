// api/allowlist/: who may mint while a collection is private.

import { z } from "@hono/zod-openapi";
import { accountIdField } from "../schemas/fields.ts";

/** Accounts of one allowlist call. */
const MAX_ALLOWLIST_ACCOUNTS = 500;

/** PUT allowlist-add, allowlist-remove. */
export const accountsBody = z
  .strictObject({ accounts: z.array(accountIdField).min(1).max(MAX_ALLOWLIST_ACCOUNTS) })
  .openapi("AccountsInput");

/** PUT allowlist-checkaccount. */
export const accountBody = z.strictObject({ account: accountIdField }).openapi("AccountInput");
