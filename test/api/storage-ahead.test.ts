import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { sendFrom } from "../support/payments.ts";
import { eventually } from "../support/waiting.ts";

/** Contracts that are topped up for what is likely to be ordered next. */

let receivers: string[];
beforeAll(async () => {
  receivers = await createReceivers(25);
});

interface Minted {
  readonly tx_results: readonly { readonly status: string }[];
}

const mint = async ({ key }: TestIntegration, { collection_uuid }: Finalized): Promise<Minted> =>
  bodyOf<Minted>(
    await api(`/collection/${collection_uuid}/mint`, { key, json: { receiver_addresses: receivers } }),
    201,
  );

const topUps = async (shop: TestIntegration): Promise<string[]> => {
  const answer = await api("/operation?kind=contract_top_up", { key: shop.key });
  return (await bodyOf<{ state: string }[]>(answer, 200)).map(({ state }) => state).toReversed();
};

/** yoctoNEAR that the contract has beyond what it has to hold. */
const free = async ({ contractAccountId }: TestIntegration): Promise<bigint> =>
  BigInt((await view<{ free: string }>(env.NEAR_RPC_URL, contractAccountId, "contract_balance")).free);

/** Leaves the contract with what is given, in thousandths of a NEAR. */
const leave = async (shop: TestIntegration, thousandths: number) => {
  const call = { kind: "function_call", method: "withdraw", gas: "30000000000000", deposit: "1" } as const;
  await sendFrom(shop.integrationUuid, shop.contractAccountId, [
    { ...call, args: new TextEncoder().encode("{}") },
  ]);
  const deposit = (BigInt(thousandths) * 10n ** 21n).toString();
  await sendFrom(shop.integrationUuid, shop.contractAccountId, [{ kind: "transfer", deposit }]);
};

test("the first mints of a drop pay for the storage of the next ones, so that none fails for it", async () => {
  const shop = await createIntegration("Drop");
  const collection = await createCollection(shop, { copies: [600] });
  await leave(shop, 300);
  const first = await Promise.all([mint(shop, collection), mint(shop, collection)]);
  await eventually(async () => expect(await topUps(shop)).toEqual(["succeeded"]));
  const rest = await Promise.all(Array.from({ length: 8 }, () => mint(shop, collection)));
  for (const { tx_results } of [...first, ...rest]) {
    expect(tx_results.map(({ status }) => status)).toEqual(["success"]);
  }
});

test("a contract isn't given more storage than the rest of the collection needs", async () => {
  const shop = await createIntegration("Small");
  const collection = await createCollection(shop, { copies: [60] });
  await leave(shop, 500);
  await Promise.all([mint(shop, collection), mint(shop, collection)]);
  await eventually(async () => expect(await topUps(shop)).toEqual(["succeeded"]));
  // What 128 tokens can ever take, which the contract sets aside at once, and what it should always have free.
  expect(await free(shop)).toBeLessThanOrEqual(650n * 10n ** 21n);
});
