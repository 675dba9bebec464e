import { z } from "@hono/zod-openapi";
import { KEY_SCOPES } from "../../domain/key-rights.ts";
import { type Shown, text } from "./samples.ts";

/** What a key may do, as the API shows it. */
export const keyRightsFields = {
  role: z.enum(["full", "read", "limited"]).openapi({
    description: "`full` and `read`: its scope is this one; `limited`: it has other scopes.",
  }),
  scopes: z.array(z.enum(KEY_SCOPES)).openapi({ example: ["mint", "read"] }),
  collections: z
    .array(z.uuid())
    .nullable()
    .openapi({ description: "Collections that it may see and change; null: all." }),
  spending_per_day: text(
    "yoctoNEAR that its writes may spend in a day (UTC): gas, deposits, top-ups, and the storage that they take from contracts; payouts don't count. Null: no limit.",
    "2000000000000000000000000",
  ).nullable(),
  confirm_above: text(
    "yoctoNEAR: `execute` of POST /mcp asks a person to confirm a write that may cost more, or that nobody can undo. Null: never.",
    "500000000000000000000000",
  ).nullable(),
  expires_at: z.iso.datetime().nullable(),
};

export const keyView = z
  .object({
    key_uuid: z.uuid(),
    name: z.string().openapi({ example: "Shop server" }),
    prefix: text("The key's first characters, to distinguish keys.", "mk_live_4CQb"),
    ...keyRightsFields,
    old_key_until: z.iso.datetime().nullable().openapi({
      description: "Until when the text before the last rotation works as well.",
    }),
    last_used_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .openapi("Key");
export type Key = Shown<typeof keyView>;

export const issuedKeyView = z
  .object({
    ...keyView.shape,
    api_key: text("Shown here and never again.", "mk_live_…"),
  })
  .openapi("IssuedKey");
export type IssuedKey = Shown<typeof issuedKeyView>;
