import { describe, expect, test } from "vitest";
import {
  connectSources,
  isWalletNetwork,
  OFFERED_WALLETS,
  WALLET_NODES,
  walletsFor,
} from "../../src/domain/wallets.ts";

describe("the wallets that pages offer", () => {
  test("are those that support the network, and a local chain has none", () => {
    const names = (network: string) => walletsFor(network).map(({ name }) => name);
    expect(names("mainnet")).toEqual(OFFERED_WALLETS.map(({ name }) => name));
    expect(names("testnet")).toEqual(["Meteor Wallet", "Intear Wallet"]);
    expect(names("devchain")).toEqual([]);
    expect(["mainnet", "testnet", "devchain", "toString"].map(isWalletNetwork)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.each(OFFERED_WALLETS)("$name is named, and its code is pinned or its maker's own", (wallet) => {
    expect(wallet.id).toMatch(/^[a-z-]+$/);
    expect(wallet.name).toMatch(/\w/);
    for (const address of [wallet.website, wallet.executor]) expect(new URL(address).protocol).toBe("https:");
    const isPinned = /\/[0-9a-f]{40}\//.test(wallet.executor);
    expect(wallet.digest !== undefined).toBe(isPinned);
    if (isPinned) expect(Buffer.from(wallet.digest ?? "", "base64")).toHaveLength(32);
    else expect(wallet.executor).toContain(new URL(wallet.website).hostname.split(".")[0]);
    for (const origin of [...wallet.asks, ...wallet.opens]) expect(() => new URL(origin)).not.toThrow();
    expect(wallet.asks).not.toEqual([]);
    expect(wallet.opens).not.toEqual([]);
  });

  test("may fetch their code, what it asks, and the network's nodes, each once", () => {
    for (const network of ["mainnet", "testnet"] as const)
      for (const wallet of walletsFor(network)) {
        const sources = connectSources(wallet, network);
        expect(new Set(sources).size).toBe(sources.length);
        expect(new Set(sources)).toEqual(
          new Set([wallet.executor, ...wallet.asks, ...WALLET_NODES[network]]),
        );
      }
    const [wallet] = OFFERED_WALLETS;
    expect(connectSources({ ...wallet!, asks: [wallet!.executor] }, "mainnet")).toHaveLength(2);
  });
});
