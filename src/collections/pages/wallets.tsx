import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { type OfferedWallet, walletsFor } from "../../domain/wallets.ts";

/** What a page knows of wallets of near-connect. */
export interface WalletSetting {
  /** The one that the collector has chosen, whose addresses this answer allows. */
  readonly chosen: OfferedWallet | null;
  readonly connector: string;
}

/** Where a wallet is chosen, and which one is connected; browser/connecting.ts fills it. */
export const Wallets = ({
  collection,
  setting,
}: {
  collection: PublicCollection;
  setting: WalletSetting;
}) => {
  const { chosen, connector } = setting;
  const { network, slug } = collection;
  const wallets = walletsFor(network).map(({ id, name }) => ({ id, name }));
  return (
    <>
      <div
        id="wallets"
        class="row"
        data-offered={JSON.stringify({ wallets, chosen: chosen?.id ?? null, connector })}
      >
        <p>Looking for wallets …</p>
      </div>
      <p id="account" hidden>
        <span />{" "}
        <a id="mine" href={`/g/${slug}`}>
          My NFTs
        </a>{" "}
        <button type="button" class="plain" id="leave">
          Disconnect
        </button>
      </p>
    </>
  );
};
