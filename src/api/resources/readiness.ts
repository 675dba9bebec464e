import { z } from "@hono/zod-openapi";
import { type Shown, text, whole } from "./samples.ts";

export const nodeView = z.object({
  host: z.string().openapi({ example: "rpc.example.org" }),
  state: z.enum(["up", "still", "down"]).openapi({
    description: "still: it responds, but its final block is a minute old and doesn't change.",
    example: "up",
  }),
  height: whole("Height of its last final block.", 141_592_653).nullable(),
  age_seconds: whole("Age of that block.", 2).nullable(),
  latency_ms: whole("How long it took to answer, milliseconds; null: it didn't.", 85).nullable(),
});

export const readyView = z
  .object({
    status: z.enum(["ready", "unavailable"]),
    database: z.object({
      size_bytes: z.int().nullable().openapi({ example: 1_486_848 }),
      limit_bytes: z.int().openapi({ example: 10_000_000_000 }),
      full_percent: z
        .number()
        .nullable()
        .openapi({ description: "How much of the limit is used.", example: 12.5 }),
      full_at: z.iso.datetime().nullable().openapi({
        description:
          "When it will be full at last month's growth; null if it doesn't grow or was observed for less than a day.",
      }),
    }),
    bucket: z.object({ state: z.enum(["up", "down"]).openapi({ example: "up" }) }),
    chain: z.object({
      state: z.enum(["up", "down"]).openapi({ description: "up: at least one node is up.", example: "up" }),
      nodes: z.array(nodeView),
    }),
    platform: z.object({
      account_id: z.string().openapi({ example: "mint.example.near" }),
      available: text(
        "What it can spend, yoctoNEAR; null if no node responds.",
        "31250000000000000000000000",
      ).nullable(),
      state: z.enum(["funded", "low", "unknown"]).openapi({
        description: "low: it can't pay for another integration with its contract.",
        example: "funded",
      }),
    }),
    schedule: z.object({
      last_run_at: z.iso.datetime().nullable(),
      state: z.enum(["running", "late"]).openapi({
        description: "late: it last ran more than five minutes ago; it should run every minute.",
        example: "running",
      }),
    }),
  })
  .openapi("Readiness");
export type Readiness = Shown<typeof readyView>;
