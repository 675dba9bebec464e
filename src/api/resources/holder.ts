import { z } from "@hono/zod-openapi";
import { ACCOUNT, type Shown } from "./samples.ts";

/** An account that holds tokens of a collection. */
export const holderView = z
  .object({
    account_id: z.string().openapi({ example: ACCOUNT }),
    tokens: z.int().openapi({ description: "Number of NFTs that it holds.", example: 3 }),
  })
  .openapi("Holder");

/** A holder, as callers see it. */
export type Holder = Shown<typeof holderView>;
