import { expect, test } from "vitest";
import { marketplacesOf, shownAt } from "../../src/domain/marketplaces.ts";

test("marketplaces are those of the network, or the operator's", () => {
  const names = (network: string, given?: []) => marketplacesOf(network, given).map(({ name }) => name);
  expect(names("mainnet")).toEqual(["TradePort", "Mintbase"]);
  expect(names("testnet")).toEqual(["Mintbase"]);
  expect(names("devchain")).toEqual([]);
  expect(names("mainnet", [])).toEqual([]);
});

test("each shows a contract, and an NFT by its id", () => {
  for (const network of ["mainnet", "testnet"]) {
    for (const marketplace of marketplacesOf(network, undefined)) {
      const [contract, token] = [null, "7:1"].map((id) => shownAt(marketplace, "shop.near", id));
      expect(contract).toMatch(
        /^https:\/\/[^{}]+\/(collection\/shop\.near|contract\/shop\.near\/nfts\/all\/0)$/,
      );
      expect(token).toMatch(/^https:\/\/[^{}]+shop\.near[^{}]+7%3A1$/);
    }
  }
});
