import { expect, it } from "vitest";
import { runFaults } from "./run.ts";

it("every accepted request has one effect through faults and kills, and every answer is true", async () => {
  const summary = await runFaults({
    seed: 20_261_121,
    operations: 60,
    clients: 12,
    shops: 2,
    blockMs: 60,
    killShare: 0.01,
    storageShare: 0.01,
    runtimeKillEvery: 4_000,
    restMs: 120_000,
    lastPatienceMs: 10_000,
    say: () => undefined,
  });
  expect(summary.findings.filter((finding) => !finding.startsWith("unanswered"))).toEqual([]);
  expect(summary).toMatchObject({ lost: 0, duplicated: 0, wrong: 0, leftovers: [] });
  expect(summary.operations).toBeGreaterThanOrEqual(60);
  expect(summary.kills).toBeGreaterThan(0);
  expect(summary.faults_total).toBeGreaterThan(0);
}, 300_000);
