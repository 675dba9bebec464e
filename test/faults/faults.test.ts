import { expect, test } from "vitest";
import { missing, SHORT_COURSE } from "./courses.ts";
import { runFaults } from "./run.ts";
import { METHODS } from "./workload.ts";

test("every accepted request has one effect through faults and kills, and every answer is true", async () => {
  const summary = await runFaults({
    ...SHORT_COURSE,
    seed: 20_261_121,
    clients: 20,
    shops: 3,
    without: [],
    say: () => undefined,
  });
  expect(summary.findings).toEqual([]);
  expect(summary).toMatchObject({ lost: 0, duplicated: 0, wrong: 0, stuck: 0 });
  expect(summary.operations).toBe(SHORT_COURSE.operations);
  expect(Object.keys(summary.operations_by_kind).sort()).toEqual(Object.keys(METHODS).sort());
  expect(missing(summary)).toEqual([]);
}, 300_000);
