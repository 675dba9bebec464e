import { z } from "@hono/zod-openapi";
import { LOCKS } from "../domain/locks.ts";

/** Locks by their names; empty for a contract that knows none yet. */
export const locksView = (description: string) =>
  z
    .array(z.enum(LOCKS))
    .readonly()
    .openapi({ description, example: ["royalties"] });
