import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { type Marketplace, shownAt } from "../../domain/marketplaces.ts";

interface TradesProps {
  readonly marketplaces: readonly Marketplace[];
  readonly collection: Pick<PublicCollection, "contract_address" | "transfers">;
  /** An NFT's id; null: the contract as a whole. */
  readonly token: string | null;
}

/** Where an NFT can be listed, or a contract's NFTs are traded; nothing where the collection allows no marketplace. */
export const Trades = ({ marketplaces, collection, token }: TradesProps) => {
  const { contract_address: contract, transfers } = collection;
  if (marketplaces.length === 0 || !transfers.allow_approvals) return null;
  return (
    <p class="small">
      <span class="soft">{token === null ? "Traded on" : "List it on"}</span>{" "}
      {marketplaces.map((marketplace, index) => (
        <>
          {index > 0 && " · "}
          <a href={shownAt(marketplace, contract, token)} rel="noopener">
            {marketplace.name}
          </a>
        </>
      ))}
    </p>
  );
};
