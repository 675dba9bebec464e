import { z } from "@hono/zod-openapi";
import { KEY_SCOPES } from "../../domain/key-rights.ts";
import { instantField, nameField, uuidField, yoctoField } from "./fields.ts";

/** Most collections that a key is limited to. */
const MOST_COLLECTIONS = 100;

export const scopesField = z
  .array(z.enum(KEY_SCOPES, `Give some of ${KEY_SCOPES.join(", ")}.`))
  .min(1)
  .max(KEY_SCOPES.length)
  .transform((scopes) => [...new Set(scopes)])
  .openapi({
    description:
      "`drafts`: drafts, their files and finalization. `mint`: who gets NFTs: mints, allowlist, claim links. `update`: NFTs' metadata and the page. `settings`: royalties, prices, transfer rules and other settings of collections. `money`: payouts. `webhooks`: changes of webhooks. `read`: everything that GET shows. `full`: all of them, keys and the audit log.",
    example: ["mint", "read"],
  });

/** Limits of a new key. @param none what an absent field says */
export const keyLimitFields = (none: string) => ({
  name: nameField,
  collections: z
    .array(uuidField)
    .min(1)
    .max(MOST_COLLECTIONS)
    .transform((ids) => [...new Set(ids)])
    .nullish()
    .openapi({ description: `Collections that it may see and change; null: all. ${none}` }),
  spending_per_day: yoctoField.nullish().openapi({
    description: `yoctoNEAR that its writes may spend in a day (UTC); null: no limit. ${none}`,
    example: "2000000000000000000000000",
  }),
  confirm_above: yoctoField.nullish().openapi({
    description: `yoctoNEAR above which a person confirms an agent's write, as they do each that nobody can undo; null: never. ${none}`,
    example: "500000000000000000000000",
  }),
  expires_at: instantField.nullish().openapi({ description: `Null: never. ${none}` }),
});
