/** What the fault run's judge takes for a right answer. */
import { expect, test } from "vitest";
import { audit } from "./audit.ts";
import type { Effects } from "./effects.ts";
import type { Settlement } from "./operator.ts";
import type { FaultyService } from "./service.ts";
import type { Entry } from "./workload.ts";

const wrong = async (settled: Settlement | undefined, results: object[] = []) => {
  const answer = { kind: "success", status: 201, body: { message: "success", tx_results: results } };
  const entry = { kind: "finalize", marker: "fa01", ordinal: 1, answer, twin: null, told: [] };
  const effects = { read: () => {}, of: () => [{ hash: "created" }] };
  const said = new Map(settled ? [["fa01", settled]] : []);
  const ledger = [entry as unknown as Entry];
  const findings = await audit({} as FaultyService, [], ledger, effects as unknown as Effects, said);
  return findings.map(({ figure }) => figure);
};

test("a finalization names no transaction only where its ledger has forgotten the one that created the collection", async () => {
  expect(await wrong("forgotten")).toEqual([]);
  expect(await wrong("shown")).toEqual([]);
  expect(await wrong(undefined)).toEqual(["wrong"]);
  expect(await wrong("forgotten", [{ transaction_hash: "another" }])).toEqual(["wrong"]);
});
