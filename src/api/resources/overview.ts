import { z } from "@hono/zod-openapi";
import { MOST_SHOWN } from "../../domain/overview.ts";
import { INTEGRATION_STATES } from "./integration.ts";
import { readyView } from "./readiness.ts";
import { CONTRACT, type Shown, WALLET } from "./samples.ts";
import { stuckView } from "./wallet.ts";

const runway = (what: string) =>
  z
    .number()
    .nullable()
    .openapi({ description: `Days; null: ${what}.`, example: 12.5 });

const slotView = z.object({
  from: z.iso.datetime(),
  accepted: z.int().openapi({ description: "Operations that were accepted in it.", example: 412 }),
  succeeded: z.int().openapi({ example: 410 }),
  failed: z.int().openapi({ example: 2 }),
  seconds: z.number().nullable().openapi({
    description: "From acceptance to the end, the mean of those that succeeded; null: none did.",
    example: 2.4,
  }),
});

const { chain, ...parts } = readyView.shape;

/** The whole service at one look. */
export const overviewView = z
  .object({
    at: z.iso.datetime(),
    database: parts.database,
    bucket: z.object({
      state: parts.bucket.shape.state,
      stored_bytes: z.int().openapi({
        description: "Bytes of files that assets and collections refer to, counted once per reference.",
        example: 52_428_800,
      }),
    }),
    schedule: parts.schedule,
    platform: parts.platform,
    writes: parts.writes,
    nodes: z.array(
      chain.shape.nodes.element.extend({
        latency_ms: z.int().nullable().openapi({ description: "How long it took to answer.", example: 85 }),
      }),
    ),
    integrations: z
      .array(
        z.object({
          integration_uuid: z.uuid(),
          name: z.string().openapi({ example: "Heron shop" }),
          state: z.enum(INTEGRATION_STATES),
          wallet_account_id: z.string().nullable().openapi({ example: WALLET }),
          balance: z.string().nullable().openapi({
            description: "yoctoNEAR, when the scheduled job last looked; null: it hasn't.",
            example: "4871520000000000000000000",
          }),
          low: z.boolean(),
          runway_days: runway("it spends nothing, or nobody has looked yet"),
        }),
      )
      .openapi({ description: `The newest ${MOST_SHOWN.integrations} that aren't deleted.` }),
    contracts: z
      .array(
        z.object({
          contract_uuid: z.uuid(),
          integration_uuid: z.uuid(),
          account_id: z.string().openapi({ example: CONTRACT }),
          balance_free: z.string().nullable().openapi({
            description: "What pays for further storage, yoctoNEAR; null if no node answers.",
            example: "1871520000000000000000000",
          }),
          minted_last_day: z.int().openapi({ description: "Tokens minted by the API.", example: 96 }),
          runway_days: runway("nothing was minted in the last day, or no node answers"),
        }),
      )
      .openapi({ description: `The newest ${MOST_SHOWN.contracts} that are ready.` }),
    last_hour: z.array(slotView).openapi({ description: "Five minutes each." }),
    last_day: z.array(slotView).openapi({ description: "An hour each." }),
    stuck: z
      .array(stuckView.extend({ what_to_do: z.string() }))
      .openapi({ description: `The first ${MOST_SHOWN.stuck}; GET transaction/stuck has them all.` }),
    stuck_goes_on: z.boolean().openapi({
      description:
        "Whether there may be more: the list has reached its length, or wallets with open operations were not asked.",
    }),
    webhooks: z
      .array(
        z.object({
          webhook_uuid: z.uuid(),
          integration_uuid: z.uuid(),
          url: z.string().openapi({ example: "https://shop.example.com/mintage" }),
          enabled: z.boolean(),
          trouble: z.string().openapi({ example: "503: out of order" }),
        }),
      )
      .openapi({
        description: `The newest ${MOST_SHOWN.webhooks} that the service has disabled, and those of the newest ${MOST_SHOWN.webhooks} others whose last attempt failed.`,
      }),
  })
  .openapi("Overview");

/** The whole service at one look. */
export type Overview = Shown<typeof overviewView>;
