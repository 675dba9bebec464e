/** What the fault run's judge takes for a right answer. */
import { expect, test } from "vitest";
import { audit } from "./audit.ts";
import type { Effects } from "./effects.ts";
import type { Settlement } from "./operator.ts";
import type { FaultyService } from "./service.ts";
import type { Entry, Shop } from "./workload.ts";

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

test("a mint that one transaction carried out twice is told, though all its tokens are", async () => {
  const told = async (owned: readonly string[]) => {
    const tokens = owned.map((token_id) => ({ token_id, owner_id: "fa01" }));
    const views = { collection: { description: "", minted: 2, burnt: 0 }, collection_tokens: tokens };
    const rpc = async (
      _: string,
      { method_name, args_base64 }: { method_name: keyof typeof views; args_base64: string },
    ) => {
      const isFirst = !/"from_index":100/.test(Buffer.from(args_base64, "base64").toString());
      return { result: [...Buffer.from(JSON.stringify(isFirst ? views[method_name] : []))] };
    };
    const caller = { read: async () => ({ collection_id: 1, ...views.collection }) };
    const shop = { caller, contractId: "shop", collectionUuid: "c" } as unknown as Shop;
    const body = { quantity_per_receiver: 1 };
    const answer = { kind: "success", status: 201, body: { tokens } };
    const entry = { kind: "mint", marker: "fa01", ordinal: 1, shop, body, answer, twin: null, told: [] };
    const effects = { read: () => {}, of: () => [{ hash: "minted" }] };
    const ledger = [entry as unknown as Entry];
    const findings = await audit(
      { rpc } as unknown as FaultyService,
      [shop],
      ledger,
      effects as unknown as Effects,
      new Map(),
    );
    return findings.map(({ figure }) => figure);
  };
  expect(await told(["1:1"])).toEqual([]);
  expect(await told(["1:1", "1:2"])).toEqual(["duplicated"]);
});
