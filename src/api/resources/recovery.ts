import { z } from "@hono/zod-openapi";
import { OPERATION_KINDS } from "../../domain/operations.ts";
import { type Shown, text } from "./samples.ts";

const count = (what: string) => z.int().openapi({ description: what, example: 0 });

export const recoveryView = z
  .object({
    next: text("`cursor` of the next call; null: all is done.").nullable(),
    wallets: count("Wallets whose operations are all there."),
    operations: count("Operations that were put back or ended, those below included."),
    idempotency_keys: count("Idempotency-Keys that stand for an operation again."),
    integrations: count("Integrations that were put back with their wallets."),
    contracts: count("Contracts that were put back."),
    collections: count("Finalizations that were put back, with their drafts and collections."),
    unrestored: z
      .array(
        z.object({
          operation_uuid: z.uuid(),
          integration_uuid: z.uuid(),
          kind: z.enum(OPERATION_KINDS),
          subject_uuid: z.uuid(),
          reason: z.string(),
        }),
      )
      .openapi({ description: "What can't be restored, or only in part.", example: [] }),
  })
  .openapi("Recovery");
export type Recovery = Shown<typeof recoveryView>;
