import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { finalAnswer } from "../support/operations.ts";
import { endObject } from "../support/wallets.ts";

/** Shops whose wallets share an isolate, and so what it knows about the node. */
let shops: { readonly shop: TestIntegration; readonly path: string }[];
let receiver: string;

beforeAll(async () => {
  shops = await Promise.all(
    ["One", "Two", "Three"].map(async (name) => {
      const shop = await createIntegration(name);
      const { collection_uuid } = await createCollection(shop, { copies: [100] });
      return { shop, path: `/collection/${collection_uuid}/mint` };
    }),
  );
  [receiver] = (await createReceivers(1)) as [string];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await setFaults();
});

const mint = ({ shop, path }: (typeof shops)[number]) =>
  api(path, { key: shop.key, json: { receiver_addresses: [receiver] } });

const refusals = async (): Promise<number> => {
  const { injected } = await chainCall<{ injected: Record<string, number> }>("devchain_faults", {});
  return Object.entries(injected)
    .filter(([name]) => name.startsWith("rate_limit:"))
    .reduce((sum, [, count]) => sum + count, 0);
};

test("a node that answers with Retry-After isn't asked until then by any wallet, and callers get that time", async () => {
  // New objects know no block yet and have to ask.
  for (const { shop } of shops) await endObject(shop.integrationUuid);
  await chainCall("devchain_faults", { reset_statistics: true });
  await setFaults({ kind: "rate_limit", retry_after: "30" });
  // The half minute isn't over before all have asked, even on a slow machine.
  const began = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => began);
  const [first, ...others] = shops;
  const told = await mint(first!);
  expect(Number(told.headers.get("retry-after"))).toBeGreaterThan(5);
  expect(await bodyOf(told, 503)).toMatchObject({ code: "chain_unavailable", outcome: "not_submitted" });
  const asked = await refusals();
  expect(asked).toBeGreaterThan(0);
  for (const other of others) await bodyOf(await mint(other), 503);
  expect(await refusals()).toBe(asked);
  await setFaults();
  await bodyOf(await mint(first!), 503);
  clock.mockRestore();
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() + 31_000);
  for (const each of shops) {
    expect((await finalAnswer(each.shop.key, await mint(each))).status).toBe(201);
  }
});
