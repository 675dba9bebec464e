/** A marketplace, by its addresses: `{contract}` and `{token}` in them stand for a contract's account and an NFT's id. */
export interface Marketplace {
  readonly name: string;
  /** Of all NFTs of a contract. */
  readonly contract: string;
  /** Of one NFT, whose owner lists it there. */
  readonly token: string;
}

/** Those that show every NEP-171 contract, by network. */
const MARKETPLACES: Readonly<Record<string, readonly Marketplace[]>> = {
  mainnet: [
    {
      name: "TradePort",
      contract: "https://www.tradeport.xyz/near/collection/{contract}",
      token: "https://www.tradeport.xyz/near/collection/{contract}?tab=items&tokenId={token}",
    },
    {
      name: "Mintbase",
      contract: "https://www.mintbase.xyz/contract/{contract}/nfts/all/0",
      token: "https://www.mintbase.xyz/contract/{contract}/token/{token}",
    },
  ],
  testnet: [
    {
      name: "Mintbase",
      contract: "https://testnet.mintbase.xyz/contract/{contract}/nfts/all/0",
      token: "https://testnet.mintbase.xyz/contract/{contract}/token/{token}",
    },
  ],
};

/** The marketplaces that pages name. @param given the operator's own list, which may be empty */
export const marketplacesOf = (
  network: string,
  given: readonly Marketplace[] | undefined,
): readonly Marketplace[] => given ?? MARKETPLACES[network] ?? [];

/** Where a contract, or one NFT of it, is shown. @param token its id; null: the contract */
export const shownAt = (marketplace: Marketplace, contract: string, token: string | null): string =>
  (token === null ? marketplace.contract : marketplace.token)
    .replaceAll("{contract}", encodeURIComponent(contract))
    .replaceAll("{token}", encodeURIComponent(token ?? ""));
