import { expect, test } from "vitest";
import { attentionOf, RULES } from "../../src/operator/attention.ts";

/** A service that needs nothing. */
const sound: Parameters<typeof attentionOf>[0] = {
  at: "2026-11-23T12:00:00.000Z",
  database: { size_bytes: 799, limit_bytes: 1_000, full_percent: 79.9, full_at: null },
  bucket: { state: "up" },
  schedule: { state: "running", last_run_at: "2026-11-23T11:59:30.000Z" },
  platform: { state: "funded", account_id: "mint.near", available: "1" },
  nodes: [{ host: "node", state: "up", height: 5, age_seconds: 1, latency_ms: 9 }],
  archive_refused: 0,
  writes_refused: [],
  wallets_inactive: [],
  wallets: [
    {
      integration_uuid: "one",
      name: "Herons",
      state: "active",
      account_id: "w-1.mint.near",
      balance: "1",
      low: false,
      runway_days: 7,
      operations_open: 0,
    },
  ],
  operations: {
    open: [{ kind: "mint", state: "pending", count: 1_000, oldest_at: "2026-11-23T11:59:59.000Z" }],
    today: [],
    days: [],
    totals: [],
  },
  stuck: [],
  webhooks: [],
};

const [wallet] = sound.wallets;
const stuck = (state: "pending" | "unknown") => [
  {
    operation_uuid: "op",
    integration_uuid: "one",
    kind: "mint",
    state,
    created_at: "2026-11-23T11:50:00.000Z",
  },
];
const hook = {
  webhook_uuid: "hook",
  integration_uuid: "one",
  url: "https://a.example",
  disabled_reason: "410",
};

/** One change each, with the rule and the subject that it is found by. */
const CHANGES: readonly [rule: string, subject: string, change: Partial<typeof sound>][] = [
  ["part_down", "bucket", { bucket: { state: "down" } }],
  ["part_down", "schedule", { schedule: { state: "late", last_run_at: null } }],
  ["part_down", "database", { database: { ...sound.database, size_bytes: null } }],
  ["operation_unknown", "op", { stuck: stuck("unknown") }],
  [
    "wallet_inactive",
    "w-1.mint.near",
    {
      wallets_inactive: [
        { integration_uuid: "one", account_id: "w-1.mint.near", since: "2026-11-23T11:50:00.000Z" },
      ],
    },
  ],
  ["writes_refused", "shop", { writes_refused: [{ integration_uuid: "shop", count: 1 }] }],
  ["operation_late", "op", { stuck: stuck("pending") }],
  [
    "operations_waiting",
    "operations",
    { operations: { ...sound.operations, open: [{ ...sound.operations.open[0]!, count: 1_001 }] } },
  ],
  ["platform_low", "mint.near", { platform: { ...sound.platform, state: "low" } }],
  ["wallet_low", "w-1.mint.near", { wallets: [{ ...wallet!, low: true, runway_days: 6.9 }] }],
  ["wallet_runway_short", "w-1.mint.near", { wallets: [{ ...wallet!, runway_days: 6.9 }] }],
  ["node_down", "still", { nodes: [...sound.nodes, { ...sound.nodes[0]!, host: "still", state: "still" }] }],
  ["database_filling", "database", { database: { ...sound.database, full_percent: 80 } }],
  ["archive_refused", "archive", { archive_refused: 1 }],
  ["webhook_disabled", "hook", { webhooks: [hook] }],
];

test("a healthy service needs no attention", () => {
  expect(attentionOf(sound)).toEqual([]);
});

test.each(CHANGES)("the rule %s reports %s", (rule, subject, change) => {
  const found = attentionOf({ ...sound, ...change });
  expect(found).toEqual([
    { rule, subject, severity: RULES[rule]!.severity, message: expect.stringMatching(/\.|yes\|no$/) },
  ]);
});

test("if no node works, the chain is reported as down too", () => {
  const found = attentionOf({ ...sound, nodes: [{ ...sound.nodes[0]!, state: "down" }] });
  expect(found.map(({ rule, subject }) => [rule, subject])).toEqual([
    ["part_down", "chain"],
    ["node_down", "node"],
  ]);
});

test("the cases above include each rule", () => {
  expect([...new Set(CHANGES.map(([rule]) => rule))]).toEqual(Object.keys(RULES));
});
