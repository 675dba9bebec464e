import { expect, test } from "vitest";
import { scriptedService } from "../../client/test/scripted-service.ts";
import { UsageError } from "../command.ts";
import { contractHolders } from "../snapshot/contract-holders.ts";

type View = (args: { readonly from_index?: string; readonly limit?: number }) => unknown;

/** A node whose one contract has these views; a view that throws fails as a contract does. */
const node = (views: Readonly<Record<string, View>>) =>
  scriptedService(({ body }) => {
    const { method, params } = JSON.parse(body) as {
      method: string;
      params: { method_name: string; args_base64: string };
    };
    const answer = (result: unknown) => ({ status: 200, body: { jsonrpc: "2.0", id: "snapshot", result } });
    if (method === "block") return answer({ header: { height: 7, hash: "hash" } });
    const view = views[params.method_name];
    if (!view) return answer({ error: "MethodResolveError(MethodNotFound)" });
    try {
      const said = view(JSON.parse(Buffer.from(params.args_base64, "base64").toString()));
      return answer({ result: [...Buffer.from(JSON.stringify(said))] });
    } catch (error) {
      return answer({ error: String(error) });
    }
  });

const tokens = Array.from({ length: 250 }, (_, index) => ({
  token_id: String(index),
  owner_id: index % 2 === 0 ? "even.near" : "odd.near",
}));
const page: View = ({ from_index = "0", limit = 0 }) =>
  tokens.slice(Number(from_index), Number(from_index) + limit);

const holdersOf = async (views: Readonly<Record<string, View>>) => {
  await using service = await node(views);
  return await contractHolders(service.url, "nft.near");
};

test("a snapshot reads all pages, with smaller pages if a view runs out of gas", async () => {
  const holders = await holdersOf({
    nft_total_supply: () => "250",
    nft_tokens: (args) => {
      if ((args.limit ?? 0) > 30) throw new Error("Exceeded the prepaid gas.");
      return page(args);
    },
  });
  expect(holders).toMatchObject({
    block_height: 7,
    holders: [
      { account_id: "even.near", tokens: 125 },
      { account_id: "odd.near", tokens: 125 },
    ],
  });
});

const REFUSED: readonly (readonly [string, Readonly<Record<string, View>>])[] = [
  [
    "begins its list again on each page",
    { nft_total_supply: () => "250", nft_tokens: () => tokens.slice(0, 100) },
  ],
  ["lists fewer than it says", { nft_total_supply: () => 251, nft_tokens: page }],
  ["lists nothing", { nft_total_supply: () => 1 }],
  ["isn't one of NFTs", {}],
];

test.each(REFUSED)("a snapshot of a contract that %s is refused with a message", async (_, views) => {
  const refused = await holdersOf(views).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect((refused as Error).message).toContain("nft.near");
});
