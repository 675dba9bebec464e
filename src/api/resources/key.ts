import { z } from "@hono/zod-openapi";
import type { Shown } from "./samples.ts";

const keyFields = {
  key_uuid: z.uuid(),
  name: z.string().openapi({ example: "Shop server" }),
  role: z.enum(["full", "read"]),
  prefix: z.string().openapi({
    description: "The key's first characters, to distinguish keys.",
    example: "mk_live_4CQb",
  }),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
};

/** A key as the operator sees it. */
export const keyView = z.object(keyFields).openapi("Key");

/** A key with its secret, as its issue answers. */
export const issuedKeyView = z
  .object({
    ...keyFields,
    api_key: z.string().openapi({ description: "Shown here and never again.", example: "mk_live_…" }),
  })
  .openapi("IssuedKey");

export type Key = Shown<typeof keyView>;

export type IssuedKey = Shown<typeof issuedKeyView>;
