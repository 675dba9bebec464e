import { z } from "@hono/zod-openapi";
import { DAYS_KEPT, DURATION_BOUNDS } from "../../domain/operation-counts.ts";
import { nodeView, readyView } from "./readiness.ts";
import { type Shown, text, WALLET, whole } from "./samples.ts";
import { INTEGRATION_STATES } from "./wallet.ts";

export const MOST_SHOWN = { wallets: 1_000, stuck: 50, webhooks: 20 } as const;

const seconds = (share: string) =>
  z
    .number()
    .nullable()
    .openapi({
      description: `Within which ${share} of those that succeeded ended, from acceptance; at most 3600. null: none succeeded.`,
      example: 2.4,
    });

const outcomes = { succeeded: z.int().openapi({ example: 410 }), failed: z.int().openapi({ example: 2 }) };
const times = { p50_seconds: seconds("half"), p95_seconds: seconds("95 %") };
const kind = z.string().openapi({ example: "mint" });
const openState = z.enum(["pending", "unknown"]);

const walletView = z.object({
  integration_uuid: z.uuid(),
  name: z.string().openapi({ example: "Heron shop" }),
  state: z.enum(INTEGRATION_STATES),
  account_id: text("null: it has no wallet yet.", WALLET).nullable(),
  balance: text(
    "yoctoNEAR, when the scheduled job last looked; null: it hasn't yet.",
    "4871520000000000000000000",
  ).nullable(),
  low: z.boolean().openapi({ description: "Less than 1 NEAR was left for writes then." }),
  runway_days: z.number().nullable().openapi({
    description:
      "What was left for writes, divided by the mean of the last seven days; null: it spent nothing.",
    example: 12.5,
  }),
  operations_open: whole("Its operations that are not over.", 3),
});

const { status, chain, ...parts } = readyView.shape;

export const overviewView = z
  .object({
    at: z.iso.datetime(),
    attention: z
      .array(
        z.object({
          rule: z.string().openapi({ example: "wallet_low" }),
          severity: z.enum(["critical", "warning"]),
          subject: text("Which part, node, account, operation or webhook.", WALLET),
          message: text(
            "What is wrong, and what to do.",
            "The wallet of Heron shop has less than 1 NEAR left. Send it NEAR.",
          ),
        }),
      )
      .openapi({
        description:
          "What needs the operator's attention, critical first. Each rule is an alert in ops/alerts.yml, which waits for a while.",
      }),
    ...parts,
    nodes: z.array(nodeView),
    archive_refused: whole(
      "Integrations with old operations that could not be moved to R2 when the scheduled job last tried.",
      0,
    ),
    writes_refused: z.array(z.object({ integration_uuid: z.uuid(), count: z.int() })).openapi({
      description: "Integrations with effects that their ledger has and the database has refused.",
      example: [],
    }),
    wallets_inactive: z
      .array(
        z.object({ integration_uuid: z.uuid(), account_id: z.string().nullable(), since: z.iso.datetime() }),
      )
      .openapi({
        description: "Wallets that sign and accept nothing: they were lost, or lack their key.",
        example: [],
      }),
    wallets: z.array(walletView).openapi({
      description: `The newest ${MOST_SHOWN.wallets} integrations that aren't deleted, the shortest runway first.`,
    }),
    operations: z.object({
      open: z
        .array(
          z.object({
            kind,
            state: openState,
            count: whole("How many.", 12),
            oldest_at: z.iso.datetime().openapi({ description: "When the oldest was accepted." }),
          }),
        )
        .openapi({ description: "Those that are not over." }),
      today: z
        .array(z.object({ kind, ...outcomes, ...times }))
        .openapi({ description: "Those that ended since 0:00 UTC, by kind." }),
      days: z
        .array(z.object({ date: z.iso.date().openapi({ example: "2026-11-23" }), ...outcomes, ...times }))
        .openapi({
          description: `Those that ended on each of the last ${DAYS_KEPT} days (UTC), the last is today.`,
        }),
      totals: z
        .array(
          z.object({
            kind,
            ...outcomes,
            within: z.array(z.int()).openapi({
              description: `How many of those that succeeded ended within ${DURATION_BOUNDS.slice(0, -1).join(", ")} s, and how many in all.`,
              example: [0, 12, 300, 380, 395, 402, 405, 406, 407, 408, 408, 409, 410, 410, 410, 410, 410],
            }),
          }),
        )
        .openapi({ description: "All that ever ended, by kind." }),
    }),
    stuck: z
      .array(
        z.object({
          operation_uuid: z.uuid(),
          integration_uuid: z.uuid(),
          kind,
          state: openState,
          created_at: z.iso.datetime(),
        }),
      )
      .openapi({
        description: `The first ${MOST_SHOWN.stuck} operations that are unknown or have been pending for two minutes. GET transaction/stuck lists their transactions.`,
      }),
    webhooks: z
      .array(
        z.object({
          webhook_uuid: z.uuid(),
          integration_uuid: z.uuid(),
          url: z.string().openapi({ example: "https://shop.example.com/mintage" }),
          disabled_reason: z.string().openapi({ example: "503: out of order" }),
        }),
      )
      .openapi({ description: `The newest ${MOST_SHOWN.webhooks} that the service has disabled.` }),
  })
  .openapi("Overview");
export type Overview = Shown<typeof overviewView>;
